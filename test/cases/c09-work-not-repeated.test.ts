/** C09 of CASES.md: work before the ask is repeated on resume. */
import { readFileSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import { expectStillWaiting } from '../support/checks';
import type { ApiCaller } from '../support/http';
import { ProcessStack, type Program } from '../support/processes';
import { delegate, effect, freeForm, freeText, script } from '../support/scripts';
import { historyTypes } from '../support/stack';

const SCRIPT = script([effect('bump'), freeForm(), effect('bump2')]);

describe('C09 what was done before a question is not done again', () => {
  let stack: ProcessStack;
  let api: ApiCaller;
  let worker: Program;
  let temporal: Client;
  beforeAll(async () => {
    stack = new ProcessStack();
    await stack.startTemporal();
    const [started, { api: caller }] = await Promise.all([stack.startWorker(), stack.startApi()]);
    worker = started;
    api = caller.bounded();
    temporal = await stack.client();
  });
  afterAll(async () => {
    await temporal?.connection.close();
    await stack.stop();
  });

  const replaceWorker = async (): Promise<void> => {
    await worker.kill();
    worker = await stack.startWorker();
  };

  const effectsOf = (runId: string): string[] =>
    readFileSync(stack.effectsFile, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith(`${runId} `));

  /** How often each type of activity was begun, whatever became of it. */
  const activitiesOf = async (runId: string): Promise<Record<string, number>> => {
    const { events } = await temporal.workflow.getHandle(runId).fetchHistory();
    const counts: Record<string, number> = {};
    for (const event of events ?? []) {
      const name = event.activityTaskScheduledEventAttributes?.activityType?.name;
      if (name) counts[name] = (counts[name] ?? 0) + 1;
      // A retry of an activity is no event of its own: it shows as a later attempt of the same one.
      const attempt = event.activityTaskStartedEventAttributes?.attempt ?? 1;
      expect(attempt).toBe(1);
    }
    return counts;
  };

  const times = async (runId: string, type: string) =>
    (await api.events(runId)).filter((event) => event.type === type).length;

  const answer = async (runId: string): Promise<void> => {
    // Queued (202) is as good: how often things are done is what counts here.
    expect([200, 202]).toContain((await api.resume(runId, freeText('go on'))).status);
  };

  test('a worker is killed while the run waits: model call, effects, question and events stay single', async () => {
    const { run_id } = await api.start(SCRIPT);
    const before = await api.untilWaiting(run_id);
    const earlier = await api.events(run_id);
    // The turn of `bump` and the one that asks.
    expect(await activitiesOf(run_id)).toEqual({ modelTurn: 2, recordEffect: 1 });

    await replaceWorker();
    await expectStillWaiting(api, before);
    expect(await api.events(run_id)).toEqual(earlier);
    expect(await activitiesOf(run_id)).toEqual({ modelTurn: 2, recordEffect: 1 });
    expect(effectsOf(run_id)).toEqual([`${run_id} bump`]);

    await answer(run_id);
    expect((await api.untilEnded(run_id)).status).toBe('completed');
    // And the turn of `bump2`, and the last word.
    expect(await activitiesOf(run_id)).toEqual({ modelTurn: 4, recordEffect: 2 });
    expect(effectsOf(run_id)).toEqual([`${run_id} bump`, `${run_id} bump2`]);
    for (const type of ['ask.opened', 'step.paused', 'ask.answered']) expect(await times(run_id, type)).toBe(1);
    expect((await api.events(run_id)).slice(0, earlier.length)).toEqual(earlier);
  });

  test("a worker is killed while a sub-agent waits: one escalation, and neither run's work is repeated", async () => {
    const parent = await api.start(script([effect('before'), delegate(SCRIPT), effect('after')]));
    const asking = await api.until(parent.run_id, (run) => run.children_awaiting.length === 1);
    const child = asking.children_awaiting[0]?.run_id ?? '';
    const before = await api.read(child);

    await replaceWorker();
    await expectStillWaiting(api, before);
    expect((await api.read(parent.run_id)).children_awaiting).toEqual([{ run_id: child, ask_id: 'q1' }]);
    await answer(child);
    expect((await api.untilEnded(parent.run_id)).status).toBe('completed');

    expect(await times(parent.run_id, 'child_needs_human')).toBe(1);
    expect(await times(parent.run_id, 'child.started')).toBe(1);
    expect(await times(child, 'step.paused')).toBe(1);
    expect(effectsOf(child)).toEqual([`${child} bump`, `${child} bump2`]);
    expect(effectsOf(parent.run_id)).toEqual([`${parent.run_id} before`, `${parent.run_id} after`]);
    expect(await activitiesOf(child)).toEqual({ modelTurn: 4, recordEffect: 2 });
    expect(await activitiesOf(parent.run_id)).toEqual({ modelTurn: 4, recordEffect: 2 });
    expect((await historyTypes(temporal, parent.run_id)).filter((type) => type.startsWith('StartChild'))).toHaveLength(
      1,
    );
  });

  test('a worker is killed three times in one wait: still once', async () => {
    const { run_id } = await api.start(SCRIPT);
    const before = await api.untilWaiting(run_id);
    for (let round = 0; round < 3; round += 1) await replaceWorker();
    await expectStillWaiting(api, before);
    await answer(run_id);
    expect((await api.untilEnded(run_id)).status).toBe('completed');
    expect(effectsOf(run_id)).toEqual([`${run_id} bump`, `${run_id} bump2`]);
    expect(await activitiesOf(run_id)).toEqual({ modelTurn: 4, recordEffect: 2 });
    expect(await times(run_id, 'step.paused')).toBe(1);
  });
});
