/** C18 of CASES.md, real processes: who says when a run continues as new. */
import type { ApiCaller } from '../support/http';
import { executionsOf, failedTasks } from '../support/histories';
import { ProcessStack, type Program } from '../support/processes';
import { freeForm, freeText, script } from '../support/scripts';

const ROUNDS = 6;

/** A run of six asks, each answered; how many executions it took, and its events’ ids. */
async function askedSixTimes(stack: ProcessStack, api: ApiCaller) {
  const { run_id } = await api.start(script(Array.from({ length: ROUNDS }, () => freeForm())));
  for (let k = 1; k <= ROUNDS; k += 1) {
    await api.untilWaiting(run_id, `q${k}`);
    expect((await api.resume(run_id, freeText(`a${k}`))).status).toBe(200);
  }
  expect((await api.untilEnded(run_id)).status).toBe('completed');
  const answers = Array.from({ length: ROUNDS }, (_, k) => ({ answer: `a${k + 1}` }));
  expect(await api.toolResults(run_id, 'ask_a_human')).toEqual(answers);
  const events = await api.events(run_id);
  expect(events.map(({ id }) => id)).toEqual(events.map((_event, k) => k + 1));
  const client = await stack.client();
  try {
    expect(await failedTasks(client, run_id)).toEqual([]);
    return (await executionsOf(client, run_id)).length;
  } finally {
    await client.connection.close();
  }
}

describe('C18 the worker’s setting', () => {
  const stack = new ProcessStack();
  let api: ApiCaller;
  let worker: Program;
  beforeAll(async () => {
    await stack.startTemporal();
    worker = await stack.startWorker();
    ({ api } = await stack.startApi());
  });
  afterAll(() => stack.stop());

  test('left alone a short run is one execution; HOLDPOINT_CONTINUE_AS_NEW_AFTER makes it several', async () => {
    expect(await askedSixTimes(stack, api)).toBe(1);
    expect(await worker.terminate()).toBe(0);
    await stack.startWorker({ HOLDPOINT_CONTINUE_AS_NEW_AFTER: '20' });
    expect(await askedSixTimes(stack, api)).toBeGreaterThan(2);
  });
});

describe('C18 the server’s suggestion', () => {
  const stack = new ProcessStack();
  beforeAll(() => stack.startTemporal({ dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': 25 } }));
  afterAll(() => stack.stop());

  test('is followed with no setting at all', async () => {
    await stack.startWorker();
    const { api } = await stack.startApi();
    expect(await askedSixTimes(stack, api)).toBeGreaterThan(2);
  });
});
