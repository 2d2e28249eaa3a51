/** C07 of CASES.md: a status read still says paused after a successful resume. */
import type { Client } from '@temporalio/client';
import type { RunRecord } from '../../workflows/contract';
import { expectCleanHistories, NOTHING_PENDING } from '../support/checks';
import type { ApiCaller } from '../support/http';
import { ProcessStack } from '../support/processes';
import { delegate, freeForm, freeText, script, sleep } from '../support/scripts';

const RUNS = 100;
const AT_ONCE = 10;

describe('C07 after a 2xx to a resume no read shows the answered question', () => {
  let stack: ProcessStack;
  let api: ApiCaller;
  /** Another process, that has not seen the answer go by. */
  let otherApi: ApiCaller;
  let temporal: Client;
  beforeAll(async () => {
    stack = new ProcessStack();
    await stack.startTemporal();
    const [first, second] = await Promise.all([stack.startApi(), stack.startApi(), stack.startWorker()]);
    api = first.api.bounded();
    otherApi = second.api.bounded();
    temporal = await stack.client();
  });
  afterAll(async () => {
    await temporal?.connection.close();
    await stack.stop();
  });

  const waitingRuns = async (caller: ApiCaller): Promise<string[]> => {
    const { body } = await caller.call<{ runs: RunRecord[] }>('GET', '/agents?status=awaiting_input&limit=100');
    return body.runs.map((run) => run.run_id);
  };

  const oneRun = async (): Promise<void> => {
    const { run_id } = await api.start(script([freeForm(), sleep(2000)]));
    await api.untilWaiting(run_id);
    const reply = await api.resume(run_id, freeText('yes'));
    expect(reply.status).toBe(200);
    const [here, there, asks] = await Promise.all([
      api.read(run_id),
      otherApi.read(run_id),
      otherApi.pendingAsks(run_id),
    ]);
    for (const record of [reply.body, here, there]) {
      expect(record).toMatchObject({ run_id, status: 'running', ...NOTHING_PENDING });
    }
    expect(asks).toEqual([]);

    const ended = await api.untilEnded(run_id);
    expect(ended).toMatchObject({ status: 'completed', ...NOTHING_PENDING });
    for (const caller of [otherApi, api, otherApi]) expect(await caller.read(run_id)).toEqual(ended);
    await expectCleanHistories(temporal, run_id);
  };

  test(`the record reads running at once, then ends and stays so: ${RUNS} runs`, async () => {
    for (let done = 0; done < RUNS; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, oneRun));
  });

  test('the list of waiting runs is rid of it at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { run_id } = await api.start(script([freeForm(), sleep(1000)]));
      await api.untilWaiting(run_id);
      expect((await api.resume(run_id, freeText('yes'))).status).toBe(200);
      const lists = await Promise.all([waitingRuns(api), waitingRuns(otherApi)]);
      expect(lists.flat()).not.toContain(run_id);
      await api.untilEnded(run_id);
    }
  });

  test("so is its ancestors' record, which hears of the answer by signal", async () => {
    for (let round = 0; round < 10; round += 1) {
      const parent = await api.start(script([delegate(script([freeForm(), sleep(3_000)]))]));
      const asking = await api.until(parent.run_id, (run) => run.children_awaiting.length === 1);
      const child = asking.children_awaiting[0]?.run_id ?? '';
      expect((await api.resume(child, freeText('yes'))).status).toBe(200);
      const [here, there, asks, own] = await Promise.all([
        api.read(parent.run_id),
        otherApi.read(parent.run_id),
        otherApi.pendingAsks(parent.run_id),
        otherApi.read(child),
      ]);
      for (const record of [here, there]) expect(record).toMatchObject({ status: 'running', children_awaiting: [] });
      expect(asks).toEqual([]);
      expect(own).toMatchObject({ status: 'running', ...NOTHING_PENDING });
      expect((await api.untilEnded(parent.run_id)).status).toBe('completed');
      await expectCleanHistories(temporal, parent.run_id, child);
    }
  });
});
