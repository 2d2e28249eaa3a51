/**
 * Every loser of a race is told so, also when no worker tells who won: a run that was looked up just before another answer
 * was taken, and a verdict that cannot be read. The API's own service is called, since over HTTP the look-up cannot be held back.
 */
import { TemporalGateway } from '../../api/service/gateway';
import { findRun, type FoundRun } from '../../api/service/lookup';
import { resumeRun } from '../../api/service/resume';
import type { Principal } from '../../api/keys';
import { choice, freeForm, freeText, pick, script, sleep } from '../support/scripts';
import { TestStack } from '../support/stack';

const principal: Principal = { keyId: 'k', name: 'tester', workspace: 'acme', scopes: new Set() };

describe('losers are told, with no worker up', () => {
  let stack: TestStack;
  let gateway: TemporalGateway;
  beforeAll(async () => {
    stack = await TestStack.start();
    gateway = new TemporalGateway(stack.client, stack.taskQueue);
  });
  afterAll(() => stack.stop());

  const resume = (run: FoundRun, input: unknown, idempotencyKey?: string) =>
    resumeRun(gateway.forRequest(), principal, run, { input, idempotencyKey, channel: 'http' });
  const lookedUp = async (turns: Parameters<typeof script>[0]): Promise<FoundRun> => {
    const { run_id } = await stack.api.start(script(turns));
    await stack.api.untilWaiting(run_id);
    return findRun(gateway, principal, run_id);
  };
  const withoutWorker = async (work: () => Promise<void>): Promise<void> => {
    await stack.stopWorker();
    try {
      await work();
    } finally {
      await stack.startWorker();
    }
  };

  test('an answer to a run that was looked up before another answer was taken has lost', async () => {
    const run = await lookedUp([freeForm('First?'), freeForm('Second?')]);
    expect((await stack.api.resume(run.runId, freeText('winner'))).status).toBe(200);
    await stack.api.untilWaiting(run.runId, 'q2');
    await withoutWorker(async () => {
      await expect(resume(run, freeText('loser'))).rejects.toMatchObject({ code: 'run_not_waiting' });
    });
    // It was for the first question, and is no answer to the second.
    expect((await stack.api.resume(run.runId, freeText('second'))).status).toBe(200);
    await stack.api.untilEnded(run.runId);
    expect(await stack.api.toolResults(run.runId)).toEqual([{ answer: 'winner' }, { answer: 'second' }]);
  });

  test('of two answers that were judged, the loser is told and the winner is not refused', async () => {
    const run = await lookedUp([choice('A', 'B'), sleep(3_600_000)]);
    // The second body is bad: it is in the history before the good ones, and wins nothing.
    await stack.client.workflow.getHandle(run.runId).signal('answer', { input: pick('none'), ask_id: 'q1' });
    expect(await resume(run, pick('q1_o1'), 'winner')).toMatchObject({ queued: false });
    await expect(resume(run, pick('q1_o2'), 'loser')).rejects.toMatchObject({ code: 'run_not_waiting' });
    await withoutWorker(async () => {
      await expect(resume(run, pick('q1_o2'), 'loser')).rejects.toMatchObject({ code: 'run_not_waiting' });
      expect(await resume(run, pick('q1_o1'), 'winner')).toMatchObject({ queued: true });
      await expect(resume(run, pick('q1_o2'), 'winner')).rejects.toMatchObject({ code: 'idempotency_conflict' });
    });
    expect((await stack.api.call('POST', `/agents/${run.runId}/cancel`)).status).toBe(202);
  });

  test('what came before the question was asked is ahead of nobody', async () => {
    const { run_id } = await stack.api.start(script([sleep(1000), freeForm()]));
    await stack.client.workflow.getHandle(run_id).signal('answer', freeText('early'));
    await stack.api.untilWaiting(run_id);
    const run = await findRun(gateway, principal, run_id);
    await withoutWorker(async () => {
      expect(await resume(run, freeText('in time'))).toMatchObject({ queued: true });
      await expect(resume(run, freeText('later'))).rejects.toMatchObject({ code: 'run_not_waiting' });
    });
    await stack.api.untilEnded(run_id);
    expect(await stack.api.toolResults(run_id)).toContainEqual({ answer: 'in time' });
  });
});
