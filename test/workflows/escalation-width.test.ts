/** A hundred sub-agents of one conversation that all ask at once. */
import { MEMO_KEYS, type RunSnapshot } from '../../workflows/contract';
import { failedTasks } from '../support/histories';
import { eventually } from '../support/http';
import { delegate, freeForm, freeText, script } from '../support/scripts';
import { TestStack } from '../support/stack';
import { framesOf, untilChildren } from '../support/trees';

const WIDTH = 100;

describe('escalation of a hundred questions at once', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start()));
  afterAll(() => stack.stop());

  /** Watched in the run's memo, which costs no worker anything while a hundred runs keep it busy; then read once. */
  const allAwaiting = async (runId: string) => {
    const seen = async () => {
      const { memo } = await stack.client.workflow.getHandle(runId).describe();
      return (memo?.[MEMO_KEYS.state] as RunSnapshot | undefined)?.children_awaiting.length;
    };
    expect(await eventually(async () => (await seen()) === WIDTH, 200)).toBe(true);
    return (await stack.api.read(runId)).children_awaiting;
  };

  const byAge = <T extends { asked_at: string }>(asks: T[]) =>
    [...asks].sort((a, b) => (a.asked_at < b.asked_at ? -1 : a.asked_at > b.asked_at ? 1 : 0));

  test('all are listed oldest first by every run above, and each is answered by its own id', async () => {
    const asking = Array.from({ length: WIDTH }, (_none, k) =>
      delegate(script([freeForm(`Number ${k}?`)], `end ${k}`)),
    );
    const { run_id: root } = await stack.api.start(script([delegate(script([asking], 'middle done'))]));
    const [middle] = (await untilChildren(stack.api, root)) as [string];
    const atRoot = await allAwaiting(root);
    const atMiddle = await allAwaiting(middle);
    expect(new Set(atRoot.map((ask) => ask.run_id)).size).toBe(WIDTH);

    for (const [runId, awaiting] of [
      [root, atRoot],
      [middle, atMiddle],
    ] as const) {
      // By time of asking; those of the same millisecond as they came.
      const frames = (await stack.api.events(runId)).filter((event) => event.type === 'child_needs_human');
      const came = frames.map(({ data }) => ({
        run_id: data.child_run_id as string,
        asked_at: (data.question as { asked_at: string }).asked_at,
      }));
      expect(awaiting.map((ask) => ask.run_id)).toEqual(byAge(came).map((frame) => frame.run_id));
    }
    // The list of asks is the same list, and reading it again moves nothing.
    expect(await stack.api.pendingAsks(root)).toEqual(atRoot);
    expect((await stack.api.read(root)).children_awaiting).toEqual(atRoot);

    const [oldest, second, ...others] = atRoot.map((ask) => ask.run_id) as [string, string, ...string[]];
    expect((await stack.api.resume(second, freeText('out of turn'))).status).toBe(200);
    expect((await stack.api.read(root)).children_awaiting.map((ask) => ask.run_id)).toEqual([oldest, ...others]);
    // Side by side, some at a time; a worker that is behind with its work makes a 202 of a 200, and loses nothing.
    const left = [oldest, ...others];
    while (left.length > 0) {
      const replies = await Promise.all(left.splice(0, 20).map((runId) => stack.api.resume(runId, freeText(runId))));
      for (const reply of replies) expect([200, 202]).toContain(reply.status);
    }

    await stack.client.workflow.getHandle(root).result();
    expect((await stack.api.read(root)).status).toBe('completed');
    for (const runId of [oldest, ...others]) {
      expect(await stack.api.toolResults(runId)).toEqual([{ answer: runId }]);
    }
    const results = (await stack.api.toolResults(middle)) as { result: { text: string } }[];
    expect(results.map(({ result }) => result.text)).toEqual(asking.map((_ask, k) => `end ${k}`));
    for (const runId of [root, middle]) {
      const frames = await framesOf(stack.api, runId);
      expect(frames.filter(([type]) => type === 'child_needs_human')).toHaveLength(WIDTH);
      expect(frames.filter(([type, , outcome]) => type === 'child_ask_closed' && outcome === 'answered')).toHaveLength(
        WIDTH,
      );
    }
    expect(await failedTasks(stack.client, root, middle, oldest, second)).toEqual([]);
  }, 500_000);
});
