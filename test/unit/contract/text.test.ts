/** CONTRACT §1: character, blank; and the other rules about text that everything else leans on. */
import fc from 'fast-check';
import {
  characters,
  comparableLabel,
  firstCharacters,
  isBlank,
  isOtherLabel,
  isWellFormed,
  jsonBytes,
  trimText,
} from '../../../workflows/contract';
import { anyString, INVISIBLE, nastyText } from '../../support/unit/arbitraries';

describe('isBlank', () => {
  test('every code point is judged as the contract says, alone', () => {
    const invisible = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\u2800]$/u;
    const differing: number[] = [];
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += 1) {
      const text = String.fromCodePoint(codePoint);
      if (isBlank(text) !== invisible.test(text)) differing.push(codePoint);
    }
    expect(differing).toEqual([]);
  });

  test('nothing is blank, and one visible character anywhere is enough', () => {
    expect(isBlank('')).toBe(true);
    const hidden = fc.array(fc.constantFrom(...INVISIBLE)).map((parts) => parts.join(''));
    fc.assert(
      fc.property(hidden, hidden, fc.constantFrom('a', '!', '😀', '漢', '\u0301'), (before, after, seen) => {
        expect(isBlank(before + after)).toBe(true);
        expect(isBlank(before + seen + after)).toBe(false);
      }),
    );
  });
});

describe('isOtherLabel', () => {
  test.each(
    [
      ['Other', 'other', 'OTHER', 'oThEr', ' OTHER ', '\u3000other\u0085', '\ufeffother'],
      ['Ｏｔｈｅｒ', 'ｏｔｈｅｒ', '𝐎𝐭𝐡𝐞𝐫', 'ⓞⓣⓗⓔⓡ', 'ᵒᵗʰᵉʳ', '\u200bOther\u200d', '\u2060Other\ufe0f', '\u3164Other'],
    ].flat(),
  )('%j is the Other', (label) => expect(isOtherLabel(label)).toBe(true));

  test.each(
    [
      [
        'Other!',
        'Other vendor',
        'Another',
        'Others',
        'Other.',
        'Other:',
        '"Other"',
        'o ther',
        'Оther',
        'öther',
        'otheｒs',
      ],
      ['', ' ', 'Otro', '其他', 'Autre', 'ﬁother', 'otherﬂ', 'other other', '__proto__'],
    ].flat(),
  )('%j is an ordinary label', (label) => expect(isOtherLabel(label)).toBe(false));

  test('what NFKC makes white is trimmed too', () => {
    for (const space of ['\u00a0', '\u2002', '\u3000', '\u202f'])
      expect(isOtherLabel(`${space}Other${space}`)).toBe(true);
  });
});

describe('characters', () => {
  test('equals the number of code points of any string', () => {
    fc.assert(
      fc.property(fc.oneof(anyString, nastyText), (text) => characters(text) === Array.from(text).length),
      {
        numRuns: 3_000,
      },
    );
  });

  test.each([
    ['', 0],
    ['a', 1],
    ['😀', 1],
    ['e\u0301', 2],
    ['\ud83d', 1],
    ['\ude00\ud83d', 2],
    ['👨‍👩‍👧', 5],
  ])('%j has %i', (text, count) => expect(characters(text)).toBe(count));
});

describe('firstCharacters', () => {
  test('gives exactly the first code points and never half of a pair', () => {
    fc.assert(
      fc.property(fc.oneof(anyString, nastyText), fc.integer({ min: 1, max: 40 }), (text, max) => {
        const first = firstCharacters(text, max);
        expect(first).toBe(Array.from(text).slice(0, max).join(''));
        if (isWellFormed(text)) expect(isWellFormed(first)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('isWellFormed', () => {
  test('says what the platform says', () => {
    // String.prototype.isWellFormed is younger than the TypeScript library in use.
    const roundTrip = (text: string) => Buffer.from(text, 'utf8').toString('utf8') === text;
    fc.assert(
      fc.property(fc.oneof(anyString, nastyText), (text) => isWellFormed(text) === roundTrip(text)),
      {
        numRuns: 3_000,
      },
    );
  });
});

describe('trimText', () => {
  test('takes white space off both ends and leaves the rest as it is', () => {
    fc.assert(
      fc.property(nastyText, (text) => {
        const trimmed = trimText(text);
        expect(text).toContain(trimmed);
        expect(trimmed).not.toMatch(/^[\p{White_Space}\ufeff]|[\p{White_Space}\ufeff]$/u);
        expect(trimText(trimmed)).toBe(trimmed);
        // What goes is white space and nothing else.
        expect(text.replace(trimmed, '')).toMatch(/^[\p{White_Space}\ufeff]*$/u);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a text that is not blank is not empty afterwards', () => {
    fc.assert(
      fc.property(nastyText, (text) => isBlank(text) || trimText(text) !== ''),
      { numRuns: 2_000 },
    );
  });
});

describe('comparableLabel', () => {
  test('drops what nobody sees around a label, but not what chooses its glyph', () => {
    expect(comparableLabel(' \u200bA\u200b\u3000')).toBe('A');
    expect(comparableLabel('A B')).toBe('A B');
    expect(comparableLabel('❤\ufe0f ')).toBe('❤\ufe0f');
    expect(comparableLabel('🏴󠁧󠁢󠁥󠁮󠁧󠁿')).not.toBe(comparableLabel('🏴󠁧󠁢󠁳󠁣󠁴󠁿'));
  });
});

describe('jsonBytes', () => {
  test('equals the bytes of the JSON text in UTF-8', () => {
    const value = fc.oneof(fc.jsonValue(), anyString, nastyText, fc.dictionary(anyString, nastyText));
    fc.assert(
      fc.property(value, (json) => jsonBytes(json) === Buffer.byteLength(JSON.stringify(json))),
      {
        numRuns: 3_000,
      },
    );
  });

  test('nothing takes nothing', () => expect(jsonBytes(undefined)).toBe(0));
});
