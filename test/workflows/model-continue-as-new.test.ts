/** A model-driven run through continue-as-new: all that it has recorded goes on. */
import { z } from 'zod';
import { defineTool } from '../../activities/define';
import { executionsOf } from '../support/histories';
import { ModelStack, wireAgent } from '../support/model-agents';
import { toolMessages, type WireRequest } from '../support/openai-server';
import { freeText } from '../support/scripts';

const keys: string[] = [];
const add = defineTool({
  name: 'add',
  title: 'Add up',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }, { idempotencyKey }) => {
    keys.push(idempotencyKey);
    return { sum: a + b };
  },
});
const asks = (question: string) => ({ name: 'ask_a_human', args: { kind: 'free_form', question } });

describe('a model-driven run that continues as new', () => {
  let on: ModelStack;
  const keeper = wireAgent('keeper', { tools: [add], output: z.object({ sum: z.number() }), maxTurns: 7 });
  beforeAll(async () => (on = await ModelStack.start([keeper], { continueAsNewAfter: 15 })), 120_000);
  afterAll(() => on.stop());

  test('keeps its definition, its transcript, its tokens and the numbers of its calls', async () => {
    const call = (a: number) => ({ calls: [{ id: 'call_0', name: 'add', args: { a, b: 1 } }] });
    on.models.plays(
      'keeper',
      call(1),
      call(2),
      call(3),
      { calls: [asks('Done?')] },
      { text: 'no JSON' },
      { text: '{"sum":9}' },
    );
    const runId = await on.start('keeper');
    await on.stack.api.untilWaiting(runId);
    Object.assign(keeper.spec ?? {}, { instructions: 'You are another.' });
    expect((await on.stack.api.resume(runId, freeText('yes'))).status).toBe(200);
    expect((await on.stack.api.untilEnded(runId)).result).toEqual({ text: '{"sum":9}', output: { sum: 9 } });
    expect((await executionsOf(on.stack.client, runId)).length).toBeGreaterThan(2);
    expect(keys).toEqual([1, 2, 3].map((turn) => `${runId}:call_${turn}_1`));
    const requests = on.models.requestsOf('keeper');
    expect(requests).toHaveLength(6);
    expect(requests.at(-1)?.body.messages[0]?.content).toMatch(/^You are keeper\./);
    expect(toolMessages(requests.at(-1) as WireRequest)).toEqual([
      { sum: 2 },
      { sum: 3 },
      { sum: 4 },
      { answer: 'yes' },
    ]);
    expect((await on.stack.api.call('GET', `/agents/${runId}/messages`)).body.tokens).toBe(90);
  });
});
