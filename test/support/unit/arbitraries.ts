/** Generators for property tests: nasty texts, questions, and bodies that answer them or nearly do. */
import fc from 'fast-check';
import type { Question } from '../../../workflows/contract';
import { freeForm, jsonObject, multipleChoice } from './questions';

/** Names that every object has without having them. */
export const PROTOTYPE_NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
];

/** One or more of every kind of character that nobody sees. */
export const INVISIBLE = [
  ' ', '\t', '\n', '\u000b', '\f', '\r', '\u0085', '\u00a0', '\u1680', '\u2003', '\u2028', '\u2029', '\u202f',
  '\u205f', '\u3000', '\ufeff', '\u0000', '\u0007', '\u001b', '\u007f', '\u009f', '\u00ad', '\u034f', '\u061c',
  '\u115f', '\u1160', '\u17b4', '\u180b', '\u180e', '\u200b', '\u200c', '\u200d', '\u200e', '\u202e', '\u2060',
  '\u2064', '\u2065', '\u206f', '\u2800', '\u3164', '\ufe00', '\ufe0f', '\uffa0', '\ufff0', '\ufff9', '\u{110bd}',
  '\u{1d173}', '\u{e0000}', '\u{e0001}', '\u{e0020}', '\u{e0041}', '\u{e007f}', '\u{e0100}', '\u{e01ef}', '\u{e0fff}',
]; // prettier-ignore

const VISIBLE = [
  'a',
  'Z',
  '0',
  '!',
  '"',
  '\\',
  '<',
  'é',
  'ß',
  'は',
  '漢',
  '￿',
  '\ufffd',
  '\u0301',
  '😀',
  '𝔘',
  '\u{10ffff}',
];
export const LONE_SURROGATES = ['\ud800', '\udbff', '\udc00', '\udfff', '\ude00\ud83d'];

const units = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...INVISIBLE) },
  { weight: 3, arbitrary: fc.constantFrom(...VISIBLE) },
  { weight: 1, arbitrary: fc.constantFrom(...LONE_SURROGATES) },
);
const someText = (unit: fc.Arbitrary<string>, maxLength = 6) =>
  fc.array(unit, { maxLength }).map((parts) => parts.join(''));

/** Texts around a limit in characters, in each width, with a visible character at either end or nowhere. */
const aroundLimit = (limit: number) =>
  fc
    .record({
      fill: fc.constantFrom('a', '😀', ' ', '\u200b', '\u{e0001}', '漢', '\ud800'),
      length: fc.constantFrom(limit - 1, limit, limit + 1, 2 * limit, 2 * limit + 1),
      end: fc.constantFrom('', 'x', '😀', '\udc00'),
    })
    .map(({ fill, length, end }) => fill.repeat(length - Array.from(end).length) + end);

/** Any text: empty, blank, visible, broken, very long. */
export const nastyText = fc.oneof(
  { weight: 6, arbitrary: someText(units) },
  { weight: 3, arbitrary: someText(fc.constantFrom(...INVISIBLE)) },
  { weight: 3, arbitrary: someText(fc.constantFrom(...VISIBLE)) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  { weight: 2, arbitrary: aroundLimit(4_000) },
);

/** Any string of UTF-16 units, lone surrogates included. */
export const anyString = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd7f0, max: 0xe010 })), { maxLength: 30 })
  .map((codes) => String.fromCharCode(...codes));

/** A label that is legal and not the caller's Other. */
export const plainLabel = fc.constantFrom(
  ...[
    'A',
    'B',
    'SMB',
    'はい',
    'いいえ',
    'たぶん',
    '👍',
    '👎',
    'да',
    'нет',
    '!!!',
    '???',
    ' outer ',
    'Other!',
    'Another',
  ],
);
export const labels = fc.uniqueArray(plainLabel, { minLength: 1, maxLength: 6, selector: (label) => label.trim() });

export const anyQuestion: fc.Arbitrary<Question> = fc.oneof(
  fc.integer({ min: 1, max: 3 }).map(freeForm),
  fc.tuple(labels, fc.integer({ min: 1, max: 12 })).map(([given, n]) => multipleChoice(given, n)),
);

const anyJson = fc.jsonValue({ maxDepth: 2 });
const wrongValue = fc.oneof(anyJson, fc.constantFrom(null, true, 0, 42, '', [], {}, ['a'], { text: 'a' }, [null]));
const optionIds = (question: Question) => (question.options ?? []).map((option) => option.id);

type Fields = [string, unknown][];

/** Bodies that a question takes. */
export function goodBody(question: Question): fc.Arbitrary<Fields> {
  const visible = someText(fc.constantFrom(...VISIBLE, ...INVISIBLE)).map((text) => `${text}x`);
  const decline = fc.oneof(
    fc.constant<Fields>([['kind', 'decline']]),
    visible.map((reason): Fields => [
      ['kind', 'decline'],
      ['reason', reason],
    ]),
  );
  if (question.kind === 'free_form') {
    const text = visible.map((value): Fields => [
      ['kind', 'free_form'],
      ['text', value],
    ]);
    return fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: decline });
  }
  const writeIn = visible.map((value): Fields => [
    ['kind', 'multiple_choice'],
    ['option_id', 'other'],
    ['other_text', value],
  ]);
  const real = optionIds(question).filter((id) => id !== 'other');
  const blank = fc.option(someText(fc.constantFrom(...INVISIBLE)), { nil: null });
  const option = fc.tuple(fc.constantFrom(...real), fc.option(blank, { nil: undefined })).map(([id, other]): Fields => {
    const fields: Fields = [
      ['kind', 'multiple_choice'],
      ['option_id', id],
    ];
    return other === undefined ? fields : [...fields, ['other_text', other]];
  });
  return fc.oneof(
    { weight: 3, arbitrary: writeIn },
    { weight: 3, arbitrary: option },
    { weight: 1, arbitrary: decline },
  );
}

/** One thing wrong, or at least changed, in a body. */
function mutation(question: Question): fc.Arbitrary<(fields: Fields) => Fields> {
  const fieldNames = ['kind', 'text', 'option_id', 'other_text', 'reason'];
  const names = fc.constantFrom(...PROTOTYPE_NAMES, ...fieldNames, 'zzz', '', 'Text', 'answer', 'optionId');
  const kinds = fc.constantFrom('free_form', 'multiple_choice', 'decline', 'Multiple_Choice', 'auto', '', ' decline');
  const n = Number(question.ask_id.slice(1));
  const ids = fc.constantFrom(
    ...[...PROTOTYPE_NAMES, '', 'Other', 'OTHER', ' other', 'other ', 'ｏther', 'A', '1', '0'],
    ...[
      `q${n + 1}_o1`,
      `q${n}1_o1`,
      `q${n}_o0`,
      `q${n}_o7`,
      `q${n}_o01`,
      `q${n}_O1`,
      `q${n}`,
      `${question.ask_id}_o1 `,
    ],
    ...optionIds(question),
  );
  const set = (name: string, value: unknown) => (fields: Fields) => {
    const rest = fields.filter(([key]) => key !== name);
    return [...rest, [name, value] as [string, unknown]];
  };
  return fc.oneof(
    fc.tuple(names, wrongValue).map(([name, value]) => set(name, value)),
    fc.nat(4).map((at) => (fields: Fields) => fields.filter((_, index) => index !== at % fields.length)),
    fc.tuple(fc.nat(4), wrongValue).map(([at, value]) => (fields: Fields) => {
      const [name] = fields[at % fields.length] ?? ['kind'];
      return set(name, value)(fields);
    }),
    kinds.map((kind) => set('kind', kind)),
    ids.map((id) => set('option_id', id)),
    fc.tuple(fc.constantFrom('text', 'other_text', 'reason'), nastyText).map(([name, text]) => set(name, text)),
    fc.tuple(fc.nat(4), nastyText).map(([at, text]) => (fields: Fields) => {
      const texts = fields.filter(([key]) => ['text', 'other_text', 'reason'].includes(key));
      const name = texts[at % Math.max(1, texts.length)]?.[0] ?? 'text';
      return set(name, text)(fields);
    }),
  );
}

/** Any body: good, wrong in one way, wrong in several, or any JSON at all. */
export function anyBody(question: Question): fc.Arbitrary<unknown> {
  const good = goodBody(question);
  const mutated = (count: number) =>
    fc
      .tuple(good, fc.array(mutation(question), { minLength: count, maxLength: count }))
      .map(([fields, mutations]) => jsonObject(mutations.reduce((changed, mutate) => mutate(changed), fields)));
  return fc.oneof(
    { weight: 3, arbitrary: good.map(jsonObject) },
    { weight: 8, arbitrary: mutated(1) },
    { weight: 2, arbitrary: mutated(2) },
    { weight: 1, arbitrary: fc.json().map((text): unknown => JSON.parse(text)) },
  );
}
