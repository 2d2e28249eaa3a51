/**
 * A terminal's keys for a prompt of one line, into which several lines may be pasted: a line end inside pasted text shows as
 * a mark and ends nothing. Without it the prompt would take the first line for the whole answer and lose the rest.
 */
import { StringDecoder } from 'node:string_decoder';
import { Transform, type TransformCallback } from 'node:stream';
import type { ReadStream } from 'node:tty';

/** What a terminal that can (almost all) puts around pasted text, once it is asked to. */
const PASTE = { on: '\u001b[?2004h', off: '\u001b[?2004l', begin: '\u001b[200~', end: '\u001b[201~' } as const;
/** Shown for a line end; the first that the text itself does not hold. */
const MARKS = ['↵', '⏎', '⤶'] as const;

export class PastingInput extends Transform {
  /** The prompt library asks for both: keys come one by one only in raw mode. */
  readonly isTTY = true;
  private readonly decoder = new StringDecoder('utf8');
  private pasting = false;
  private mark: string | undefined;

  private constructor(
    private readonly terminal: ReadStream,
    private readonly screen: NodeJS.WritableStream,
  ) {
    super({ encoding: 'utf8' });
  }

  /** From here to `close()` the terminal's keys come through this stream. */
  static open(terminal: ReadStream, screen: NodeJS.WritableStream): PastingInput {
    const input = new PastingInput(terminal, screen);
    screen.write(PASTE.on);
    terminal.pipe(input);
    return input;
  }

  setRawMode(raw: boolean): this {
    this.terminal.setRawMode(raw);
    return this;
  }

  close(): void {
    this.terminal.unpipe(this);
    this.terminal.pause();
    this.screen.write(PASTE.off);
  }

  /** The text that was meant by what stands in the prompt. */
  textOf(shown: string): string {
    return this.mark === undefined ? shown : shown.replaceAll(this.mark, '\n');
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let rest = this.decoder.write(chunk);
    let keys = '';
    while (rest !== '') {
      const border = this.pasting ? PASTE.end : PASTE.begin;
      const at = rest.indexOf(border);
      const part = at < 0 ? rest : rest.slice(0, at);
      keys += this.pasting ? this.marked(part) : this.typed(part);
      if (at >= 0) this.pasting = !this.pasting;
      rest = at < 0 ? '' : rest.slice(at + border.length);
    }
    done(null, keys);
  }

  /** Keys that come at one time with text behind a line end were pasted too: nobody types as fast. */
  private typed(keys: string): string {
    // eslint-disable-next-line no-control-regex
    const [pasted = ''] = /^[^]*[\r\n](?=[^\u0000-\u001f\u007f])/.exec(keys) ?? [];
    return this.marked(pasted) + keys.slice(pasted.length);
  }

  private marked(text: string): string {
    if (!/[\r\n]/.test(text)) return text;
    const mark = (this.mark ??= MARKS.find((one) => !text.includes(one)) ?? MARKS[0]);
    return text.replace(/\r\n|\r|\n/g, mark);
  }
}
