/** A tool under which the worker is lost at every attempt: what is told is what is known. */
import { Context } from '@temporalio/activity';
import { z } from 'zod';
import { defineTool } from '../../activities/define';
import { ModelStack, wireAgent } from '../support/model-agents';
import { toolMessages, type WireRequest } from '../support/openai-server';

/** Ends the waiting of what was lost, so that the worker can stop. */
const over = new AbortController();

/** From here on the server hears no more of this attempt, as if its worker had been killed. */
function loseTheWorker(): Promise<string> {
  Object.assign(Context.current(), { heartbeat: () => undefined });
  return new Promise((resolve) => over.signal.addEventListener('abort', () => resolve('too late')));
}

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({}),
  attempts: 1,
  execute: loseTheWorker,
});

describe('a worker that is lost', () => {
  let on: ModelStack;
  beforeAll(async () => (on = await ModelStack.start([wireAgent('payer', { tools: [pay] })])), 120_000);
  afterAll(async () => {
    over.abort();
    await on.stop();
  });

  test('under a tool: the model hears that, and that nobody knows what the tool did', async () => {
    on.models.plays('payer', { calls: [{ name: 'pay', args: {} }] }, { text: 'unsure' });
    expect((await on.ended('payer')).result).toEqual({ text: 'unsure' });
    expect(toolMessages(on.models.requestsOf('payer').at(-1) as WireRequest)).toEqual([
      {
        error: 'tool_lost',
        message:
          'its worker gave no more sign of life: it ended or hung (at its one attempt). The tool may or may not have taken effect',
      },
    ]);
  });
});
