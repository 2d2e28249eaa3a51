/** CONTRACT §5: of many answers, and of one sent many times, one counts. Cases C05, C23. */
import fc from 'fast-check';
import { takeAnswer } from '../../../workflows/state/judge';
import { freeText as free, pick } from '../../support/scripts';
import { anyBody } from '../../support/unit/arbitraries';
import { askOfChoices, expectGoodEvents, TestRun } from '../../support/unit/runs';

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
