/** Runs that fail: a readable code, their sub-agents taken along, and a tool error for whoever called them. */
import { ApplicationFailure } from '@temporalio/common';
import type { Agent } from '../../activities';
import type { Json } from '../../workflows/contract';
import { failedTasks } from '../support/histories';
import { delegate, freeForm, script } from '../support/scripts';
import { TestStack } from '../support/stack';
import { framesOf, nested, lineOf, untilAwaiting } from '../support/trees';

/** Starts a background sub-agent with its input, asks whether to fail, and then its model fails. */
const failing: Agent = {
  name: 'failing',
  description: 'For tests.',
  model: {
    respond: ({ turn, input }) => {
      if (turn > 0) throw ApplicationFailure.nonRetryable('the key was refused', 'model_unauthorized');
      const call = (id: string, tool: string, args: Json) => ({ id, tool, args });
      const calls = [
        call('call_1', 'delegate', { agent: 'scripted', input, background: true }),
        call('call_2', 'ask_a_human', { kind: 'free_form', question: 'Shall I fail?' }),
      ];
      return Promise.resolve({ text: null, calls, final: false, tokens: 0 });
    },
  },
};

describe('runs that fail', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start({ agents: [failing] })));
  afterAll(() => stack.stop());

  test.each([
    ['turns that are no list', { turns: 'ask' }],
    ['a turn without calls', { turns: [{}] }],
    ['a call without a tool', { turns: [{ calls: [{ args: {} }] }] }],
    ['a text that is none', { turns: [], text: 7 }],
    ['a list', [1, 2]],
    ['null', null],
  ])(
    'a sub-agent with a malformed script (%s) fails with a code, and its caller gets a tool error',
    async (_what, input) => {
      const { run_id } = await stack.api.start(script([delegate(input)], 'went on'));
      expect(await stack.api.untilEnded(run_id)).toMatchObject({ status: 'completed', result: { text: 'went on' } });
      const [child] = (await lineOf(stack.api, run_id, 1)).slice(1) as [string];
      const error = { code: 'invalid_script', message: expect.stringContaining('malformed') };
      expect(await stack.api.read(child)).toMatchObject({ status: 'failed', error, result: null });
      expect(await stack.api.toolResults(run_id)).toEqual([
        { error: 'child_failed', message: error.message, child_run_id: child, code: 'invalid_script' },
      ]);
      const failed = (await stack.api.events(run_id)).find((event) => event.type === 'child.failed');
      expect(failed?.data).toMatchObject({ child_run_id: child, status: 'failed', error: { code: 'invalid_script' } });
      expect((await stack.api.events(child)).at(-1)).toMatchObject({
        type: 'run.failed',
        data: { error: { code: 'invalid_script' } },
      });
      expect(await failedTasks(stack.client, run_id, child)).toEqual([]);
    },
  );

  test('a sub-agent of an unknown agent is a tool error with that code', async () => {
    const { run_id } = await stack.api.start(script([delegate({}, { agent: 'nobody' })]));
    expect((await stack.api.untilEnded(run_id)).status).toBe('completed');
    expect(await stack.api.toolResults(run_id)).toMatchObject([{ error: 'child_failed', code: 'unknown_agent' }]);
  });

  test('a run whose model fails cancels its background sub-agents, and their questions go', async () => {
    const { body } = await stack.api.call<{ run_id: string }>('POST', '/agents', {
      agent: 'failing',
      input: nested(1, freeForm('From below?')),
    });
    const root = body.run_id;
    const line = await lineOf(stack.api, root, 2);
    const asker = line[2] as string;
    await stack.api.untilWaiting(root);
    await untilAwaiting(stack.api, root, 1);
    expect((await stack.api.resume(root, { kind: 'free_form', text: 'yes' })).status).toBe(200);
    expect(await stack.api.untilEnded(root)).toMatchObject({
      status: 'failed',
      error: { code: 'model_unauthorized', message: 'the key was refused' },
      children_awaiting: [],
    });
    for (const runId of line.slice(1)) expect((await stack.api.untilEnded(runId)).status).toBe('cancelled');
    expect(await framesOf(stack.api, root)).toEqual([
      ['child_needs_human', asker],
      ['child_ask_closed', asker, 'withdrawn'],
    ]);
    const events = await stack.api.events(root);
    expect(events.at(-1)).toMatchObject({ type: 'run.failed' });
    expect(events.map((event) => event.type)).toContain('child.failed');
    expect(await stack.api.pendingAsks(root)).toEqual([]);
    expect(await failedTasks(stack.client, ...line)).toEqual([]);
  });

  test('an error of a failing run shows no stack and no path', async () => {
    const { run_id } = await stack.api.start(script([delegate({ turns: 1 })]));
    await stack.api.untilEnded(run_id);
    const [child] = (await lineOf(stack.api, run_id, 1)).slice(1) as [string];
    for (const runId of [run_id, child]) {
      const { text } = await stack.api.call('GET', `/agents/${runId}/events`);
      expect(text).not.toMatch(/\\n +at |node_modules|\.[jt]s:\d/);
    }
  });
});
