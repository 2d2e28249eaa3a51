/** CONTRACT §7: what a person types as an answer. Never a wrong option. */
import fc from 'fast-check';
import { caseFolded, chosenAnswer, judgeText, questionText, withoutAttachmentLines } from '../../../workflows/contract';
import { INVISIBLE, labels as someLabels, nastyText, plainLabel } from '../../support/unit/arbitraries';
import { freeForm, multipleChoice } from '../../support/unit/questions';

const LINE = '[Attached file: rates.pdf (file, 82 KB)]';

const picked = (labels: string[], message: string) => {
  const verdict = judgeText(multipleChoice(labels), message);
  if (!verdict.ok) return verdict.issues.map(({ path, code }) => ({ path, code }));
  return verdict.answer;
};
const option = (n: number) => ({ kind: 'multiple_choice', option_id: `q1_o${n}` });
const writeIn = (text: string) => ({ kind: 'multiple_choice', option_id: 'other', other_text: text });

describe('a message picks the option whose label it is', () => {
  test.each([
    ['as it stands', ['SMB', 'Enterprise'], 'Enterprise', 2],
    ['in another case', ['SMB', 'Enterprise'], 'eNTERprise', 2],
    ['within white space that nobody sees', ['SMB', 'Enterprise'], '\u3000\u200b\n Enterprise\r\n\t', 2],
    ['above an attachment line', ['Approve', 'Reject'], `approve\n\n${LINE}`, 1],
    ['above several, with CRLF between', ['Approve', 'Reject'], `Reject\r\n\r\n${LINE}\r\n${LINE}\r\n`, 2],
    [
      'above a file whose name has brackets',
      ['Yes', 'No'],
      'no\n\n[Attached file: a (1), b (2).pdf (image, 1.2 MB)]',
      2,
    ],
    ['when it is told from another by its case alone', ['yes', 'YES', 'Yes'], 'YES', 2],
    ['in a script without case', ['はい', 'いいえ'], 'いいえ', 2],
    ['with ß typed as SS', ['Straße', 'Weg'], 'STRASSE', 1],
    ['with a final sigma', ['ΟΔΟΣ', 'x'], 'οδος', 1],
    ['with the accent put together otherwise', ['Café', 'Bar'], 'CAFE\u0301', 1],
    ['when the label has white space around it', [' A ', 'B'], 'a', 1],
    ['when the label itself looks like an attachment line', [LINE, 'no file'], LINE, 1],
    ['when it is the name of a thing that every object has', ['constructor', '__proto__'], '__PROTO__', 2],
  ])('%s', (_name, labels, message, n) => expect(picked(labels, message)).toStrictEqual(option(n)));

  test.each([
    ['more than the label', ['SMB', 'Enterprise'], 'SMB first'],
    ['a part of a label', ['SMB first', 'Enterprise'], 'SMB'],
    ['an option id', ['SMB', 'Enterprise'], 'q1_o1'],
    ['the number of an option', ['SMB', 'Enterprise'], '1'],
    ['two labels alike but for their case, in neither', ['yes', 'YES'], 'Yes'],
    ['another letter than it looks like: dotless i', ['sık', 'x'], 'sik'],
    ['another letter than it looks like: a Cyrillic А', ['A', 'B'], '\u0410'],
    ['a compatibility form', ['1', '2'], '①'],
    ['a label and more lines', ['A', 'B'], 'A\nbut only this week'],
    ['an attachment line above the text', ['A', 'B'], `${LINE}\nA`],
    ['Other and more', ['A', 'B'], 'Other: C'],
  ])('and never for %s: that is a write-in', (_name, labels, message) =>
    expect(picked(labels, message)).toStrictEqual(writeIn(message)),
  );

  test('a write-in keeps its attachment lines, so that the agent knows of the files', () => {
    const message = `Neither.\n\n${LINE}`;
    expect(picked(['A', 'B'], message)).toStrictEqual(writeIn(message));
    expect(judgeText(freeForm(), message)).toStrictEqual({ ok: true, answer: { kind: 'free_form', text: message } });
  });

  const blank = [{ path: 'message', code: 'blank' }];
  test.each(['', ' ', '\u200b\u2800', LINE, `\n\n${LINE}\n${LINE}`])('%j says nothing, and is refused', (message) => {
    expect(picked(['A', 'B'], message)).toEqual(blank);
    expect(judgeText(freeForm(), message)).toMatchObject({ ok: false, issues: blank });
  });

  test.each(['Other', ' other\n', 'ＯＴＨＥＲ', `Other\n\n${LINE}`])('%j alone is no answer to a choice', (message) => {
    expect(picked(['A', 'B'], message)).toEqual(blank);
    if (message.startsWith('Other\n')) return;
    expect(judgeText(freeForm(), message)).toMatchObject({ ok: true });
  });

  test.each(['a', '😀'])('4,000 characters of %s are taken, 4,001 are not', (character) => {
    for (const judge of [
      (text: string) => judgeText(freeForm(), text),
      (text: string) => judgeText(multipleChoice(), text),
    ]) {
      expect(judge(character.repeat(4_000)).ok).toBe(true);
      expect(judge(character.repeat(4_001))).toMatchObject({
        ok: false,
        issues: [{ path: 'message', code: 'too_long' }],
      });
    }
  });

  test('a lone surrogate is refused', () => {
    const lone = [{ path: 'message', code: 'lone_surrogate' }];
    expect(picked(['A', 'B'], 'A\ud800')).toEqual(lone);
    expect(judgeText(freeForm(), 'x\ud800')).toMatchObject({ ok: false, issues: lone });
  });

  test('a body full of white space, brackets or lines is read in one go', () => {
    for (const unit of [' ', '\n', '[Attached file: ', ' (', `${LINE}\n`, '\u200b']) {
      const message = `x${unit.repeat(250_000 / unit.length)}x`;
      expect(picked(['A', 'B'], message)).toEqual([{ path: 'message', code: 'too_long' }]);
    }
  });
});

describe('whatever is typed', () => {
  /** Labels of which some differ in their case alone. */
  const labels = fc.oneof(
    someLabels.filter((given) => given.length > 1),
    fc
      .tuple(plainLabel, fc.constantFrom('yes', 'straße', 'ok'))
      .map(([label, word]) => [label, word, word.toUpperCase(), `${word}!`]),
  );
  const decorated = fc.record({
    before: fc.array(fc.constantFrom(...INVISIBLE), { maxLength: 3 }),
    after: fc.array(
      fc.constantFrom(...INVISIBLE.filter((unit) => !/[\p{Variation_Selector}\u{e0020}-\u{e007f}]/u.test(unit))),
      { maxLength: 3 },
    ),
    lines: fc.nat(3),
    casing: fc.constantFrom('as is', 'upper', 'lower'),
  });
  const cased = (text: string, casing: string) =>
    casing === 'upper' ? text.toUpperCase() : casing === 'lower' ? text.toLowerCase() : text;

  test('it is the option that it names, however it is cased, spaced and followed by files', () => {
    fc.assert(
      fc.property(labels, fc.nat(5), decorated, (given, at, { before, after, lines, casing }) => {
        const n = at % given.length;
        const label = given[n] ?? '';
        const text = `${before.join('')}${cased(label, casing)}${after.join('')}${`\n${LINE}`.repeat(lines)}`;
        const twins = given.filter((other) => other.trim().toUpperCase() === label.trim().toUpperCase());
        const answer = picked(given, text);
        if (twins.length === 1 || cased(label, casing) === label) expect(answer).toStrictEqual(option(n + 1));
      }),
      { numRuns: 500 },
    );
  });

  test('it is never a wrong option, and what is no option reaches the agent whole', () => {
    const message = fc.oneof(
      nastyText,
      fc.tuple(plainLabel, nastyText, plainLabel).map((parts) => parts.join('')),
      fc
        .tuple(
          fc.constantFrom('Yes', 'yeS', 'STRASSE', 'straße', 'oK', 'はい', 'a'),
          fc.constantFrom('', '!', '\n', ` ${LINE}`, `\n${LINE}`),
        )
        .map((parts) => parts.join('')),
    );
    const visible = (text: string) =>
      text.replace(
        /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{C}\u2800]+|[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{C}\u2800]+$/gu,
        '',
      );
    const caseless = (text: string) => visible(text).normalize('NFC').toUpperCase();
    fc.assert(
      fc.property(labels, message, (given, text) => {
        const question = multipleChoice(given);
        const verdict = judgeText(question, text);
        if (!verdict.ok) return;
        const chosen = chosenAnswer(question, verdict.answer);
        if (chosen?.option_id === 'other') {
          // Whole, but for outer white space.
          expect(text).toContain(chosen.answer);
          expect(visible(chosen.answer)).toBe(visible(text));
          return;
        }
        const typed = text.replace(/(\n\[Attached file: [^\n]* \([^\n]*, [^\n]*\)\]\s*)+$/u, '');
        const label = chosen?.answer ?? '';
        expect(caseless(typed)).toBe(caseless(label));
        // Nothing else that it could have meant as well.
        const others = given.filter((other) => other !== label);
        expect(others.map(visible)).not.toContain(visible(typed));
        if (visible(typed) !== visible(label)) expect(others.map(caseless)).not.toContain(caseless(typed));
      }),
      { numRuns: 2_000 },
    );
  });
});

test('case folding is that of Unicode: what a caseless pattern takes for the same letter is the same', () => {
  for (let point = 0; point < 0x1e944; point += 1) {
    if (point >= 0xd800 && point < 0xe000) continue;
    const letter = String.fromCodePoint(point);
    for (const other of new Set([letter.toUpperCase(), letter.toLowerCase()])) {
      // Letters whose other case is more than one are folded too, where a pattern stops: ß and SS.
      if (other === letter || Array.from(other).length > 1) continue;
      const same = new RegExp(`^${letter}$`, 'iu').test(other);
      expect({ letter, other, same: caseFolded(letter) === caseFolded(other) }).toEqual({ letter, other, same });
    }
  }
});

test('a question as text is all of it: question, context, and each label on its line', () => {
  expect(questionText(freeForm())).toBe('Which quarter?');
  expect(questionText({ ...multipleChoice(['SMB', 'Enterprise']), context: '**Net** 30' })).toBe(
    'Which one?\n\n**Net** 30\n\nOptions:\n- SMB\n- Enterprise\n- Other (reply in your own words)',
  );
  expect(withoutAttachmentLines(`a\n\nb\n\n${LINE}\n`)).toBe('a\n\nb\n');
});

test('a file whose name holds a line feed has one attachment line all the same', () => {
  const line = (name: string) => `\n\n[Attached file: ${name} (file, 1 KB)]`;
  const judged = (message: string, ...files: string[]) =>
    judgeText(multipleChoice(['Approve', 'Reject']), message, files);
  expect(judged(line('a\nb.pdf'), 'a\nb.pdf')).toMatchObject({ ok: false });
  expect(judged(`Approve${line('a\nb.pdf')}${line('c.pdf')}`, 'a\nb.pdf', 'c.pdf')).toEqual({
    ok: true,
    answer: { kind: 'multiple_choice', option_id: 'q1_o1' },
  });
  // What is no name of a file is text.
  expect(judged(`Approve${line('a\nb.pdf')}`)).toMatchObject({ ok: true, answer: { option_id: 'other' } });
});
