/** CONTRACT §5: the workflow's own verdict on answer signals; one answer wins. Cases C05, C06, C23. */
import fc from 'fast-check';
import { childAskClosedSchema, NO_ASK, type AnswerOutcome } from '../../../workflows/contract';
import { takeAnswer } from '../../../workflows/state/judge';
import { anyBody, nastyText } from '../../support/unit/arbitraries';
import { askOfChoices, expectGoodEvents, expectPlainJson, TestRun } from '../../support/unit/runs';

const free = (text: string) => ({ kind: 'free_form', text });
const file = { kind: 'file', filename: 'rates.pdf', media_type: null, size_bytes: 1 };
const pick = (option_id: string) => ({ kind: 'multiple_choice', option_id });

/** All of a run that a refused answer must not touch. */
function untouched(run: TestRun): unknown {
  const { log: _log, outcomes: _outcomes, ...rest } = run.state.data;
  return structuredClone({ rest, outbox: run.state.outbox, revision: run.state.revision });
}

function refused(run: TestRun, payload: unknown): AnswerOutcome {
  const before = untouched(run);
  const outcome = takeAnswer(run.state, payload);
  expect(outcome.verdict).not.toBe('taken');
  expect(untouched(run)).toStrictEqual(before);
  expectGoodEvents(run.events);
  expectPlainJson(outcome);
  return outcome;
}

describe('the first good answer', () => {
  test('closes the ask: status, event, step, result for the agent, news for the runs above', () => {
    const run = new TestRun();
    run.ask();
    run.tick(1_500);
    const sent = { answer_id: 'a1', ask_id: 'q1', input: free(' Q3 '), principal: 'ops', channel: 'http', digest: 'd' };
    const outcome = takeAnswer(run.state, sent);
    expect(outcome).toStrictEqual({ answer_id: 'a1', ask_id: 'q1', verdict: 'taken', issues: [], digest: 'd' });
    expect(run.state.data.status).toBe('running');
    expect(run.state.asks.pending).toBeNull();
    expect(run.dataOf('ask.answered')).toStrictEqual([
      { ask_id: 'q1', answer: 'Q3', principal: 'ops', channel: 'http', by: 'human' },
    ]);
    expect(run.dataOf('step.completed')).toStrictEqual([{ step_id: 'q1', name: 'ask_a_human', status: 'completed' }]);
    expect(run.state.asks.takeResult('q1')).toStrictEqual({ answer: 'Q3' });
    expect(run.state.asks.takeResult('q1')).toBeUndefined();
    expect(run.state.outbox.map((notice) => notice.kind)).toEqual(['opened', 'closed']);
    expect(run.state.snapshot()).toMatchObject({ status: 'running', pending: null, waited_ms: 1_500 });
    expectGoodEvents(run.events);
  });

  test('of a choice brings label and option id', () => {
    const run = new TestRun();
    run.ask(askOfChoices(['SMB', 'Enterprise']));
    takeAnswer(run.state, { input: pick('q1_o2') });
    expect(run.state.asks.takeResult('q1')).toStrictEqual({ answer: 'Enterprise', option_id: 'q1_o2' });
    expect(run.dataOf('ask.answered')).toStrictEqual([
      { ask_id: 'q1', answer: 'Enterprise', option_id: 'q1_o2', principal: null, channel: 'signal', by: 'human' },
    ]);
  });

  test.each([
    ['a free-form answer', free('Q3'), 'ask.answered'],
    ['a decline', { kind: 'decline' }, 'ask.declined'],
  ] as const)('%s keeps who gave it and the files it came with, by name and size', (_name, input, type) => {
    const run = new TestRun();
    run.ask();
    const attachments = [
      { kind: 'file', filename: 'rates.pdf', media_type: 'application/pdf', size_bytes: 84_213 },
      { kind: 'image', filename: 'a 😀.png', media_type: null, size_bytes: null },
    ];
    takeAnswer(run.state, { input, channel: 'mcp', given_by: 'model', attachments });
    const told = { given_by: 'model', attachments, by: 'human', channel: 'mcp' };
    expect(run.dataOf(type)).toEqual([expect.objectContaining(told)]);
    expect(run.state.asks.list('run_root')[0]?.closing).toMatchObject(told);
    // The runs above are told all of it.
    const [, closed] = run.state.outbox;
    if (closed?.kind !== 'closed') throw new Error('no news for the runs above');
    const signal = {
      child_run_id: 'run_child',
      ask_id: 'q1',
      outcome: closed.closing.outcome,
      closing: closed.closing,
    };
    expect(childAskClosedSchema.safeParse(signal).success).toBe(true);
    expectGoodEvents(run.events);
    expectPlainJson(run.state.data);
  });

  test('with the most that may come along is still heard by the runs above', () => {
    const run = new TestRun();
    run.ask();
    const attachments = Array.from({ length: 20 }, () => ({
      kind: 'file',
      filename: '😀'.repeat(255),
      media_type: 'a'.repeat(127),
      size_bytes: Number.MAX_SAFE_INTEGER,
    }));
    // Six bytes of JSON a character: the longest that an answer gets.
    const input = free(`x${'\u0001'.repeat(3_998)}x`);
    expect(takeAnswer(run.state, { input, attachments, principal: '😀'.repeat(100) }).verdict).toBe('taken');
    const [, closed] = run.state.outbox;
    if (closed?.kind !== 'closed') throw new Error('no news for the runs above');
    const signal = { child_run_id: 'run_child', ask_id: 'q1', outcome: 'answered', closing: closed.closing };
    expect(childAskClosedSchema.safeParse(signal).success).toBe(true);
  });

  test('without either shows neither, as answers of an older release', () => {
    const run = new TestRun();
    run.ask();
    takeAnswer(run.state, { input: free('Q3'), attachments: [] });
    const [answered] = run.dataOf('ask.answered') as object[];
    expect(Object.keys(answered ?? {}).sort()).toEqual(['answer', 'ask_id', 'by', 'channel', 'principal']);
    expect(Object.keys(run.state.asks.list('run_root')[0]?.closing ?? {})).not.toContain('attachments');
  });

  test('under Other brings the write-in', () => {
    const run = new TestRun();
    run.ask(askOfChoices());
    takeAnswer(run.state, { input: { ...pick('other'), other_text: '  SMB first, actually ' } });
    expect(run.state.asks.takeResult('q1')).toStrictEqual({ answer: 'SMB first, actually', option_id: 'other' });
  });

  test('later ones, good or bad, are run_not_waiting and change nothing', () => {
    const run = new TestRun();
    run.ask();
    takeAnswer(run.state, { answer_id: 'a1', input: free('one') });
    expect(refused(run, { answer_id: 'a2', ask_id: 'q1', input: free('two') }).verdict).toBe('run_not_waiting');
    expect(refused(run, { answer_id: 'a3', input: free('') }).verdict).toBe('run_not_waiting');
    expect(run.state.asks.takeResult('q1')).toStrictEqual({ answer: 'one' });
    expect(run.dataOf('ask.answered')).toHaveLength(1);
    expect(run.dataOf('ask.rejected')).toMatchObject([{ ask_id: 'q1', code: 'run_not_waiting' }, { ask_id: 'q1' }]);
  });

  test('a late one never reaches the next ask', () => {
    const run = new TestRun();
    run.ask();
    takeAnswer(run.state, { answer_id: 'a1', ask_id: 'q1', input: free('one') });
    run.ask();
    expect(refused(run, { answer_id: 'a2', ask_id: 'q1', input: free('late') })).toMatchObject({
      verdict: 'ask_mismatch',
      ask_id: 'q1',
    });
    expect(run.state.asks.pending?.ask_id).toBe('q2');
    expect(run.state.data.status).toBe('awaiting_input');
    // Nor does an option id of the ask before.
    const choices = new TestRun();
    choices.ask(askOfChoices());
    takeAnswer(choices.state, { input: pick('q1_o1') });
    choices.ask(askOfChoices());
    expect(refused(choices, { input: pick('q1_o1') }).verdict).toBe('invalid_input');
  });
});

describe('a decline', () => {
  test.each([
    [undefined, null],
    ['', null],
    [' \u200b\u3000', null],
    ['  not mine\n', 'not mine'],
  ])('with the reason %j tells the agent %j', (reason, message) => {
    for (const args of [askOfChoices(), { kind: 'free_form', question: 'Q' }]) {
      const run = new TestRun();
      run.ask(args);
      const input = reason === undefined ? { kind: 'decline' } : { kind: 'decline', reason };
      expect(takeAnswer(run.state, { answer_id: 'a', input, principal: 'ops' }).verdict).toBe('taken');
      const skipped = { skipped: true, reason: 'human_declined' };
      expect(run.state.asks.takeResult('q1')).toStrictEqual(message === null ? skipped : { ...skipped, message });
      expect(run.dataOf('ask.declined')).toStrictEqual([
        { ask_id: 'q1', message, principal: 'ops', channel: 'signal', by: 'human' },
      ]);
      expect(run.dataOf('ask.answered')).toEqual([]);
      expect(run.state.pageOfAsks('all', 0).asks).toMatchObject([{ state: 'declined' }]);
      expectGoodEvents(run.events);
    }
  });
});

describe('answers sent when nothing is asked', () => {
  test('before the first ask: told to the sender, never kept for a question nobody has seen', () => {
    const run = new TestRun();
    expect(refused(run, { answer_id: 'early', input: free('early') })).toMatchObject({
      verdict: 'run_not_waiting',
      ask_id: null,
    });
    expect(run.types()).toEqual([]);
    run.ask();
    expect(run.state.asks.pending?.ask_id).toBe('q1');
    // The same answer id is the same answer, still.
    expect(refused(run, { answer_id: 'early', input: free('early') }).verdict).toBe('run_not_waiting');
    expect(takeAnswer(run.state, { answer_id: 'now', input: free('now') }).verdict).toBe('taken');
    expect(run.state.asks.takeResult('q1')).toStrictEqual({ answer: 'now' });
  });

  test('one bound to no ask reaches none, ever', () => {
    const run = new TestRun();
    run.ask();
    expect(refused(run, { answer_id: 'a', ask_id: NO_ASK, input: free('x') })).toMatchObject({
      verdict: 'run_not_waiting',
      ask_id: null,
    });
    expect(run.dataOf('ask.rejected')).toEqual([]);
  });

  test('one bound to no ask and sent by hand does not stand in for the next one', () => {
    const run = new TestRun();
    run.ask();
    refused(run, { ask_id: NO_ASK, input: free('x') });
    refused(run, { ask_id: NO_ASK, input: free('x') });
    expect(takeAnswer(run.state, { input: free('good') }).verdict).toBe('taken');
    expect(run.state.asks.takeResult('q1')).toStrictEqual({ answer: 'good' });
  });

  test('after the end of the run', () => {
    const run = new TestRun();
    run.ask();
    run.state.finish({ status: 'cancelled' });
    expect(refused(run, { input: free('x') })).toMatchObject({ verdict: 'run_not_waiting', ask_id: 'q1' });
  });
});

describe('a repeated signal', () => {
  test('is one answer: the same outcome, no event, no change', () => {
    const run = new TestRun();
    run.ask();
    const signal = { answer_id: 'a1', ask_id: 'q1', input: free('one') };
    const outcome = takeAnswer(run.state, signal);
    const before = structuredClone(run.state.data);
    for (let i = 0; i < 3; i += 1) expect(takeAnswer(run.state, signal)).toStrictEqual(outcome);
    expect(run.state.data).toStrictEqual(before);
  });

  test('whose body has changed gets the first outcome too', () => {
    const run = new TestRun();
    run.ask();
    expect(takeAnswer(run.state, { answer_id: 'a1', input: free('') }).verdict).toBe('invalid_input');
    expect(takeAnswer(run.state, { answer_id: 'a1', input: free('good') }).verdict).toBe('invalid_input');
    expect(run.state.asks.pending?.ask_id).toBe('q1');
    expect(run.dataOf('ask.rejected')).toHaveLength(1);
  });

  test('is known after continue-as-new', () => {
    const run = new TestRun();
    run.ask();
    const outcome = takeAnswer(run.state, { answer_id: 'a1', input: free('one'), digest: 'd' });
    run.continueAsNew();
    run.ask();
    expect(takeAnswer(run.state, { answer_id: 'a1', input: free('one'), digest: 'd' })).toStrictEqual(outcome);
    expect(run.state.asks.pending?.ask_id).toBe('q2');
  });

  test('without a name is two answers', () => {
    const run = new TestRun();
    run.ask();
    expect(takeAnswer(run.state, { input: free('one') }).verdict).toBe('taken');
    expect(takeAnswer(run.state, { input: free('one') }).verdict).toBe('run_not_waiting');
    run.ask();
    expect(takeAnswer(run.state, { input: free('one') }).verdict).toBe('taken');
  });
});

describe('what comes in', () => {
  test('a bare body, as sent by hand, is an answer', () => {
    const run = new TestRun();
    run.ask();
    expect(takeAnswer(run.state, free('by hand')).verdict).toBe('taken');
    expect(run.dataOf('ask.answered')).toMatchObject([{ answer: 'by hand', principal: null, channel: 'signal' }]);
    const bad = new TestRun();
    bad.ask();
    expect(refused(bad, { ...free('x'), zzz: 1 }).verdict).toBe('invalid_input');
  });

  test('a malformed signal is told by its own name', () => {
    const run = new TestRun();
    run.ask();
    const outcome = refused(run, { answer_id: 'mine', input: free('x'), channel: 'pigeon' });
    expect(outcome).toMatchObject({ answer_id: 'mine', verdict: 'invalid_input', issues: [{ path: 'channel' }] });
    expect(run.state.ledger.find('mine')).toStrictEqual(outcome);
  });

  test.each([
    [{ input: free('x'), zzz: 1 }],
    [{ input: free('x'), answer_id: 1 }],
    [{ input: free('x'), answer_id: '' }],
    [{ input: free('x'), ask_id: 1 }],
    [{ input: free('x'), ask_id: null }],
    [{ input: free('x'), principal: {} }],
    [{ input: free('x'), by: 'policy' }],
    [{ input: free('x'), given_by: 'policy' }],
    [{ input: free('x'), given_by: null }],
    [{ input: free('x'), attachments: null }],
    [{ input: free('x'), attachments: {} }],
    [{ input: free('x'), attachments: [file, { ...file, url: 'https://files.test/1' }] }],
    [{ input: free('x'), attachments: [{ ...file, filename: ' ' }] }],
    [{ input: free('x'), attachments: [{ ...file, filename: 'x'.repeat(256) }] }],
    [{ input: free('x'), attachments: [{ ...file, size_bytes: -1 }] }],
    [{ input: free('x'), attachments: [{ ...file, size_bytes: '82 KB' }] }],
    [{ input: free('x'), attachments: Array.from({ length: 21 }, () => file) }],
    [
      {
        input: free('x'),
        attachments: Array.from({ length: 20 }, () => ({ ...file, filename: '\u0001'.repeat(255) })),
      },
    ],
    [{ input: JSON.stringify(free('x')) }],
    [{ input: [free('x')] }],
    [{ input: { input: free('x') } }],
    [{}],
    [[free('x')]],
    ['x'],
    [null],
    [undefined],
  ])('%j is refused and the run stays paused', (payload) => {
    const run = new TestRun();
    run.ask();
    expect(refused(run, payload).verdict).toBe('invalid_input');
    expect(run.state.data.status).toBe('awaiting_input');
    expect(run.dataOf('ask.rejected')).toMatchObject([{ ask_id: 'q1', code: 'invalid_input' }]);
    expect(takeAnswer(run.state, { input: free('good') }).verdict).toBe('taken');
  });

  test('any JSON at all never throws, and never opens, moves or closes anything unless it answers', () => {
    const name = fc.constantFrom('answer_id', 'ask_id', 'input', 'principal', 'channel', 'digest', 'kind', '__proto__');
    const near = fc.array(fc.tuple(name, fc.oneof(fc.jsonValue(), nastyText, fc.constantFrom('q1', 'none', 'http'))));
    const shaped = near.map((fields): unknown =>
      JSON.parse(`{${fields.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`),
    );
    const anything = fc.oneof(
      shaped,
      fc.json().map((text): unknown => JSON.parse(text)),
    );
    fc.assert(
      fc.property(fc.boolean(), anything, (waiting, payload) => {
        const run = new TestRun();
        if (waiting) run.ask(askOfChoices());
        const before = untouched(run);
        const outcome = takeAnswer(run.state, payload);
        if (outcome.verdict === 'taken') expect(run.state.asks.pending).toBeNull();
        else expect(untouched(run)).toStrictEqual(before);
        expectGoodEvents(run.events);
        expectPlainJson(run.state.data);
      }),
      { numRuns: 1_500 },
    );
  });

  test('input nested very deep is refused like any other', () => {
    const run = new TestRun();
    run.ask();
    const deep: unknown = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    for (const input of [deep, { kind: 'free_form', text: deep }, { kind: 'decline', zzz: deep }]) {
      expect(takeAnswer(run.state, { input }).verdict).toBe('invalid_input');
    }
    expect(run.state.asks.pending?.ask_id).toBe('q1');
  });

  test('megabytes of it leave little behind', () => {
    const run = new TestRun();
    run.ask();
    const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`${i}${'x'.repeat(50)}`, 1]));
    takeAnswer(run.state, { answer_id: 'a', input: { ...free('x'), ...fields } });
    takeAnswer(run.state, { answer_id: 'b', ...fields });
    takeAnswer(run.state, { answer_id: 'c', input: free('x'.repeat(1_500_000)) });
    expect(JSON.stringify(run.state.data.outcomes).length).toBeLessThan(4_000);
    expect(JSON.stringify(run.events).length).toBeLessThan(8_000);
  });
});

describe('many answers at once', () => {
  test('of sixty, half of them bad, in any order, exactly one is taken', () => {
    const order = fc.shuffledSubarray([...Array(60).keys()], { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(order, (shuffled) => {
        const run = new TestRun();
        run.ask(askOfChoices());
        const good = (i: number) => i % 2 === 0;
        const outcomes = shuffled.map((i) => {
          const input = good(i) ? { ...pick('other'), other_text: `answer ${i}` } : pick(`q2_o${i}`);
          return { i, outcome: takeAnswer(run.state, { answer_id: `a${i}`, ask_id: 'q1', input }) };
        });
        const taken = outcomes.filter(({ outcome }) => outcome.verdict === 'taken');
        expect(taken).toHaveLength(1);
        const winner = shuffled.find(good);
        expect(taken[0]?.i).toBe(winner);
        expect(run.state.asks.takeResult('q1')).toStrictEqual({ answer: `answer ${winner}`, option_id: 'other' });
        expect(run.dataOf('ask.answered')).toHaveLength(1);
        expect(run.dataOf('ask.rejected')).toHaveLength(59);
        for (const { i, outcome } of outcomes) expect(run.state.ledger.find(`a${i}`)).toStrictEqual(outcome);
      }),
      { numRuns: 40 },
    );
  });

  test('whatever is sent, in whatever order, an ask is closed at most once and only by what answers it', () => {
    const question = new TestRun().ask(askOfChoices());
    fc.assert(
      fc.property(fc.array(anyBody(question), { minLength: 1, maxLength: 12 }), (bodies) => {
        const run = new TestRun();
        run.ask(askOfChoices());
        const verdicts = bodies.map((input, i) => takeAnswer(run.state, { answer_id: `a${i}`, input }).verdict);
        const first = verdicts.indexOf('taken');
        expect(verdicts.slice(0, Math.max(0, first)).every((verdict) => verdict === 'invalid_input')).toBe(true);
        if (first >= 0) expect(new Set(verdicts.slice(first + 1)).size).toBeLessThanOrEqual(1);
        expect(run.dataOf('ask.answered').length + run.dataOf('ask.declined').length).toBe(first >= 0 ? 1 : 0);
        expectGoodEvents(run.events);
      }),
      { numRuns: 400 },
    );
  });

  test('the ledger keeps the last 1,000 named ones; nameless ones do not push them out', () => {
    const run = new TestRun();
    run.ask();
    for (let i = 0; i < 1_100; i += 1) takeAnswer(run.state, { answer_id: `a${i}`, input: free('') });
    for (let i = 0; i < 1_100; i += 1) takeAnswer(run.state, { input: free('') });
    expect(run.state.data.outcomes).toHaveLength(1_000);
    expect(run.state.ledger.find('a99')).toBeNull();
    expect(run.state.ledger.find('a100')).not.toBeNull();
    expect(run.state.ledger.find('a1099')).not.toBeNull();
  });
});
