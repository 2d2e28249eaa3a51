/** A worker that dies while it works: in a model turn, around an effect, in a sleep, between a sub-agent's start and its ask. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { untilEvent, untilServed } from '../support/conversations';
import { eventually, type ApiCaller } from '../support/http';
import { ProcessStack, type Program } from '../support/processes';
import { collect, delegate, effect, freeForm, freeText, script, sleep } from '../support/scripts';

const FAULTS = path.resolve(__dirname, '../support/faults.js');

describe('a worker that is killed while it works', () => {
  const stack = new ProcessStack();
  let api: ApiCaller;
  let worker: Program;
  let faultCount = 0;

  beforeAll(async () => {
    await stack.startTemporal();
    worker = await stack.startWorker();
    ({ api } = await stack.startApi());
  });
  afterAll(() => stack.stop());

  async function restartWorker(): Promise<void> {
    await worker.kill();
    worker = await stack.startWorker();
  }

  /** Puts a worker in place that will have the fault once; resolves to a check whether it has had it. */
  async function workerWithFault(fault: string): Promise<() => boolean> {
    faultCount += 1;
    const mark = path.join(stack.dataDir, `fault-${faultCount}`);
    await worker.kill();
    worker = await stack.startWorker({
      NODE_OPTIONS: `--require "${FAULTS}"`,
      HOLDPOINT_TEST_FAULT: fault,
      HOLDPOINT_TEST_FAULT_MARK: mark,
    });
    return () => existsSync(mark);
  }

  const effectsOf = (runId: string) => stack.effects().filter((line) => line.startsWith(`${runId} `));

  /** Every step and tool call of the run is there once, and its event ids have no gap. */
  async function expectNothingTwice(runId: string): Promise<void> {
    const events = await api.events(runId);
    expect(events.map((event) => event.id)).toEqual(events.map((_event, k) => k + 1));
    const started = events.filter((event) => event.type === 'step.started').map((event) => event.data.step_id);
    expect(new Set(started).size).toBe(started.length);
    const { body } = await api.call<{ messages: { role: string; tool_call_id?: string }[] }>(
      'GET',
      `/agents/${runId}/messages`,
    );
    const results = body.messages.flatMap((message) => message.tool_call_id ?? []);
    expect(new Set(results).size).toBe(results.length);
  }

  test.each(['dies-before-writing-an-effect', 'dies-after-writing-an-effect'])(
    'when it %s, the effect is recorded once',
    async (fault) => {
      const hasHappened = await workerWithFault(fault);
      const { run_id } = await api.start(script([effect('paid'), freeForm(), effect('told')]));
      expect(await eventually(hasHappened)).toBe(true);
      await worker.exited;
      worker = await stack.startWorker();

      await api.untilWaiting(run_id);
      expect(effectsOf(run_id)).toEqual([`${run_id} paid`]);
      expect((await api.resume(run_id, freeText('go on'))).status).toBe(200);
      expect((await api.untilEnded(run_id)).status).toBe('completed');
      expect(effectsOf(run_id)).toEqual([`${run_id} paid`, `${run_id} told`]);
      await expectNothingTwice(run_id);
    },
  );

  test('when it is killed in a model turn, another worker takes the turn and the run asks once', async () => {
    const hasHappened = await workerWithFault('hangs-in-a-model-turn');
    const { run_id } = await api.start(script([freeForm(), effect('after')]));
    expect(await eventually(hasHappened)).toBe(true);
    await restartWorker();

    const { pending_input_context } = await api.untilWaiting(run_id);
    expect(pending_input_context?.ask_id).toBe('q1');
    expect((await api.resume(run_id, freeText('go on'))).status).toBe(200);
    expect((await api.untilEnded(run_id)).status).toBe('completed');
    expect(effectsOf(run_id)).toEqual([`${run_id} after`]);
    await expectNothingTwice(run_id);
  });

  test('when it is killed in a sleep, the sleep ends all the same, also one that was due while no worker was up', async () => {
    const { run_id: due } = await api.start(script([effect('before'), sleep(500), effect('after')]));
    const { run_id: long } = await api.start(script([effect('before'), sleep(5_000), effect('after')]));
    for (const runId of [due, long]) {
      expect(await eventually(() => effectsOf(runId).length === 1)).toBe(true);
    }
    await worker.kill();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    worker = await stack.startWorker();
    for (const runId of [due, long]) {
      expect((await api.untilEnded(runId)).status).toBe('completed');
      expect(effectsOf(runId)).toEqual([`${runId} before`, `${runId} after`]);
      await expectNothingTwice(runId);
    }
  });

  test('when it is killed between the start of a background sub-agent and its ask, the ask comes, once, on every stream', async () => {
    const child = script([effect('before'), sleep(4_000), freeForm('from below'), effect('after')], 'child done');
    const { run_id } = await api.start(script([delegate(child, { background: true }), collect(), effect('end')]));
    const childId = (await untilEvent(api, run_id, 'child.started')).data.child_run_id as string;
    expect((await api.read(childId)).status).toBe('running');
    await restartWorker();

    await api.untilWaiting(childId);
    await untilEvent(api, run_id, 'child_needs_human');
    expect(await api.pendingAsks(run_id)).toEqual([{ run_id: childId, ask_id: 'q1' }]);
    expect((await api.resume(childId, freeText('go on'))).status).toBe(200);
    expect((await api.untilEnded(run_id)).status).toBe('completed');
    const types = (await api.events(run_id)).map((event) => event.type);
    for (const type of ['child.started', 'child_needs_human', 'child_ask_closed', 'child.completed']) {
      expect(types.filter((each) => each === type)).toHaveLength(1);
    }
    expect(effectsOf(childId)).toEqual([`${childId} before`, `${childId} after`]);
    expect(effectsOf(run_id)).toEqual([`${run_id} end`]);
    for (const runId of [run_id, childId]) await expectNothingTwice(runId);
  });

  test('whenever it is killed while a conversation starts, each of its runs comes up once and asks once', async () => {
    const started: string[] = [];
    for (const offset of [0, 25, 50, 75, 100, 150, 200, 300]) {
      const grandchild = script([effect('before'), freeForm(), effect('after')]);
      const child = script([delegate(grandchild, { background: true }), collect()]);
      const { run_id } = await api.start(script([delegate(child, { background: true }), collect(), effect('end')]));
      started.push(run_id);
      await new Promise((resolve) => setTimeout(resolve, offset));
      await restartWorker();
    }
    for (const runId of started) {
      await untilServed(api, runId);
      expect(await eventually(async () => (await api.pendingAsks(runId)).length > 0)).toBe(true);
      const [ask, ...others] = await api.pendingAsks(runId);
      expect(others).toEqual([]);
      const asker = ask?.run_id ?? '';
      expect((await api.resume(asker, freeText('go on'))).status).toBe(200);
      expect((await api.untilEnded(runId)).status).toBe('completed');
      const { body } = await api.call<{ asks: unknown[] }>('GET', `/agents/${runId}/asks?state=all`);
      expect(body.asks).toHaveLength(1);
      expect(effectsOf(asker)).toEqual([`${asker} before`, `${asker} after`]);
      expect(effectsOf(runId)).toEqual([`${runId} end`]);
      await expectNothingTwice(runId);
    }
  });
});
