/** CONTRACT §2: when an ask pauses the run, and what the agent gets when it does not. Cases C03, C17, C22, C23. */
import { takeAnswer } from '../../../workflows/state/judge';
import { askOfChoices, expectGoodEvents, TestRun } from '../../support/unit/runs';

const good = { kind: 'free_form', question: 'Which quarter?' };

describe('on_question', () => {
  test.each([
    ['none' as const, { error: 'no_human_in_loop' }],
    ['auto' as const, { skipped: true, reason: 'on_question_auto' }],
  ])('%s: no pause, whatever is asked', (on_question, result) => {
    const run = new TestRun({ on_question });
    const before = structuredClone(run.state.data);
    for (const args of [good, askOfChoices(), askOfChoices(['Other']), { ...good, on_question: 'pause' }, null, {}]) {
      expect(run.state.openAsk(args)).toStrictEqual({ refused: result });
    }
    expect(run.state.data).toStrictEqual(before);
    expect(run.state.outbox).toEqual([]);
    expect(run.state.revision).toBe(0);
  });

  test('pause: the run waits, and says so everywhere at once', () => {
    const run = new TestRun({ assignee: 'ann' });
    const question = run.ask(askOfChoices());
    expect(question).toMatchObject({ ask_id: 'q1', asked_at: run.now(), assignee: 'ann', expires_at: null });
    expect(run.state.snapshot()).toMatchObject({ status: 'awaiting_input', pending: question });
    expect(run.types()).toEqual(['step.started', 'ask.opened', 'step.paused']);
    expect(run.dataOf('ask.opened')).toStrictEqual([{ ask_id: 'q1', question }]);
    expect(run.dataOf('step.paused')).toStrictEqual([{ step_id: 'q1', name: 'ask_a_human', status: 'waiting' }]);
    expect(run.state.steps.list()).toMatchObject([{ step_id: 'q1', kind: 'ask', status: 'waiting', ended_at: null }]);
    expect(run.state.outbox).toStrictEqual([{ kind: 'opened', question }]);
    expect(run.state.pageOfAsks('pending', 0).asks).toStrictEqual([
      { run_id: 'run_root', ask_id: 'q1', state: 'pending', question, closing: null },
    ]);
    expectGoodEvents(run.events);
  });
});

describe('a second ask', () => {
  test('while one is pending is ask_in_flight, good or not, and leaves the first alone', () => {
    const run = new TestRun();
    const question = run.ask(askOfChoices());
    const before = structuredClone(run.state.data);
    for (const args of [good, askOfChoices(), null]) {
      expect(run.state.openAsk(args)).toStrictEqual({ refused: { error: 'ask_in_flight' } });
    }
    expect(run.state.data).toStrictEqual(before);
    expect(run.state.asks.pending).toStrictEqual(question);
  });

  test('after the first is answered is q2, with option ids of its own', () => {
    const run = new TestRun();
    run.ask(askOfChoices());
    takeAnswer(run.state, { input: { kind: 'multiple_choice', option_id: 'q1_o1' } });
    expect(run.ask(askOfChoices()).options?.map((option) => option.id)).toEqual(['q2_o1', 'q2_o2', 'other']);
  });

  test('after a refused one has the number that the refused one did not use', () => {
    const run = new TestRun();
    run.state.openAsk(askOfChoices(['A']));
    expect(run.ask().ask_id).toBe('q1');
  });
});

test.each([
  ['one label', askOfChoices(['A'])],
  ['no labels', askOfChoices([])],
  ['only Other', askOfChoices(['Other', 'other'])],
  ['seven labels', askOfChoices(['A', 'B', 'C', 'D', 'E', 'F', 'G'])],
  ['a 3 MB question', { kind: 'free_form', question: 'x'.repeat(3_000_000) }],
  ['six labels of 400 KB', askOfChoices(['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => letter.repeat(400_000)))],
  ['a blank question', { kind: 'free_form', question: '\u200b' }],
  ['nothing', undefined],
])('a malformed ask (%s) is a result with a message, and leaves nothing behind', (_name, args) => {
  const run = new TestRun();
  const before = structuredClone(run.state.data);
  const opened = run.state.openAsk(args) as { refused: { message: string } };
  expect(opened).toStrictEqual({ refused: { error: 'invalid_question', message: expect.stringMatching(/./) } });
  expect(opened.refused.message.length).toBeLessThan(400);
  expect(run.state.data).toStrictEqual(before);
  expect(run.state.outbox).toEqual([]);
});

test('ask ids are never used twice, through continue-as-new and long after old asks are forgotten', () => {
  const run = new TestRun();
  const seen = new Set<string>();
  for (let i = 1; i <= 2_500; i += 1) {
    const { ask_id } = run.ask();
    expect(ask_id).toBe(`q${i}`);
    seen.add(ask_id);
    run.tick(10);
    takeAnswer(run.state, { input: { kind: 'free_form', text: `answer ${i}` } });
    expect(run.state.asks.takeResult(ask_id)).toStrictEqual({ answer: `answer ${i}` });
    if (i % 700 === 0) run.continueAsNew();
  }
  expect(seen.size).toBe(2_500);
  expect(run.state.asks.newestId).toBe('q2500');
  expect(run.state.data.clock.waited_ms).toBe(25_000);
  expect(run.state.data.asks.closed.length).toBeLessThan(2_000);
  expect(run.state.data.asks.results).toEqual({});
});

test('a pending ask is the same after continue-as-new, and answerable', () => {
  const run = new TestRun();
  const question = run.ask(askOfChoices());
  const lastId = run.state.log.lastId;
  run.continueAsNew();
  expect(run.state.snapshot()).toMatchObject({ status: 'awaiting_input', pending: question, last_event_id: lastId });
  run.tick(2_000);
  expect(takeAnswer(run.state, { ask_id: 'q1', input: { kind: 'multiple_choice', option_id: 'q1_o1' } }).verdict).toBe('taken'); // prettier-ignore
  expect(run.state.asks.takeResult('q1')).toStrictEqual({ answer: 'A', option_id: 'q1_o1' });
  expect(run.state.snapshot()).toMatchObject({ status: 'running', pending: null, waited_ms: 2_000 });
  expect(run.state.steps.find('q1')).toMatchObject({ status: 'completed' });
  expectGoodEvents(run.events);
});

test('a result that nobody has picked up is still there after continue-as-new', () => {
  const run = new TestRun();
  run.ask();
  takeAnswer(run.state, { input: { kind: 'free_form', text: 'kept' } });
  run.continueAsNew();
  expect(run.state.asks.takeResult('q1')).toStrictEqual({ answer: 'kept' });
});
