/** The live inbox, and the inbox while Temporal's visibility lags: over a second API that nothing is done through. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { agentRegistry, scriptedAgent } from '../../activities/agents';
import { buildApp } from '../../api/app';
import type { InboxPage } from '../../api/service/inbox';
import { CountingClient } from '../support/counting-client';
import { workflowTasksOf } from '../support/history-facts';
import { ApiCaller, eventually, OTHER_KEY, ownWorkspace, type TEST_KEYS } from '../support/http';
import { LateVisibility } from '../support/late-visibility';
import { delegate, freeForm, freeText, script, sleep } from '../support/scripts';
import { StreamReader } from '../support/sse';
import { TestStack } from '../support/stack';

const LONG_POLL = 'GetWorkflowExecutionHistory';
const [[mine], [rival]] = [ownWorkspace(), ownWorkspace()];
const keys = [
  mine,
  { ...mine, name: 'other', key: 'second-key-0000000' },
  { ...rival, name: 'rival', key: OTHER_KEY },
] as typeof TEST_KEYS;

interface InboxFrame {
  type: string;
  count: number;
  asks?: { run_id: string; ask_id: string }[];
  ask?: { run_id: string; ask_id: string; claim: { by: string } | null };
  run_id?: string;
  ask_id?: string;
}

/** Frames in short: `opened run/q1 3`. */
function told(reader: StreamReader): string[] {
  return reader.frames.map(({ event, data }) => {
    const frame = data as unknown as InboxFrame;
    const ask = frame.ask ?? frame;
    const what = frame.asks ? frame.asks.map(({ run_id }) => run_id).join(' ') : `${ask.run_id}/${ask.ask_id}`;
    const by = frame.ask?.claim ? ` by ${frame.ask.claim.by}` : '';
    return `${event?.replace(/^(ask|inbox)\./, '')} ${what}${by} ${frame.count}`;
  });
}

describe('the live inbox', () => {
  let stack: TestStack;
  let temporal: CountingClient;
  let late: LateVisibility;
  let watching: FastifyInstance;
  /** Through which everything is done, and through which it is only looked at. */
  let api: ApiCaller;
  let viewer: ApiCaller;
  beforeAll(async () => {
    stack = await TestStack.start({ app: { keys } });
    api = stack.api;
    temporal = await CountingClient.connect();
    late = new LateVisibility(temporal.client);
    const agents = agentRegistry([scriptedAgent]);
    watching = await buildApp({ client: late.client, agents, keys, taskQueue: stack.taskQueue, rateLimit: 100_000 });
    await watching.listen({ host: '127.0.0.1', port: 0 });
    viewer = new ApiCaller(`http://127.0.0.1:${(watching.server.address() as AddressInfo).port}`);
  });
  afterAll(async () => {
    await watching.close();
    await temporal.close();
    await stack.stop();
  });
  afterEach(() => late.thaw());

  const watch = (query = '', caller = viewer) => StreamReader.openPath(caller, `/inbox${query}`);
  const asked = async (input: unknown = script([freeForm()]), more = {}) => {
    const { run_id } = await api.start(input, more);
    await api.untilWaiting(run_id);
    return run_id;
  };
  const page = async () => (await viewer.call<InboxPage>('GET', '/inbox')).body;
  const listed = async () => (await page()).asks.map(({ run_id, ask_id }) => `${run_id}/${ask_id}`);
  const until = async (reader: StreamReader, frame: string) => {
    if (!(await eventually(() => told(reader).includes(frame))))
      throw new Error(`no "${frame}" in ${told(reader).join('; ')}`);
  };

  test('begins with a snapshot and tells what opens, is claimed, released, and closes, once and with the count', async () => {
    const first = await asked();
    const all = await watch();
    const ofSam = await watch('?assignee=sam');
    const rivals = await watch('', new ApiCaller(viewer.url, OTHER_KEY));
    await until(all, `snapshot ${first} 1`);
    await until(ofSam, 'snapshot  0');
    await until(rivals, 'snapshot  0');

    const second = await asked(script([freeForm()]), { assignee: 'sam' });
    await until(all, `opened ${second}/q1 2`);
    await until(ofSam, `opened ${second}/q1 1`);
    const { run_id: root } = await api.start(script([delegate(script([freeForm()]))]));
    const below =
      (await api.until(root, (run) => run.children_awaiting.length === 1)).children_awaiting[0]?.run_id ?? '';
    await until(all, `opened ${below}/q1 3`);
    // A busy worker may be late, which is a 202: what counts here is what the stream tells.
    const post = async (path: string, body: object) =>
      expect([200, 202]).toContain((await api.call('POST', `/agents/${path}`, body)).status);
    await post(`${below}/claim`, { ask_id: 'q1', for: '1h' });
    await until(all, `changed ${below}/q1 by tester 3`);
    await post(`${below}/release`, { ask_id: 'q1' });
    await until(all, `changed ${below}/q1 3`);
    // Over by its time: nothing happens in the run, and it is told all the same.
    await post(`${first}/claim`, { ask_id: 'q1', for: '2s' });
    await until(all, `changed ${first}/q1 by tester 3`);
    await until(all, `changed ${first}/q1 3`);
    expect((await api.resume(below, freeText('x'))).status).toBe(200);
    await until(all, `closed ${below}/q1 2`);
    await stack.client.workflow.getHandle(second).terminate();
    await until(all, `closed ${second}/q1 1`);
    expect((await api.call('POST', `/agents/${first}/cancel`)).status).toBe(202);
    await until(all, `closed ${first}/q1 0`);

    expect(told(all)).toHaveLength(new Set(told(all)).size);
    expect(told(ofSam)).toEqual(['snapshot  0', `opened ${second}/q1 1`, `closed ${second}/q1 0`]);
    expect(told(rivals)).toEqual(['snapshot  0']);
    expect(all.frames.every(({ id }) => id === undefined)).toBe(true);
    for (const reader of [all, ofSam, rivals]) reader.drop();
  });

  test('while visibility has stopped, what opens and closes elsewhere is told and listed, closed ones at once', async () => {
    const twice = await asked(script([[freeForm()], [freeForm()]]));
    const { run_id: busy } = await api.start(script([[sleep(4_000)], [freeForm()]]));
    const { run_id: root } = await api.start(script([[sleep(4_000)], [delegate(script([freeForm()]))]]));
    expect(
      await eventually(async () => (await stack.client.workflow.count(`WorkflowId = '${root}'`)).count === 1),
    ).toBe(true);
    expect(await listed()).toEqual([`${twice}/q1`]);
    late.freeze();
    const reader = await watch();
    await until(reader, `snapshot ${twice} 1`);

    expect((await api.resume(twice, freeText('x'))).status).toBe(200);
    expect(await listed()).not.toContain(`${twice}/q1`);
    await api.untilWaiting(twice, 'q2');
    expect(await listed()).toEqual([`${twice}/q2`]);
    await until(reader, `closed ${twice}/q1 0`);
    await until(reader, `opened ${twice}/q2 1`);

    await api.untilWaiting(busy);
    const { children_awaiting: waiting } = await api.until(root, (run) => run.children_awaiting.length === 1);
    const below = waiting[0]?.run_id ?? '';
    expect((await listed()).sort()).toEqual([`${twice}/q2`, `${busy}/q1`, `${below}/q1`].sort());
    expect(await eventually(() => told(reader).length === 5)).toBe(true);
    expect(
      told(reader)
        .slice(3)
        .map((frame) => frame.replace(/ \d$/, ''))
        .sort(),
    ).toEqual([`opened ${busy}/q1`, `opened ${below}/q1`].sort());
    // Claims too.
    expect((await api.call('POST', `/agents/${below}/claim`, { ask_id: 'q1' })).status).toBe(200);
    await until(reader, `changed ${below}/q1 by tester 3`);
    for (const runId of [twice, busy, below]) {
      expect((await api.resume(runId, freeText('x'))).status).toBe(200);
      expect((await listed()).filter((ask) => ask.startsWith(runId))).toEqual([]);
    }
    await until(reader, `closed ${below}/q1 0`);
    reader.drop();
  });

  test('while visibility has stopped, asks of runs that end are gone at once, whoever ends them; a worker’s restart loses nothing', async () => {
    const family = () => api.start(script([delegate(script([freeForm()]))]));
    const below = async ({ run_id }: { run_id: string }) =>
      (await api.until(run_id, (run) => run.children_awaiting.length === 1)).children_awaiting[0]?.run_id ?? '';
    const [cancelled, cancelledOutside, terminated, kept] = [
      await asked(),
      await asked(),
      await asked(),
      await asked(),
    ];
    const root = await family();
    const child = await below(root);
    const all = [cancelled, cancelledOutside, terminated, kept, child];
    expect(await eventually(async () => (await listed()).length === all.length)).toBe(true);
    const reader = await watch();
    await until(reader, `snapshot ${all.join(' ')} 5`);
    late.freeze();

    const temporalOf = (runId: string) => stack.client.workflow.getHandle(runId);
    const gone = async (runId: string, count: number) => {
      expect(await listed()).not.toContain(`${runId}/q1`);
      await until(reader, `closed ${runId}/q1 ${count}`);
    };
    expect((await api.call('POST', `/agents/${cancelled}/cancel`)).status).toBe(202);
    await gone(cancelled, 4);
    await temporalOf(terminated).terminate();
    await gone(terminated, 3);
    await temporalOf(cancelledOutside).cancel();
    await api.untilEnded(cancelledOutside);
    await gone(cancelledOutside, 2);
    expect((await api.call('POST', `/agents/${root.run_id}/cancel`)).status).toBe(202);
    await gone(child, 1);

    await stack.stopWorker();
    expect(await listed()).toEqual([`${kept}/q1`]);
    expect((await api.resume(kept, freeText('x'))).status).toBe(202);
    // Nobody has judged it yet.
    expect(await listed()).toEqual([`${kept}/q1`]);
    expect(told(reader)).toHaveLength(5);
    await stack.startWorker();
    await until(reader, `closed ${kept}/q1 0`);
    expect(await listed()).toEqual([]);
    expect(told(reader)).toHaveLength(6);
    expect(reader.ended).toBe(false);
    reader.drop();
  });

  test('200 watchers share one feed, cost no workflow task, and leave nothing behind', async () => {
    const runs = await Promise.all(Array.from({ length: 8 }, () => asked()));
    const tasks = await Promise.all(runs.map((runId) => workflowTasksOf(stack.client, runId)));
    const readers = await Promise.all(Array.from({ length: 200 }, () => watch()));
    for (const reader of readers) await reader.until(({ frames }) => frames.length === 1);
    const others = (await temporal.during(() => new Promise((resolve) => setTimeout(resolve, 2_000)))).filter(
      (call) => call !== LONG_POLL && call !== 'ListWorkflowExecutions',
    );
    expect(others).toEqual([]);
    expect(temporal.inFlight(LONG_POLL)).toBe(runs.length);
    expect(await Promise.all(runs.map((runId) => workflowTasksOf(stack.client, runId)))).toEqual(tasks);

    const [news] = runs as [string];
    const calls = await temporal.during(async () => {
      expect((await api.resume(news, freeText('x'))).status).toBe(200);
      for (const reader of readers) await until(reader, `closed ${news}/q1 ${runs.length - 1}`);
    });
    expect(calls).not.toContain('QueryWorkflow');
    for (const reader of readers) reader.drop();
    expect(await eventually(() => temporal.inFlight(LONG_POLL) === 0, 5)).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await temporal.during(() => new Promise((resolve) => setTimeout(resolve, 1_500)))).toEqual([]);
    for (const runId of runs.slice(1)) await api.call('POST', `/agents/${runId}/cancel`);
  });

  test('clients that leave at once leave nothing behind; a process that stops ends its streams', async () => {
    for (let k = 0; k < 10; k += 1) void watch().then((reader) => reader.drop());
    const reader = await watch();
    await reader.until(({ frames }) => frames.length === 1);
    await watching.close();
    expect(await eventually(() => reader.ended, 5)).toBe(true);
    expect(await eventually(() => temporal.inFlight(LONG_POLL) === 0, 5)).toBe(true);
  });
});
