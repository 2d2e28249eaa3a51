/** Runs that end before their question is answered: it is withdrawn everywhere, and the caller gets a tool error. */
import { failedTasks } from '../support/histories';
import { eventually } from '../support/http';
import { delegate, freeForm, freeText, script } from '../support/scripts';
import { TestStack } from '../support/stack';
import { framesOf, lineOf, nested, untilAwaiting } from '../support/trees';

const DEPTH = 3;
const WITHDRAWN = { pending_input_type: null, pending_input_schema: null, pending_input_context: null };

describe('runs that end while they, or runs below them, ask', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start()));
  afterAll(() => stack.stop());

  /** Root, child, grandchild, and the great-grandchild that asks. */
  const conversation = async () => {
    const { run_id: root } = await stack.api.start(nested(DEPTH, freeForm()));
    const line = await lineOf(stack.api, root, DEPTH);
    for (const runId of line.slice(0, -1)) await untilAwaiting(stack.api, runId, 1);
    return line as [string, string, string, string];
  };
  const handle = (runId: string) => stack.client.workflow.getHandle(runId);
  /** A run that ends while a frame from below comes in has that task done again: the server's way, and no wedge. */
  const wedgedTasks = async (...line: string[]) =>
    (await failedTasks(stack.client, ...line)).filter((failed) => !failed.endsWith('_UNHANDLED_COMMAND'));
  const endings = {
    cancelled: async (runId: string) => void (await handle(runId).cancel()),
    terminated: async (runId: string) => void (await handle(runId).terminate()),
  };

  test.each([
    ['cancelled', 'the asking run', 3],
    ['cancelled', 'a run between', 2],
    ['cancelled', 'the child of the root', 1],
    ['terminated', 'the asking run', 3],
    ['terminated', 'a run between', 2],
    ['terminated', 'the child of the root', 1],
  ] as const)('%s: %s. Nobody above lists the ask any more, and its caller goes on', async (how, _which, level) => {
    const line = await conversation();
    const [root] = line;
    const asker = line[DEPTH];
    const victim = line[level];
    const caller = line[level - 1] as string;
    await endings[how](victim);

    // The caller goes on with a tool error, and all above it with their results.
    expect(await stack.api.untilEnded(root)).toMatchObject({ status: 'completed', children_awaiting: [] });
    expect(await stack.api.toolResults(caller)).toEqual([
      {
        error: how === 'cancelled' ? 'child_cancelled' : 'child_failed',
        message: expect.any(String),
        child_run_id: victim,
        code: how,
      },
    ]);
    // Everything from there down ends, with its question gone.
    for (const runId of line.slice(level)) {
      const ended = await stack.api.untilEnded(runId);
      const failed = how === 'terminated' && runId === victim;
      expect(ended).toMatchObject({ ...WITHDRAWN, status: failed ? 'failed' : 'cancelled', children_awaiting: [] });
      if (failed) expect(ended.error?.code).toBe('terminated');
      expect((await stack.api.resume(runId, freeText('late'))).status).toBe(409);
    }
    expect((await stack.api.events(asker)).map((event) => event.type)).toContain('ask.withdrawn');
    for (const runId of line.slice(0, level)) {
      expect(await framesOf(stack.api, runId)).toEqual([
        ['child_needs_human', asker],
        ['child_ask_closed', asker, 'withdrawn'],
      ]);
      const { body } = await stack.api.call<{ asks: unknown[] }>('GET', `/agents/${runId}/asks?state=all`);
      expect(body.asks).toMatchObject([{ run_id: asker, ask_id: 'q1', state: 'withdrawn' }]);
      expect(await stack.api.pendingAsks(runId)).toEqual([]);
    }
    expect(await wedgedTasks(...line)).toEqual([]);
  });

  test.each(['cancelled', 'terminated'] as const)(
    '%s: the root. It goes down to every run of the conversation',
    async (how) => {
      const line = await conversation();
      await endings[how](line[0]);
      for (const runId of line) {
        const ended = await stack.api.untilEnded(runId);
        expect(ended).toMatchObject({ ...WITHDRAWN, children_awaiting: [] });
        expect(ended.status).toBe(how === 'terminated' && runId === line[0] ? 'failed' : 'cancelled');
        expect(await stack.api.pendingAsks(runId)).toEqual([]);
      }
      expect(await wedgedTasks(...line)).toEqual([]);
    },
  );

  test('a root that runs out of time withdraws its question and ends what is below it', async () => {
    const workflowId = `timed-${Date.now()}`;
    const run = { root_run_id: workflowId, workspace: 'acme' };
    const input = script([[freeForm(), delegate(script([freeForm()]))]]);
    await stack.client.workflow.start('agentRun', {
      workflowId,
      taskQueue: stack.taskQueue,
      args: [{ agent: 'scripted', input, run }],
      workflowExecutionTimeout: '12 seconds',
    });
    await eventually(async () => (await stack.api.call('GET', `/agents/${workflowId}`)).status === 200);
    const [child] = await untilAwaiting(stack.api, workflowId, 1);
    expect(await stack.api.untilEnded(workflowId)).toMatchObject({
      ...WITHDRAWN,
      status: 'failed',
      error: { code: 'timed_out' },
      children_awaiting: [],
    });
    expect(await stack.api.untilEnded(child?.run_id ?? '')).toMatchObject({ ...WITHDRAWN, status: 'cancelled' });
    expect(await stack.api.pendingAsks(workflowId)).toEqual([]);
    const types = (await stack.api.events(workflowId)).map((event) => event.type);
    expect(types).toContain('ask.withdrawn');
    expect(types.at(-1)).toBe('run.failed');
  });
});
