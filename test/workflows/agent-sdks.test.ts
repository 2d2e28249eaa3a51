/** `ask_a_human` in agents of the OpenAI Agents SDK and of the AI SDK, over the real wire to a local model server. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { OpenAIProvider } from '@openai/agents-openai';
import { AiSdkPlugin } from '@temporalio/ai-sdk';
import { OpenAIAgentsPlugin } from '@temporalio/openai-agents';
import OpenAI from 'openai';
import { HoldpointPlugin } from '../../worker';
import { freeText, pick } from '../support/scripts';
import { LibraryStack, bundleOf } from '../support/library/stack';
import { OpenAiServer, toolMessages } from '../support/openai-server';
import { historyTypes } from '../support/stack';

const MODEL = 'gpt-4o-mini';
const ask = (args: unknown) => ({ calls: [{ name: 'ask_a_human', args }] });

let model: OpenAiServer;
beforeAll(async () => {
  model = await OpenAiServer.start();
});
afterAll(() => model.stop());

describe('@temporalio/openai-agents', () => {
  let stack: LibraryStack;
  beforeAll(async () => {
    const openAIClient = new OpenAI({ apiKey: 'none', baseURL: model.url, maxRetries: 0 });
    const openAi = new OpenAIAgentsPlugin({
      modelProvider: new OpenAIProvider({ openAIClient, useResponses: false }),
    });
    const plugins = [openAi, new HoldpointPlugin()];
    const bundle = await bundleOf(require.resolve('../../examples/agent-sdks/openai-agents'), { plugins });
    stack = await LibraryStack.start(bundle, { worker: { plugins, activities: {} }, client: { plugins: [openAi] } });
  });
  afterAll(() => stack.stop());

  test('an agent and the agent that it uses as a tool both ask; the run pauses for each', async () => {
    model.plays(
      MODEL,
      ask({ kind: 'multiple_choice', question: 'Which city?', options: ['Lisbon', 'Porto'] }),
      { calls: [{ name: 'booker', args: { input: 'a hotel in Porto' } }] },
      // The nested agent: a question that cannot be put, then a good one.
      ask({ kind: 'free_form', question: '' }),
      ask({ kind: 'free_form', question: 'How many nights?' }),
      { text: 'Booked 3 nights.' },
      { text: 'Porto it is, 3 nights.' },
    );
    const runId = await stack.begin('travelDesk', ['Plan a trip']);
    const first = await stack.api.untilWaiting(runId, 'q1');
    expect(first.pending_input_context).toMatchObject({ question: 'Which city?', kind: 'multiple_choice' });
    expect((await stack.api.resume(runId, pick('q1_o2'))).status).toBe(200);
    expect((await stack.api.untilWaiting(runId, 'q2')).pending_input_context?.question).toBe('How many nights?');
    expect((await stack.api.resume(runId, freeText('3'))).status).toBe(200);
    expect(await stack.result(runId)).toBe('Porto it is, 3 nights.');
    const requests = model.requestsOf(MODEL);
    expect(requests).toHaveLength(6);
    expect(toolMessages(requests[1] as never)).toEqual([{ answer: 'Porto', option_id: 'q1_o2' }]);
    expect(toolMessages(requests[4] as never)).toEqual([
      expect.objectContaining({ error: 'invalid_question' }),
      { answer: '3' },
    ]);
    expect(requests[0]?.body.tools?.map((tool) => tool.function.name).sort()).toEqual(['ask_a_human', 'booker']);
    expect(await stack.api.read(runId)).toMatchObject({ status: 'completed', agent: 'travelDesk' });
    expect(await historyTypes(stack.client, runId)).not.toContain('WorkflowTaskFailed');
  });
});

describe('@temporalio/ai-sdk', () => {
  let stack: LibraryStack;
  beforeAll(async () => {
    const modelProvider = createOpenAICompatible({ name: 'local', baseURL: model.url });
    const plugins = [new AiSdkPlugin({ modelProvider }), new HoldpointPlugin()];
    const bundle = await bundleOf(require.resolve('../../examples/agent-sdks/ai-sdk'), { plugins });
    stack = await LibraryStack.start(bundle, { worker: { plugins, activities: {} } });
  });
  afterAll(() => stack.stop());

  test('generateText asks, and goes on with the answer', async () => {
    model.plays(MODEL, ask({ kind: 'free_form', question: 'For whom?' }), { text: 'Written for investors.' });
    const runId = await stack.begin('writer', ['Write a brief']);
    expect((await stack.api.untilWaiting(runId)).pending_input_context?.question).toBe('For whom?');
    expect((await stack.api.resume(runId, freeText('investors'))).status).toBe(200);
    expect(await stack.result(runId)).toBe('Written for investors.');
    const [, second] = model.requestsOf(MODEL);
    expect(toolMessages(second as never)).toEqual([{ answer: 'investors' }]);
    expect(await historyTypes(stack.client, runId)).not.toContain('WorkflowTaskFailed');
  });
});
