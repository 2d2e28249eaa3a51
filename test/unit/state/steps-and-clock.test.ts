/** CONTRACT §7, steps in order; and CONTRACT §4, `waiting_ms`. */
import { LIMITS } from '../../../workflows/contract';
import { takeAnswer } from '../../../workflows/state/judge';
import { emptySteps, Steps } from '../../../workflows/state/steps';
import { WaitingClock, type WaitingClockData } from '../../../workflows/state/waiting-clock';
import { expectGoodEvents, expectPlainJson, TestRun } from '../../support/unit/runs';

const NOW = '2026-11-30T09:00:00.000Z';

describe('steps', () => {
  test("are numbered in the order in which they begin; an ask's step is named by its ask", () => {
    const run = new TestRun();
    const model = run.state.beginStep({ kind: 'model', name: 'model turn 1' });
    run.state.endStep(model, 'completed');
    run.ask();
    const tool = run.state.beginStep({ kind: 'tool', name: 'sleep' });
    expect(run.state.steps.list().map((step) => [step.step_id, step.status])).toEqual([
      ['s1', 'completed'],
      ['q1', 'waiting'],
      ['s3', 'running'],
    ]);
    takeAnswer(run.state, { input: { kind: 'free_form', text: 'x' } });
    run.state.endStep(tool, 'failed');
    expect(run.state.steps.open()).toEqual([]);
    expect(run.types()).toEqual([
      ...['step.started', 'step.completed', 'step.started', 'ask.opened', 'step.paused'],
      ...['step.started', 'ask.answered', 'step.completed', 'step.failed'],
    ]);
    expectGoodEvents(run.events);
  });

  test('one that is not over is never dropped, however many come after it', () => {
    const steps = new Steps(emptySteps());
    const open = steps.begin({ kind: 'delegation', name: 'delegate slow' }, NOW);
    for (let k = 0; k < LIMITS.keptSteps + 500; k += 1) {
      steps.begin({ kind: 'tool', name: '漢'.repeat(100) }, NOW).status = 'completed';
    }
    expect(steps.list()).toHaveLength(LIMITS.keptSteps);
    expect(steps.find(open.step_id)).toBe(open);
    const recent = steps.recent(10_000);
    expect(recent[0]).toBe(open);
    expect(recent.slice(1)).toEqual(steps.list().slice(1 - recent.length));
    expect(JSON.stringify(recent.slice(1)).length).toBeLessThan(10_000);
    expect(recent.length).toBeGreaterThan(10);
    expect(steps.recent(LIMITS.stepsBytes * 10)).toEqual(steps.list());
  });

  test('the timeline tells on which step a question from below shows, at any depth', () => {
    const run = new TestRun();
    run.startChild('run_a');
    run.startChild('run_b');
    const [first, second] = run.state.steps.list().map((step) => step.step_id);
    const asks = (child_run_id: string, ...between: string[]) => {
      const question = { ...new TestRun().ask(), asked_at: run.now() };
      const ancestors = [...between, 'run_root'];
      run.state.childNeedsHuman({ child_run_id, question, timestamp: question.asked_at, ancestors });
      run.tick(10);
    };
    asks('run_deep', 'run_between', 'run_b');
    asks('run_a');
    asks('run_stray', 'run_unknown');
    const { steps, now } = run.state.timeline(10);
    expect(steps).toEqual(run.state.steps.list());
    expect(now).toEqual({
      status: 'running',
      pending: null,
      children_awaiting: [
        { run_id: 'run_deep', ask_id: 'q1', step_id: second },
        { run_id: 'run_a', ask_id: 'q1', step_id: first },
        { run_id: 'run_stray', ask_id: 'q1' },
      ],
      more_children_awaiting: false,
    });
    expectPlainJson(now);
  });

  test('two asks have two step ids, one of them waiting at most', () => {
    const run = new TestRun();
    for (const expected of ['q1', 'q2']) {
      run.ask();
      expect(run.state.steps.open().map((step) => step.step_id)).toEqual([expected]);
      takeAnswer(run.state, { input: { kind: 'decline' } });
    }
  });

  test.each([
    [{ status: 'completed', result: { text: 'x' } } as const, 'run.completed'],
    [{ status: 'failed', error: { code: 'boom', message: 'no' } } as const, 'run.failed'],
    [{ status: 'cancelled' } as const, 'run.cancelled'],
  ])('none stays open when the run ends (%j), no ask pends, and the end is the last event', (end, type) => {
    const run = new TestRun();
    run.state.beginStep({ kind: 'tool', name: 'sleep' });
    run.ask();
    run.tick(400);
    run.state.finish(end);
    expect(run.state.steps.open()).toEqual([]);
    expect(run.dataOf('ask.withdrawn')).toStrictEqual([{ ask_id: 'q1' }]);
    expect(run.types().at(-1)).toBe(type);
    expect(run.state.outbox.map((notice) => notice.kind)).toEqual(['opened', 'closed']);
    expect(run.state.pageOfAsks('pending', 0).asks).toEqual([]);
    expect(run.state.pageOfAsks('all', 0).asks).toMatchObject([{ state: 'withdrawn', closing: { by: null } }]);
    expect(run.state.snapshot()).toMatchObject({
      status: end.status,
      pending: null,
      waited_ms: 400,
      ended_at: run.now(),
      result: 'result' in end ? end.result : null,
      error: 'error' in end ? end.error : null,
    });
    expectGoodEvents(run.events);
  });

  test('the last 2,000 are kept, numbers go on, and through continue-as-new the last 500', () => {
    const data = emptySteps();
    let steps = new Steps(data);
    for (let i = 0; i < 2_100; i += 1) steps.begin({ kind: 'tool', name: 'sleep' }, NOW);
    expect(steps.list()).toHaveLength(LIMITS.keptSteps);
    steps.trimForCarrying();
    steps = new Steps(JSON.parse(JSON.stringify(data)) as typeof data);
    expect(steps.list().length).toBeGreaterThan(300);
    expect(steps.list().at(-1)?.step_id).toBe('s2100');
    expect(steps.begin({ kind: 'tool', name: 'sleep' }, NOW).step_id).toBe('s2101');
    expect(steps.find('s2101')?.status).toBe('running');
    expect(steps.find('s1')).toBeUndefined();
  });
});

describe('the waiting clock', () => {
  const at = (ms: number) => new Date(Date.parse(NOW) + ms).toISOString();
  const clock = () => {
    const data: WaitingClockData = {
      created_at: NOW,
      updated_at: NOW,
      ended_at: null,
      waited_ms: 0,
      waiting_since: null,
    };
    return { data, clock: new WaitingClock(data) };
  };

  test('adds up pauses that are over, and nothing else', () => {
    const { data, clock: waiting } = clock();
    waiting.pause(at(1_000));
    expect(data.waited_ms).toBe(0);
    waiting.resume(at(4_000));
    waiting.resume(at(9_000));
    waiting.pause(at(10_000));
    waiting.resume(at(10_500));
    expect(data).toMatchObject({ waited_ms: 3_500, waiting_since: null, ended_at: null });
  });

  test('ends a pause with the run, and never counts backwards', () => {
    const { data, clock: waiting } = clock();
    waiting.pause(at(1_000));
    waiting.end(at(2_000));
    expect(data).toMatchObject({ waited_ms: 1_000, ended_at: at(2_000), updated_at: at(2_000) });
    const skewed = clock();
    skewed.clock.pause(at(1_000));
    skewed.clock.resume(at(0));
    expect(skewed.data.waited_ms).toBe(0);
  });

  test('counts on through continue-as-new', () => {
    const run = new TestRun();
    run.ask();
    run.tick(1_000);
    run.continueAsNew();
    run.tick(500);
    takeAnswer(run.state, { input: { kind: 'free_form', text: 'x' } });
    expect(run.state.snapshot()).toMatchObject({ waited_ms: 1_500, updated_at: run.now() });
  });
});
