/**
 * Text that others wrote, made fit for a terminal. An escape sequence in a question could clear the screen, forge a line,
 * or write to the clipboard; a direction override could show an answer as its opposite. Such characters are shown, never
 * sent.
 */

/** C0, DEL, C1, line and paragraph separators, direction overrides and isolates, interlinear marks, lone surrogates. */
const UNSAFE = /[\p{Cc}\p{Cs}\u061c\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]/gu;

/** On one line: white space of every kind becomes a single space. */
export function safeLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replace(UNSAFE, shown);
}

/** As it is, over as many lines as it has. */
export function safeBlock(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\t/g, '  ').split('\n');
  return lines.map((line) => line.replace(UNSAFE, shown)).join('\n');
}

/** JSON on one line, or indented, with nothing in it that a terminal acts upon; any reader gets the same value. */
export function safeJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  return text.replace(UNSAFE, (character) => (character === '\n' ? character : escaped(character)));
}

function shown(character: string): string {
  const code = character.codePointAt(0) as number;
  // Control pictures: ␛ for an escape, ␡ for DEL.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '\u2421' : escaped(character);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;
const NO_WIDTH = /[\p{M}\p{Cf}]/u;

/** Columns that a text takes on a terminal. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return columns;
}

/** The start of a text that fits into this many columns, with an ellipsis where it was cut. */
export function fitted(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let taken = '';
  let width = 0;
  for (const character of text) {
    width += columnsOf(character);
    if (width > columns - 1) break;
    taken += character;
  }
  return `${taken.trimEnd()}…`;
}
