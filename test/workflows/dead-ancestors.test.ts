/** A run asks all the same when runs above it are gone. */
import { randomUUID } from 'node:crypto';
import { failedTasks } from '../support/histories';
import { eventually } from '../support/http';
import { freeForm, freeText, script } from '../support/scripts';
import { TestStack } from '../support/stack';

describe('ancestors that are gone', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start()));
  afterAll(() => stack.stop());

  const gone = {
    'never there': async () => `run_${randomUUID().replace(/-/g, '')}`,
    completed: async () => {
      const { run_id } = await stack.api.start(script([]));
      await stack.api.untilEnded(run_id);
      return run_id;
    },
    cancelled: async () => {
      const { run_id } = await stack.api.start(script([freeForm()]));
      await stack.api.untilWaiting(run_id);
      await stack.api.call('POST', `/agents/${run_id}/cancel`);
      await stack.api.untilEnded(run_id);
      return run_id;
    },
    terminated: async () => {
      const { run_id } = await stack.api.start(script([freeForm()]));
      await stack.api.untilWaiting(run_id);
      await stack.client.workflow.getHandle(run_id).terminate();
      return run_id;
    },
  };

  /** A run with exactly these above it, which a real parent's end would have taken along. */
  const orphan = async (ancestors: string[], input: unknown) => {
    const workflowId = `run_${randomUUID().replace(/-/g, '')}`;
    const run = { workspace: 'acme', parent_run_id: ancestors[0], root_run_id: ancestors.at(-1), ancestors };
    const args = [{ agent: 'scripted', input, run }];
    await stack.client.workflow.start('agentRun', { workflowId, taskQueue: stack.taskQueue, args });
    await eventually(async () => (await stack.api.call('GET', `/agents/${workflowId}`)).status === 200);
    return workflowId;
  };

  test.each(Object.keys(gone) as (keyof typeof gone)[])('one that is %s never hurts the asker', async (how) => {
    const runId = await orphan([await gone[how]()], script([freeForm()]));
    await stack.api.untilWaiting(runId);
    expect((await stack.api.resume(runId, freeText('still here'))).status).toBe(200);
    expect((await stack.api.untilEnded(runId)).status).toBe('completed');
    expect(await stack.api.toolResults(runId)).toEqual([{ answer: 'still here' }]);
    expect(await failedTasks(stack.client, runId)).toEqual([]);
  });

  test('those that live hear of the ask although others between are gone', async () => {
    const { run_id: root } = await stack.api.start(script([freeForm()]));
    await stack.api.untilWaiting(root);
    const between = [await gone.terminated(), await gone['never there'](), await gone.completed()];
    const runId = await orphan([...between, root], script([freeForm(), freeForm('And then?')]));
    for (const askId of ['q1', 'q2']) {
      await stack.api.untilWaiting(runId, askId);
      const heard = [{ run_id: runId, ask_id: askId }];
      await stack.api.until(root, (run) => JSON.stringify(run.children_awaiting) === JSON.stringify(heard));
      expect((await stack.api.resume(runId, freeText(askId))).status).toBe(200);
    }
    await stack.api.untilEnded(runId);
    expect((await stack.api.resume(root, freeText('me too'))).status).toBe(200);
    expect((await stack.api.untilEnded(root)).status).toBe('completed');
    expect(await failedTasks(stack.client, runId, root)).toEqual([]);
  });
});
