/**
 * What counts as text: the one place where blank, length, well-formed and trimmed are decided.
 *
 * The patterns are written as strings because they serve twice: compiled here (with the `u` flag), and published in
 * `pending_input_schema`, which every JSON Schema 2020-12 validator compiles with that flag too. So the judge and the
 * published schema cannot disagree.
 */
import { z } from 'zod';

/**
 * Characters that nobody sees (CONTRACT §1, "blank"): white space, default-ignorable, control and format characters,
 * and the braille blank.
 */
const INVISIBLE = '\\p{White_Space}\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\u2800';

/** Matches text with at least one visible character. Lone surrogates (`Cs`) are no characters. */
export const VISIBLE_PATTERN = `[^${INVISIBLE}\\p{Cs}]`;
/** Matches text that has no visible character at all; the empty string too. */
export const BLANK_PATTERN = `^[${INVISIBLE}]*$`;
/** Matches a lone surrogate: under the `u` flag a surrogate pair is one character and does not count. */
export const LONE_SURROGATE_PATTERN = '\\p{Cs}';

const visible = new RegExp(VISIBLE_PATTERN, 'u');
const loneSurrogate = new RegExp(LONE_SURROGATE_PATTERN, 'u');
const outerWhiteSpace = /^[\p{White_Space}\ufeff]+|[\p{White_Space}\ufeff]+$/gu;
const outerInvisible = new RegExp(`^[${INVISIBLE}]+|[${INVISIBLE}]+$`, 'gu');
/** Invisible alone, but they say which glyph the character before them is: two flags, a plain or a red heart. */
const SELECTOR = '\\p{Variation_Selector}\\u{e0020}-\\u{e007f}';
const outerUnseen = new RegExp(`^[${INVISIBLE}]+|(?:(?![${SELECTOR}])[${INVISIBLE}])+$`, 'gu');

/** True when `text` has no visible character. A text of lone surrogates is blank too. */
export function isBlank(text: string): boolean {
  return !visible.test(text);
}

/** True when `text` holds no lone surrogate, so that it survives UTF-8. */
export function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text);
}

/** Length in characters (code points). */
export function characters(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    // A pair is one character: step over its second half.
    if (unit >= 0xd800 && unit <= 0xdbff && i + 1 < text.length) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next <= 0xdfff) i += 1;
    }
    count += 1;
  }
  return count;
}

/** The first `max` characters, never half of a surrogate pair. */
export function firstCharacters(text: string, max: number): string {
  if (text.length <= max) return text;
  // 2·max units hold at least max characters, and a pair cut at their end is not among those.
  return Array.from(text.slice(0, 2 * max))
    .slice(0, max)
    .join('');
}

/** Text without outer white space: what an agent gets of an answer. Everything inside stays, byte for byte. */
export function trimText(text: string): string {
  return text.replace(outerWhiteSpace, '');
}

/**
 * The form in which two labels are compared: without anything invisible around it. Stricter than `trimText`, because
 * two options that look the same are one option to the person who picks.
 */
export function comparableLabel(label: string): string {
  return label.replace(outerUnseen, '');
}

function withoutOuterInvisible(label: string): string {
  return label.replace(outerInvisible, '');
}

/** True for a caller's own "Other" (CONTRACT §2): "other" after trimming, NFKC and lower-casing. */
export function isOtherLabel(label: string): boolean {
  return withoutOuterInvisible(withoutOuterInvisible(label).normalize('NFKC')).toLowerCase() === 'other';
}

/**
 * A text in which case no longer tells anything apart, nor how an accent is put together: Unicode's canonical caseless
 * form (`ß` is `ss`, `Σ` is `ς`, but Turkish `ı` is not `i`).
 */
export function caseFolded(text: string): string {
  return Array.from(text.normalize('NFD'), (character) =>
    // One at a time: in a word a final sigma is lower-cased to another letter. And `ı` has a capital that is not its own.
    character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase(),
  )
    .join('')
    .normalize('NFD');
}

const surrogateRule = { not: { pattern: LONE_SURROGATE_PATTERN } };

/** A string of at most `max` characters that may be blank; no lone surrogates. */
export function looseText(max: number) {
  return z
    .string()
    .check((ctx) => void checkLengthAndForm(ctx, max))
    .meta({ maxLength: max, ...surrogateRule });
}

/** A string of at most `max` characters with at least one visible one; no lone surrogates. */
export function visibleText(max: number) {
  return z
    .string()
    .check((ctx) => {
      if (!checkLengthAndForm(ctx, max)) return;
      if (isBlank(ctx.value)) {
        ctx.issues.push({ code: 'custom', message: 'must not be blank', params: { rule: 'blank' }, input: ctx.value });
      }
    })
    .meta({ maxLength: max, pattern: VISIBLE_PATTERN, ...surrogateRule });
}

/** A string of at most `max` characters that says nothing: what may stand beside an answer that needs no text. */
export function blankText(max: number) {
  const blank = new RegExp(BLANK_PATTERN, 'u');
  return z
    .string()
    .check((ctx) => {
      if (!checkLengthAndForm(ctx, max)) return;
      if (!blank.test(ctx.value)) {
        ctx.issues.push({
          code: 'custom',
          message: 'must be left out, null or blank unless the option is "other"',
          params: { rule: 'not_blank' },
          input: ctx.value,
        });
      }
    })
    .meta({ maxLength: max, pattern: BLANK_PATTERN });
}

function checkLengthAndForm(ctx: z.core.ParsePayload<string>, max: number): boolean {
  // A text of more than 2·max UTF-16 units is too long whatever it holds: no need to walk through megabytes.
  if (ctx.value.length > 2 * max || characters(ctx.value) > max) {
    ctx.issues.push({
      code: 'custom',
      message: `must be at most ${max} characters`,
      params: { rule: 'too_long', maximum: max },
      input: ctx.value,
    });
    return false;
  }
  if (!isWellFormed(ctx.value)) {
    ctx.issues.push({
      code: 'custom',
      message: 'holds a lone surrogate: half of a character that cannot be sent',
      params: { rule: 'lone_surrogate' },
      input: ctx.value,
    });
    return false;
  }
  return true;
}
