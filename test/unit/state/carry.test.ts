/** DESIGN, "how do a run's parts survive": what continue-as-new carries fits a payload, whatever the run went through. */
import { jsonBytes, LIMITS, type Json, type Message } from '../../../workflows/contract';
import { takeAnswer } from '../../../workflows/state/judge';
import { expectGoodEvents, TestRun } from '../../support/unit/runs';

/** Temporal refuses a payload at 2 MiB; the rest is for the codec and what the workflow adds. */
const MAX_BYTES = 1_900_000;
const NAME = 'n'.repeat(64);
/** A character that takes as many bytes of JSON as one can. */
const FILLS: [string, string][] = [
  ['one byte a character', 'a'],
  ['three bytes a character', '漢'],
  ['four bytes a character', '😀'],
  ['six bytes a character', '\u0001'],
];

const largestInput: Json = { text: 'i'.repeat(LIMITS.bodyBytes - 100) };

const text = (fill: string, length: number, start: string) => start + fill.repeat(length - Array.from(start).length);

function maximalAsk(fill: string) {
  return {
    kind: 'multiple_choice',
    question: text(fill, LIMITS.question, 'Q'),
    context: text(fill, LIMITS.context, 'C'),
    options: ['A', 'B', 'C', 'D', 'E', 'F'].map((letter) => text(fill, LIMITS.label, letter)),
  };
}

function maximalTurn(fill: string): Message[] {
  const ids = Array.from({ length: 6 }, (_, i) => `call_${i}_${NAME}`);
  const width = jsonBytes(fill) - 2;
  const args: Json = { text: fill.repeat(Math.floor((LIMITS.toolArgsBytes - 100) / width)) };
  const result: Json = { text: fill.repeat(Math.floor((LIMITS.toolResultBytes - 100) / width)) };
  return [
    { role: 'assistant', text: null, tool_calls: ids.map((id) => ({ id, tool: 'record_effect', args })) },
    ...ids.map((id): Message => ({ role: 'tool', tool_call_id: id, tool: 'record_effect', result })),
  ];
}

/** Everything that the contract lets a run go through, at its largest, thousands of times. */
function worstRun(fill: string, input: Json = largestInput): TestRun {
  const run = new TestRun(
    { agent: text(fill, LIMITS.agentName, 'a'), assignee: text(fill, LIMITS.assignee, 'a') },
    NAME,
  );
  const { state } = run;
  state.emit('run.started', { agent: state.identity.agent });
  state.transcript.append({ role: 'user', content: input });
  const answer = text(fill, LIMITS.answerText, 'x');
  const principal = text(fill, 200, 'p').slice(0, 200);
  for (let i = 0; i < 1_100; i += 1) {
    const step = state.beginStep({ kind: 'tool', name: text(fill, 100, 't') });
    const { ask_id } = run.ask(maximalAsk(fill));
    const named = { answer_id: `${i}-${fill.repeat(90)}`, ask_id, principal, digest: 'd'.repeat(64) };
    for (const bad of ['one', 'two']) {
      takeAnswer(state, { ...named, answer_id: `${bad}${named.answer_id}`, input: { kind: 'nope', [answer]: 1 } });
    }
    const input = { kind: 'multiple_choice', option_id: 'other', other_text: answer };
    if (takeAnswer(state, { ...named, input }).verdict !== 'taken') throw new Error('not taken');
    state.asks.takeResult(ask_id);
    state.endStep(step, 'completed');
    run.tick(1_000);
  }
  const question = { ...run.ask(maximalAsk(fill)), ask_id: 'q1' };
  takeAnswer(state, { input: { kind: 'decline', reason: answer } });
  state.asks.takeResult(`q${state.data.asks.opened}`);
  for (let i = 0; i < 1_500; i += 1) {
    const run_id = `c${i}-${NAME}`.slice(0, 64);
    const child = run.startChild(run_id, state.identity.agent, `delegate ${state.identity.agent}`);
    const ancestors = [NAME];
    state.childNeedsHuman({ child_run_id: run_id, question, timestamp: question.asked_at, ancestors });
    const error = { code: 'failed', message: answer };
    if (i % 10 === 0) state.childEnded(child, { status: 'failed', result: null, error });
    else
      state.childEnded(child, {
        status: 'completed',
        result: { text: answer.repeat(i % 100 === 1 ? 20 : 1) },
        error: null,
      });
    child.collected = i % 5 !== 1;
  }
  for (let i = 0; i < 3; i += 1) for (const message of maximalTurn(fill)) state.transcript.append(message);
  return run;
}

describe.each(FILLS)('a run that went through the worst, with %s', (_name, fill) => {
  test('fits a payload together with its input, survives JSON, and goes on as before', () => {
    const run = worstRun(fill);
    const { state } = run;
    const lastId = state.log.lastId;
    const before = { snapshot: state.snapshot(), opened: state.data.asks.opened, task: state.transcript.messages[0] };
    const carried = run.continueAsNew();

    const payload = {
      agent: carried.identity.agent,
      input: largestInput,
      run: carried.identity,
      carried: { state: carried },
    };
    expect(jsonBytes(payload)).toBeLessThan(MAX_BYTES);

    expectGoodEvents(run.events);
    expect(run.events).toHaveLength(LIMITS.keptEvents);
    expect(run.state.log.lastId).toBe(lastId);
    expect(run.state.snapshot()).toStrictEqual(before.snapshot);
    expect(run.state.transcript.messages[0]).toStrictEqual(before.task);
    // Once more, and it has not grown.
    const size = jsonBytes(run.state.data);
    expect(jsonBytes(run.continueAsNew())).toBeLessThanOrEqual(size);
    expect(run.ask().ask_id).toBe(`q${before.opened + 1}`);
  });
});

test('the largest pending ask of its own fits too, and is shown whole', () => {
  const run = worstRun('\u0001');
  const question = run.ask(maximalAsk('\u0001'));
  const carried = run.continueAsNew();
  expect(jsonBytes({ input: largestInput, carried })).toBeLessThan(MAX_BYTES);
  expect(run.state.asks.pending).toStrictEqual(question);
  expect(run.state.steps.find(question.ask_id)?.status).toBe('waiting');
});

test('metadata as large as a body fits, though it is carried twice', () => {
  const run = worstRun('漢', null);
  run.state.identity.metadata = { text: 'm'.repeat(LIMITS.bodyBytes - 100) };
  const carried = run.continueAsNew();
  expect(jsonBytes({ input: null, run: carried.identity, carried })).toBeLessThan(MAX_BYTES);
});

test('a run of ordinary size is carried whole', () => {
  const run = new TestRun();
  run.state.transcript.append({ role: 'user', content: 'task' });
  for (let i = 0; i < 60; i += 1) {
    run.ask({ kind: 'free_form', question: `Question ${i}?`, context: 'because '.repeat(20) });
    takeAnswer(run.state, { answer_id: `a${i}`, input: { kind: 'free_form', text: `answer ${i}` } });
    run.state.asks.takeResult(`q${i + 1}`);
  }
  const child = run.startChild('c1');
  run.state.childEnded(child, { status: 'completed', result: { text: 'kept until it is collected' }, error: null });
  const before = structuredClone(run.state.data);
  expect(run.continueAsNew()).toStrictEqual(before);
});

test('results of sub-agents that nobody has collected are cut only when together they are too large', () => {
  const run = new TestRun();
  for (let i = 0; i < 4; i += 1) {
    const child = run.startChild(`c${i}`);
    const result = { text: (i === 0 ? 'short ' : 'x').repeat(i === 0 ? 2 : 700_000) };
    run.state.childEnded(child, { status: 'completed', result, error: null });
  }
  run.continueAsNew();
  expect(run.state.children.find('c0')?.result).toStrictEqual({ text: 'short short ' });
  for (const id of ['c1', 'c2', 'c3']) expect(jsonBytes(run.state.children.find(id))).toBeLessThan(40_000);
  expect(run.state.children.uncollected).toHaveLength(4);
});
