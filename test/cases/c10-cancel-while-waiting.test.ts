/** C10 of CASES.md: cancelling while waiting leaves the question open. */
import {
  expectCleanHistories,
  expectNotWaiting,
  NOTHING_PENDING,
  openSteps,
  taskFailureCauses,
} from '../support/checks';
import type { ApiCaller } from '../support/http';
import { delegate, freeForm, freeText, script, sleep } from '../support/scripts';
import { TestStack } from '../support/stack';

/** The bound of the case: the run is over, and seen to be, this many seconds after it was cancelled. */
const SECONDS = 5;

describe('C10 a run that ends while it waits withdraws its question', () => {
  let stack: TestStack;
  let api: ApiCaller;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = stack.api.bounded();
  });
  afterAll(() => stack.stop());

  const ofTemporal = (runId: string) => stack.client.workflow.getHandle(runId);
  const cancelByApi = async (runId: string): Promise<void> => {
    expect((await api.call('POST', `/agents/${runId}/cancel`)).status).toBe(202);
  };

  /** Nothing of a run that is over waits for anybody. */
  const expectWithdrawn = async (runId: string): Promise<void> => {
    expect(await api.read(runId)).toMatchObject({ ...NOTHING_PENDING, children_awaiting: [] });
    expect(await api.pendingAsks(runId)).toEqual([]);
    const { body } = await api.call<{ asks: object[] }>('GET', `/agents/${runId}/asks?state=all`);
    expect(body.asks).toEqual([expect.objectContaining({ ask_id: 'q1', state: 'withdrawn', answer: null })]);
    expectNotWaiting(await api.resume(runId, freeText('too late')));
  };

  test.each([
    ['from Temporal', 'cancelled', 'run.cancelled', (runId: string) => ofTemporal(runId).cancel()],
    ['through the API', 'cancelled', 'run.cancelled', cancelByApi],
    ['by termination', 'failed', 'run.failed', (runId: string) => ofTemporal(runId).terminate('by a person')],
  ] as const)('%s: the run reads %s, no step waits, an answer is NOTWAITING', async (_name, status, last, end) => {
    const { run_id } = await api.start(script([freeForm()]));
    await api.untilWaiting(run_id);
    await end(run_id);
    expect((await api.untilEnded(run_id, SECONDS)).status).toBe(status);
    await expectWithdrawn(run_id);
    const events = await api.events(run_id);
    expect(events.filter((event) => event.type === 'ask.withdrawn').map((event) => event.data)).toEqual([
      { ask_id: 'q1' },
    ]);
    expect(openSteps(events)).toEqual([]);
    expect(events.at(-1)?.type).toBe(last);
    expect(events.map((event) => event.id)).toEqual(events.map((_event, index) => index + 1));
    await expectCleanHistories(stack.client, run_id);
  });

  test('a run whose time is up while it waits is failed, and its question withdrawn', async () => {
    const run = await stack.client.workflow.start('agentRun', {
      workflowId: `timed-out-${Date.now()}`,
      taskQueue: stack.taskQueue,
      args: [{ agent: 'scripted', input: script([freeForm()]), run: { workspace: 'acme' } }],
      workflowExecutionTimeout: '8s',
    });
    await expect(run.result()).rejects.toThrow();
    expect(await api.read(run.workflowId)).toMatchObject({ status: 'failed', error: { code: 'timed_out' } });
    await expectWithdrawn(run.workflowId);
  });

  test('the record that a cancel gives back no longer shows the question, and a second cancel changes nothing', async () => {
    const { run_id } = await api.start(script([freeForm()]));
    await api.untilWaiting(run_id);
    const reply = await api.call('POST', `/agents/${run_id}/cancel`);
    expect(reply).toMatchObject({ status: 202, body: { run_id, ...NOTHING_PENDING } });
    const ended = await api.untilEnded(run_id, SECONDS);
    expect(await api.call('POST', `/agents/${run_id}/cancel`)).toMatchObject({ status: 202, body: ended });
    expect(await api.read(run_id)).toEqual(ended);
  });

  test('runs that are cancelled before they have begun end cancelled too', async () => {
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { run_id } = await api.start(script([sleep(60_000), freeForm()]));
        await cancelByApi(run_id);
        expect(await api.untilEnded(run_id, 30)).toMatchObject({ status: 'cancelled', ...NOTHING_PENDING });
        // The server may send a workflow task back that would end the run over news it has not seen: no fault of the run.
        for (const cause of await taskFailureCauses(stack.client, run_id)) expect(cause).toMatch(/UNHANDLED_COMMAND$/);
      }),
    );
  });

  /** A parent that waits for its child, which asks. */
  const family = async (): Promise<{ parent: string; child: string }> => {
    const { run_id } = await api.start(script([delegate(script([freeForm()]))], 'went on'));
    const asking = await api.until(run_id, (run) => run.children_awaiting.length === 1);
    return { parent: run_id, child: asking.children_awaiting[0]?.run_id ?? '' };
  };

  test.each([
    ['cancelled from Temporal', 'cancelled', 'child_cancelled', (runId: string) => ofTemporal(runId).cancel()],
    ['cancelled through the API', 'cancelled', 'child_cancelled', cancelByApi],
    ['terminated', 'failed', 'child_failed', (runId: string) => ofTemporal(runId).terminate()],
  ] as const)('a child that is %s while it asks is a tool error to its caller', async (_name, status, error, end) => {
    const { parent, child } = await family();
    await end(child);
    expect(await api.untilEnded(parent, SECONDS)).toMatchObject({ status: 'completed', result: { text: 'went on' } });
    expect((await api.read(child)).status).toBe(status);
    expect(await api.toolResults(parent, 'delegate')).toEqual([
      expect.objectContaining({ error, child_run_id: child, message: expect.any(String) }),
    ]);
    await expectWithdrawn(child);
    const events = await api.events(parent);
    const closed = events.filter((event) => event.type === 'child_ask_closed').map((event) => event.data);
    expect(closed).toEqual([{ child_run_id: child, ask_id: 'q1', outcome: 'withdrawn' }]);
    expect(events.filter((event) => event.type === 'child.failed').map((event) => event.data.status)).toEqual([status]);
    await expectCleanHistories(stack.client, parent, child);
  });

  test.each([
    ['cancelled from Temporal', 'cancelled', (runId: string) => ofTemporal(runId).cancel()],
    ['cancelled through the API', 'cancelled', cancelByApi],
    ['terminated', 'failed', (runId: string) => ofTemporal(runId).terminate()],
  ] as const)('a parent that is %s takes the child that asks with it', async (_name, status, end) => {
    const { parent, child } = await family();
    await end(parent);
    expect((await api.untilEnded(parent, SECONDS)).status).toBe(status);
    expect((await api.untilEnded(child, SECONDS)).status).toBe('cancelled');
    for (const runId of [parent, child]) {
      expect(await api.read(runId)).toMatchObject({ ...NOTHING_PENDING, children_awaiting: [] });
      expect(await api.pendingAsks(runId)).toEqual([]);
      expectNotWaiting(await api.resume(runId, freeText('too late')));
    }
    await expectWithdrawn(child);
    await expectCleanHistories(stack.client, parent, child);
  });
});
