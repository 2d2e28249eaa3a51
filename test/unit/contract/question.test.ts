/** CONTRACT §2, the ask: what `ask_a_human` accepts, and the question people see. Cases C03, C04, C17. */
import { buildQuestion, judgeAskArgs, questionSchema, type Question } from '../../../workflows/contract';
import { ASKED_AT } from '../../support/unit/questions';

const ff = (question: unknown, more: object = {}) => ({ kind: 'free_form', question, ...more });
const mc = (options: unknown, more: object = {}) => ({ kind: 'multiple_choice', question: 'Which?', options, ...more });

function built(args: unknown, n = 1): Question {
  const verdict = judgeAskArgs(args);
  if (!verdict.ok) throw new Error(`refused: ${verdict.message}`);
  const question = buildQuestion(verdict.ask, { n, askedAt: ASKED_AT });
  expect(questionSchema.parse(question)).toStrictEqual(question);
  return question;
}

/** The refusal's message; fails when the ask is taken. */
function refusal(args: unknown): string {
  const verdict = judgeAskArgs(args);
  if (verdict.ok) throw new Error('taken');
  expect(verdict.message).not.toBe('');
  expect(verdict.message.length).toBeLessThan(400);
  return verdict.message;
}

const labelsOf = (question: Question) => question.options?.map((option) => option.label);

describe("the caller's own Other", () => {
  test.each([
    [
      ['A', 'B', 'Other'],
      ['A', 'B'],
    ],
    [
      ['A', 'B', 'other'],
      ['A', 'B'],
    ],
    [
      ['A', 'B', ' OTHER '],
      ['A', 'B'],
    ],
    [
      ['A', 'Other', 'B', 'other'],
      ['A', 'B'],
    ],
    [['A', 'Other'], ['A']],
    [['Other', 'A'], ['A']],
    [
      ['A', 'ＯＴＨＥＲ', 'B'],
      ['A', 'B'],
    ],
    [
      ['A', '\u200bOther\u200b', 'B'],
      ['A', 'B'],
    ],
    [
      ['A', 'B', 'C', 'D', 'E', 'F', 'Other'],
      ['A', 'B', 'C', 'D', 'E', 'F'],
    ],
    [
      ['Other', 'A', 'B', 'C', 'D', 'E', 'F', 'other'],
      ['A', 'B', 'C', 'D', 'E', 'F'],
    ],
  ])('%j leaves %j and one Other, last', (options, left) => {
    const question = built(mc(options));
    expect(labelsOf(question)).toEqual([...left, 'Other']);
    expect(question.options?.map((option) => option.id)).toEqual([...left.map((_, k) => `q1_o${k + 1}`), 'other']);
  });

  test.each(['Other!', 'Other vendor', 'Another', 'Other.', '(Other)', 'Others', 'No other', 'Otro', 'o t h e r'])(
    '%j is an ordinary label',
    (label) => expect(labelsOf(built(mc(['A', label])))).toEqual(['A', label, 'Other']),
  );

  test.each([[['Other']], [['Other', 'other']], [['other', ' OTHER ', 'Ｏther']]])('%j alone is refused', (options) => {
    expect(refusal(mc(options))).toMatch(/free_form/);
  });
});

describe('how many labels', () => {
  test.each([[[]], [['A']], [['A', 'B', 'C', 'D', 'E', 'F', 'G']], [['Other', 'A', 'B', 'C', 'D', 'E', 'F', 'G']]])(
    '%j is refused',
    (options) => void refusal(mc(options)),
  );

  test('six real labels are seven options', () => {
    expect(built(mc(['A', 'B', 'C', 'D', 'E', 'F'])).options).toHaveLength(7);
  });

  test.each([undefined, null, 'A', { 0: 'A', 1: 'B', length: 2 }, 2])('options %j are refused', (options) => {
    refusal(mc(options));
  });

  test.each([1, null, true, ['A'], { label: 'A' }, {}])('the label %j is refused', (label) => {
    expect(refusal(mc(['A', label]))).toContain('options[1]');
  });
});

describe('labels', () => {
  test.each([
    [['はい', 'いいえ', 'たぶん']],
    [['👍', '👎']],
    [['да', 'нет']],
    [['!!!', '???']],
    [['other q1_o1', 'q1_o1']],
  ])('%j get ids of their own, whatever their script', (options) => {
    const question = built(mc(options), 4);
    expect(labelsOf(question)).toEqual([...options, 'Other']);
    expect(question.options?.map((option) => option.id)).toEqual([...options.map((_, k) => `q4_o${k + 1}`), 'other']);
  });

  test('are shown exactly as supplied', () => {
    const options = [' A ', 'B\n', '<b>C</b>', '"D"', 'e\u0301', '\u202eF'];
    expect(labelsOf(built(mc(options)))).toEqual([...options, 'Other']);
  });

  test.each([
    ['A', 'A'],
    ['A', ' A '],
    ['A', 'A\u3000'],
    ['A', '\ufeffA'],
    ['A', 'A\u200b'],
    ['A', '\u0085A\n'],
  ])('%j and %j are the same label', (one, two) => expect(refusal(mc([one, two, 'B']))).toContain('options[1]'));

  test.each([
    ['A', 'a'],
    ['A', 'Ａ'],
    ['é', 'e\u0301'],
    ['A B', 'A  B'],
    ['🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
    ['葛\u{e0100}', '葛\u{e0101}'],
  ])('%j and %j are two labels', (one, two) => expect(labelsOf(built(mc([one, two])))).toEqual([one, two, 'Other']));

  test.each(['', ' ', '\u3000', '\u2800', '\u3164', '\u200b\ufe0f', '\ud800', 'a\udc00'])('%j is refused', (label) => {
    refusal(mc(['A', label]));
  });

  test.each(['a', '😀'])('1000 of %j fit, 1001 do not', (character) => {
    expect(labelsOf(built(mc(['A', character.repeat(1_000)])))?.[1]).toBe(character.repeat(1_000));
    refusal(mc(['A', character.repeat(1_001)]));
  });
});

describe('the question and its context', () => {
  test.each(['a', '😀'])('4000 of %j fit, 4001 do not', (character) => {
    expect(built(ff(character.repeat(4_000))).question).toBe(character.repeat(4_000));
    expect(refusal(ff(character.repeat(4_001)))).toContain('4000');
  });

  test.each(['a', '😀'])('a context of 16000 of %j fits, 16001 do not', (character) => {
    expect(built(ff('Q', { context: character.repeat(16_000) })).context).toBe(character.repeat(16_000));
    expect(refusal(ff('Q', { context: character.repeat(16_001) }))).toContain('16000');
  });

  test('are kept as they are, outer white space and markup included', () => {
    const question = built(ff('  Which\nquarter? <b>😀</b> ', { context: '# Title\n\n' }));
    expect(question.question).toBe('  Which\nquarter? <b>😀</b> ');
    expect(question.context).toBe('# Title\n\n');
  });

  test.each([undefined, null, '', ' ', '\u200b\u2800', 1, {}, ['Q'], '\ud800', 'Q\udfff'])(
    'question %j is refused',
    (question) => {
      expect(refusal(ff(question))).toContain('question');
    },
  );

  test.each([1, {}, ['x'], true, '\ud800'])('context %j is refused', (context) => {
    expect(refusal(ff('Q', { context }))).toContain('context');
  });

  test.each([undefined, null])('context %j is none', (context) =>
    expect(built(ff('Q', { context })).context).toBeNull(),
  );

  test('an empty context may be: it is optional', () => expect(built(ff('Q', { context: '' })).context).toBe(''));
});

describe('shapes', () => {
  test('a free form question has no options, and may say so', () => {
    for (const options of [undefined, null, []]) expect(built(ff('Q', { options })).options).toBeNull();
    expect(refusal(ff('Q', { options: ['A', 'B'] }))).toMatch(/multiple_choice/);
    refusal(ff('Q', { options: 'A' }));
  });

  test.each([undefined, null, 'Multiple_Choice', 'decline', '', 1, ['free_form'], '__proto__', 'constructor'])(
    'kind %j is refused',
    (kind) => expect(refusal({ kind, question: 'Q' })).toContain('kind'),
  );

  test.each(['on_question', 'assignee', 'expires_after', 'zzz', '__proto__', 'constructor'])(
    'the unknown argument %j is refused by name',
    (name) => {
      const args: unknown = JSON.parse(`{"kind":"free_form","question":"Q",${JSON.stringify(name)}:"auto"}`);
      expect(refusal(args)).toContain(name);
    },
  );

  test.each([undefined, null, 'Q', 1, [], [ff('Q')], true])('arguments %j are refused', (args) => void refusal(args));

  test('the question has exactly the fields of pending_input_context', () => {
    const verdict = judgeAskArgs(mc(['A', 'B'], { context: 'why' }));
    if (!verdict.ok) throw new Error('refused');
    const facts = { n: 2, askedAt: ASKED_AT, expiresAt: null, assignee: 'ann' };
    expect(buildQuestion(verdict.ask, facts)).toStrictEqual({
      ask_id: 'q2',
      kind: 'multiple_choice',
      question: 'Which?',
      context: 'why',
      options: [
        { id: 'q2_o1', label: 'A' },
        { id: 'q2_o2', label: 'B' },
        { id: 'other', label: 'Other' },
      ],
      asked_at: ASKED_AT,
      expires_at: null,
      assignee: 'ann',
    });
  });
});

describe('oversized asks are refused before they are walked through', () => {
  test.each([
    ['a 3 MB question', ff('x'.repeat(3_000_000))],
    ['a 3 MB question of astral characters', ff('😀'.repeat(1_500_000))],
    ['a 300 KB question', ff('x'.repeat(300_000))],
    ['a 3 MB context', ff('Q', { context: 'x'.repeat(3_000_000) })],
    ['six labels of 400 KB', mc(['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => letter.repeat(400_000)))],
    ['a million labels', mc(Array.from({ length: 1_000_000 }, (_, i) => `label ${i}`))],
    ['a million Others', mc(['A', 'B', ...Array.from({ length: 1_000_000 }, () => 'Other')])],
    ['a million unknown arguments', Object.fromEntries(Array.from({ length: 1_000_000 }, (_, i) => [`k${i}`, 1]))],
    ['an unknown argument with a 3 MB name', { ...ff('Q'), ['x'.repeat(3_000_000)]: 1 }],
  ])('%s', (_name, args) => {
    refusal(args);
  });

  test('a hundred thousand refusals of huge texts take no time to speak of', () => {
    const huge = ff('x'.repeat(3_000_000));
    const labels = mc(['A', 'x'.repeat(3_000_000)]);
    for (let i = 0; i < 50_000; i += 1) {
      if (judgeAskArgs(huge).ok || judgeAskArgs(labels).ok) throw new Error('taken');
    }
  });
});
