/** Questions from far below: seen by every run above, answered on the run that asks. */
import type { Agent } from '../../activities';
import type { Json } from '../../workflows/contract';
import { failedTasks } from '../support/histories';
import { freeText } from '../support/scripts';
import { TestStack } from '../support/stack';
import { framesOf, lineOf, untilAwaiting } from '../support/trees';

/** Delegates to itself `levels` deep; the innermost asks. Each hands on what it got back. */
const nester: Agent = {
  name: 'nester',
  description: 'For tests.',
  model: {
    respond: ({ turn, input, messages }) => {
      const { levels } = input as { levels: number };
      if (turn > 0) {
        const last = messages.at(-1);
        const text = JSON.stringify(last?.role === 'tool' ? last.result : null);
        return Promise.resolve({ text, calls: [], final: true, tokens: 0 });
      }
      const call: { tool: string; args: Json } =
        levels === 0
          ? { tool: 'ask_a_human', args: { kind: 'free_form', question: 'Deep enough?' } }
          : { tool: 'delegate', args: { agent: 'nester', input: { levels: levels - 1 } } };
      return Promise.resolve({ text: null, calls: [{ id: 'call_1', ...call }], final: false, tokens: 0 });
    },
  },
};

describe('escalation through many levels', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start({ agents: [nester] })));
  afterAll(() => stack.stop());

  const start = async (levels: number) => {
    const { body } = await stack.api.call<{ run_id: string }>('POST', '/agents', {
      agent: 'nester',
      input: { levels },
    });
    return body.run_id;
  };

  test.each([5, 16])(
    'a question %i levels down is seen at each level, once, and answered on its own run',
    async (depth) => {
      const root = await start(depth);
      const line = await lineOf(stack.api, root, depth);
      const asker = line.at(-1) ?? '';
      const waiting = await stack.api.untilWaiting(asker);
      for (const [level, runId] of line.slice(0, -1).entries()) {
        expect(await untilAwaiting(stack.api, runId, 1)).toEqual([{ run_id: asker, ask_id: 'q1' }]);
        const events = await stack.api.events(runId);
        const frames = events.filter((event) => event.type === 'child_needs_human');
        expect(frames.map((frame) => frame.data)).toEqual([
          {
            child_run_id: asker,
            question: waiting.pending_input_context,
            timestamp: waiting.pending_input_context?.asked_at,
          },
        ]);
        expect(await stack.api.read(runId)).toMatchObject({
          status: 'running',
          root_run_id: root,
          parent_run_id: line[level - 1] ?? null,
          pending_input_context: null,
        });
        expect((await stack.api.resume(runId, freeText('not here'))).status).toBe(409);
      }
      expect(new Set(line).size).toBe(depth + 1);
      for (const runId of line) expect(runId).toMatch(/^run_[0-9a-z]{20,}$/);

      expect((await stack.api.resume(asker, freeText('yes'))).status).toBe(200);
      expect((await stack.api.untilEnded(root)).status).toBe('completed');
      for (const runId of line.slice(0, -1)) {
        expect(await framesOf(stack.api, runId)).toEqual([
          ['child_needs_human', asker],
          ['child_ask_closed', asker, 'answered'],
        ]);
      }
      expect(await failedTasks(stack.client, ...line)).toEqual([]);
    },
  );

  test('one level more than 16 is a tool error to the run that wanted it, not a crash', async () => {
    const root = await start(17);
    const line = await lineOf(stack.api, root, 16);
    const ended = await stack.api.untilEnded(root);
    expect(ended.status).toBe('completed');
    const [result] = await stack.api.toolResults(line.at(-1) ?? '');
    expect(result).toEqual({ error: 'too_deep', message: expect.stringContaining('16') });
    expect(await failedTasks(stack.client, ...line)).toEqual([]);
  });
});
