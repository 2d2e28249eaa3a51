/** With the workflow cache off every task replays the run from its start: nothing of a run may live outside of it. */
import { readFileSync } from 'node:fs';
import { failedTasks } from '../support/histories';
import {
  choice,
  collect,
  decline,
  delegate,
  effect,
  freeForm,
  freeText,
  pick,
  script,
  writeIn,
} from '../support/scripts';
import { TestStack } from '../support/stack';
import { framesOf, lineOf, nested, untilAwaiting } from '../support/trees';

describe('with the workflow cache off', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start({ maxCachedWorkflows: 0 })));
  afterAll(() => stack.stop());

  test('direct asks are answered one after another, and work before them is not repeated', async () => {
    const { run_id } = await stack.api.start(
      script([effect('before'), choice('A', 'B'), [effect('between'), freeForm()], choice('C', 'D')]),
    );
    for (const [askId, answer] of [
      ['q1', pick('q1_o2')],
      ['q2', freeText(' words ')],
      ['q3', writeIn('E')],
    ] as const) {
      await stack.api.untilWaiting(run_id, askId);
      expect((await stack.api.resume(run_id, { kind: 'free_form' })).status).toBe(422);
      expect((await stack.api.resume(run_id, answer)).status).toBe(200);
      expect((await stack.api.read(run_id)).pending_input_context?.ask_id).not.toBe(askId);
    }
    expect((await stack.api.untilEnded(run_id)).status).toBe('completed');
    expect(await stack.api.toolResults(run_id, 'ask_a_human')).toEqual([
      { answer: 'B', option_id: 'q1_o2' },
      { answer: 'words' },
      { answer: 'E', option_id: 'other' },
    ]);
    expect(readFileSync(stack.effectsFile, 'utf8')).toBe(`${run_id} before\n${run_id} between\n`);
    expect(await failedTasks(stack.client, run_id)).toEqual([]);
  });

  test('a child and a grandchild ask while the parent does, and each is answered', async () => {
    const input = script([
      [delegate(script([[freeForm('Child?'), delegate(script([freeForm('Grandchild?')]))]])), freeForm('Parent?')],
    ]);
    const { run_id: root } = await stack.api.start(input);
    const line = await lineOf(stack.api, root, 2);
    const [, child, grandchild] = line as [string, string, string];
    const awaiting = await untilAwaiting(stack.api, root, 2);
    expect(awaiting.map((ask) => ask.run_id).sort()).toEqual([child, grandchild].sort());
    await untilAwaiting(stack.api, child, 1);
    for (const runId of line) {
      await stack.api.untilWaiting(runId);
      expect((await stack.api.resume(runId, freeText(runId))).status).toBe(200);
    }
    expect((await stack.api.untilEnded(root)).status).toBe('completed');
    for (const runId of line) expect(await stack.api.toolResults(runId, 'ask_a_human')).toEqual([{ answer: runId }]);
    expect(await framesOf(stack.api, root)).toHaveLength(4);
    expect(await failedTasks(stack.client, ...line)).toEqual([]);
  });

  test('a decline reaches the agent, also from a background child', async () => {
    const { run_id } = await stack.api.start(
      script([delegate(nested(0, freeForm()), { background: true }), collect()]),
    );
    const [child] = await untilAwaiting(stack.api, run_id, 1);
    expect((await stack.api.resume(child?.run_id ?? '', decline('ask somebody else'))).status).toBe(200);
    expect((await stack.api.untilEnded(run_id)).status).toBe('completed');
    expect(await stack.api.toolResults(child?.run_id ?? '')).toEqual([
      { skipped: true, reason: 'human_declined', message: 'ask somebody else' },
    ]);
    expect(await failedTasks(stack.client, run_id, child?.run_id ?? '')).toEqual([]);
  });

  test('a cancel while root and grandchild ask goes down, and every question is withdrawn', async () => {
    const { run_id: root } = await stack.api.start(script([[freeForm(), delegate(nested(1, freeForm()))]]));
    const line = await lineOf(stack.api, root, 2);
    await untilAwaiting(stack.api, root, 1);
    await stack.api.untilWaiting(root);
    expect((await stack.api.call('POST', `/agents/${root}/cancel`)).status).toBe(202);
    for (const runId of line) {
      expect(await stack.api.untilEnded(runId)).toMatchObject({ status: 'cancelled', pending_input_context: null });
    }
    expect(await stack.api.pendingAsks(root)).toEqual([]);
    expect(await failedTasks(stack.client, ...line)).toEqual([]);
  });
});
