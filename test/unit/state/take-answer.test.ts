/** CONTRACT §5: the workflow's own verdict on answer signals; the first good one wins. Cases C05, C06. */
import { childAskClosedSchema, NO_ASK } from '../../../workflows/contract';
import { takeAnswer } from '../../../workflows/state/judge';
import { freeText as free, pick } from '../../support/scripts';
import { refused } from '../../support/unit/answers';
import { askOfChoices, expectGoodEvents, expectPlainJson, TestRun } from '../../support/unit/runs';

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
