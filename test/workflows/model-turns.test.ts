/** Model-driven agents over the real wire: turns, tools, and what the model is told. */
import { z } from 'zod';
import { defineTool } from '../../activities/define';
import { failedTasks } from '../support/histories';
import { MissionControl } from '../support/mission-control';
import { MODEL_KEY, ModelStack, wireAgent } from '../support/model-agents';
import { toolMessages, type WireRequest } from '../support/openai-server';
import { freeText, pick } from '../support/scripts';

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
const fails = defineTool({
  name: 'fails',
  description: 'Fails.',
  input: z.object({}),
  attempts: 2,
  execute: (_args, { attempt }) => {
    throw new Error(`attempt ${attempt} with ${MODEL_KEY}`);
  },
});
const huge = defineTool({
  name: 'huge',
  description: 'Says much.',
  input: z.object({}),
  execute: () => 'x'.repeat(400 * 1024),
});
const slow = defineTool({
  name: 'slow',
  description: 'Never ends.',
  input: z.object({}),
  timeoutMs: 500,
  attempts: 1,
  execute: (_args, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped'))),
});
const say = wireAgent('sayer', { input: z.object({ word: z.string() }) });
const agents = [
  wireAgent('adder', { tools: [add], temperature: 0.5, maxOutputTokens: 77 }),
  wireAgent('worker', { tools: [add, fails, huge, slow] }),
  wireAgent('plain'),
  wireAgent('chief', { subAgents: [say] }),
  wireAgent('judge', { output: z.object({ verdict: z.enum(['yes', 'no']) }) }),
  wireAgent('small', { tools: [huge], contextBytes: 50 * 1024 }),
  wireAgent('changing', { tools: [add] }),
];
const asks = (question: string) => ({ name: 'ask_a_human', args: { kind: 'free_form', question } });

describe('model turns', () => {
  let on: ModelStack;
  beforeAll(async () => (on = await ModelStack.start(agents)), 120_000);
  afterAll(() => on.stop());

  const last = (model: string): WireRequest => on.models.requestsOf(model).at(-1) as WireRequest;

  test('a tool call goes out, its result comes back, the final text is the result, and tokens are counted', async () => {
    on.models.plays(
      'adder',
      { text: 'Adding.', calls: [{ id: 'abc123def', name: 'add', args: { a: 2, b: 3 } }], tokens: 20 },
      { text: 'It is 5.', tokens: 30 },
    );
    const run = await on.ended('adder', { task: 'add 2 and 3' });
    expect(run).toMatchObject({ status: 'completed', result: { text: 'It is 5.' }, error: null });
    const [first, second] = on.models.requestsOf('adder');
    expect(first?.authorization).toBe(`Bearer ${MODEL_KEY}`);
    expect(first?.body).toMatchObject({ temperature: 0.5, max_tokens: 77 });
    expect(first?.body.messages).toEqual([
      { role: 'system', content: 'You are adder.' },
      { role: 'user', content: JSON.stringify({ task: 'add 2 and 3' }, null, 2) },
    ]);
    expect(first?.body.tools?.map((tool) => tool.function.name)).toEqual(['ask_a_human', 'add']);
    expect(first?.body.tools?.[1]?.function.parameters).toMatchObject({
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    });
    expect(second?.body.messages.slice(2)).toMatchObject([
      { role: 'assistant', content: 'Adding.', tool_calls: [{ id: 'abc123def', function: { name: 'add' } }] },
      { role: 'tool', tool_call_id: 'abc123def', content: '{"sum":5}' },
    ]);
    expect(keys).toEqual([`${run.run_id}:call_1_1`]);
    const { body } = await on.stack.api.call('GET', `/agents/${run.run_id}/messages`);
    expect(body.tokens).toBe(50);
    const steps = (await on.stack.api.events(run.run_id)).filter(({ type }) => type === 'step.completed');
    expect(steps.map(({ data }) => [data.name, data.tokens])).toEqual([
      ['model turn 1', 20],
      ['Add up', undefined],
      ['model turn 2', 30],
    ]);
    const { steps: timeline } = await new MissionControl(on.stack.api).status(run.run_id);
    expect(timeline.map(({ name, tokenCount }) => [name, tokenCount])).toEqual([
      ['model turn 1', 20],
      ['Add up', 0],
      ['model turn 2', 30],
    ]);
    const history = await on.historyText(run.run_id);
    expect(history).toContain('You are adder.');
    expect(history).not.toContain(MODEL_KEY);
  });

  test('calls of one turn run side by side and come back in their order; wrong ones are told, not thrown', async () => {
    on.models.plays(
      'worker',
      {
        calls: [
          { name: 'add', args: { a: 1, b: 1 } },
          { name: 'add', args: '{"a": 1, "b": ' },
          { name: 'add', args: { a: 'one', b: 1 } },
          { name: 'no_such_tool', args: {} },
          { name: 'sleep', args: { ms: 1 } },
          { name: 'fails', args: {} },
          { name: 'huge', args: {} },
          { name: 'slow', args: {} },
        ],
      },
      { text: 'done' },
    );
    const run = await on.ended('worker');
    expect(run).toMatchObject({ status: 'completed', result: { text: 'done' } });
    const results = toolMessages(last('worker'));
    expect(results).toEqual([
      { sum: 2 },
      { error: 'invalid_arguments', message: 'the arguments are not valid JSON' },
      { error: 'invalid_arguments', message: expect.stringMatching(/^a must be number/) },
      { error: 'unknown_tool', message: 'no such tool; there are ask_a_human, add, fails, huge, slow' },
      { error: 'unknown_tool', message: expect.any(String) },
      { error: 'tool_failed', message: 'attempt 2 with [key]' },
      { cut: true, note: expect.stringContaining('bytes and was cut'), result: expect.stringMatching(/^x{100000,}…$/) },
      { error: 'tool_timed_out', message: expect.any(String) },
    ]);
    expect(await on.historyText(run.run_id)).not.toContain(MODEL_KEY);
    expect(await failedTasks(on.stack.client, run.run_id)).toEqual([]);
  });

  test('a model that asks twice in one turn has one question put, and is told so', async () => {
    on.models.plays('plain', { calls: [asks('First?'), asks('Second?')] }, { text: 'thanks' });
    const runId = await on.start('plain');
    const waiting = await on.stack.api.untilWaiting(runId);
    expect(waiting.pending_input_context?.question).toBe('First?');
    expect((await on.stack.api.resume(runId, freeText('yes'))).status).toBe(200);
    expect((await on.stack.api.untilEnded(runId)).result).toEqual({ text: 'thanks' });
    expect(toolMessages(last('plain'))).toEqual([{ answer: 'yes' }, { error: 'ask_in_flight' }]);
  });

  test('a sub-agent is offered with its input, judged before it is started, and its result comes back', async () => {
    on.models.plays('sayer', { text: 'hello' });
    on.models.plays(
      'chief',
      {
        calls: [
          { name: 'delegate', args: { agent: 'sayer', input: { word: 1 } } },
          { name: 'delegate', args: { agent: 'adder', input: {} } },
          { name: 'delegate', args: { agent: 'sayer', input: { word: 'hello' } } },
        ],
      },
      { text: 'said' },
    );
    const run = await on.ended('chief');
    expect(run.result).toEqual({ text: 'said' });
    const offered = last('chief').body.tools?.find((tool) => tool.function.name === 'delegate')?.function;
    expect(offered?.description).toContain('- sayer: The agent sayer.');
    expect(offered?.parameters).toMatchObject({
      properties: { agent: { enum: ['sayer'] }, input: { properties: { word: { type: 'string' } } } },
    });
    expect(toolMessages(last('chief'))).toEqual([
      { error: 'invalid_arguments', message: expect.stringMatching(/^input\.word: /) },
      { error: 'unknown_agent', message: 'there is no such sub-agent; there are: sayer' },
      { child_run_id: expect.any(String), result: { text: 'hello' } },
    ]);
  });

  test('a final answer has to fit the output schema; the model may mend it once', async () => {
    const bad = { text: '{"verdict":"maybe"}' };
    on.models.plays('judge', bad, { text: '```json\n{"verdict":"yes"}\n```' });
    const mended = await on.ended('judge');
    expect(mended.result).toEqual({ text: '```json\n{"verdict":"yes"}\n```', output: { verdict: 'yes' } });
    expect(last('judge').body.messages[0]?.content).toContain('"enum":["yes","no"]');
    expect(last('judge').body.messages.at(-1)).toMatchObject({
      role: 'user',
      content: expect.stringContaining('verdict must be equal to one of the allowed values'),
    });
    on.models.plays('judge', { text: 'Yes.' });
    expect(await on.ended('judge')).toMatchObject({ status: 'failed', error: { code: 'invalid_output' } });
    expect(on.models.requestsOf('judge')).toHaveLength(2);
  });

  test('a long transcript is sent without its oldest turns, and no result without its call', async () => {
    const call = { calls: [{ name: 'huge', args: {} }] };
    on.models.plays('small', call, call, call, call, { text: 'done' });
    const run = await on.ended('small', 'the task');
    expect(run.result).toEqual({ text: 'done' });
    const { messages } = last('small').body;
    expect(JSON.stringify(messages).length).toBeLessThan(60 * 1024);
    expect(messages[0]?.content).toMatch(/earlier messages of this conversation are left out/);
    expect(messages[1]).toEqual({ role: 'user', content: 'the task' });
    const called = messages.flatMap(({ tool_calls }) => (tool_calls ?? []).map(({ id }) => id));
    expect(messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual(called);
    expect(called.length).toBeLessThan(4);
    expect((await on.stack.api.call('GET', `/agents/${run.run_id}/messages`)).body.total).toBe(10);
  });

  test('a deploy changes nothing for a paused run; a tool that is gone is told to the model', async () => {
    on.models.plays(
      'changing',
      { calls: [asks('Go on?')] },
      { calls: [{ name: 'add', args: { a: 1, b: 2 } }] },
      { text: 'ok' },
    );
    const runId = await on.start('changing');
    await on.stack.api.untilWaiting(runId);
    const spec = agents.find(({ name }) => name === 'changing')?.spec;
    if (!spec) throw new Error('no spec');
    Object.assign(spec, { instructions: 'You are another.', tools: [], model: 'openai-compatible:other' });
    expect((await on.stack.api.resume(runId, freeText('yes'))).status).toBe(200);
    expect((await on.stack.api.untilEnded(runId)).result).toEqual({ text: 'ok' });
    expect(last('changing').body.messages[0]?.content).toBe('You are changing.');
    expect(last('changing').body.tools?.map((tool) => tool.function.name)).toContain('add');
    expect(toolMessages(last('changing'))[1]).toMatchObject({ error: 'tool_unavailable' });
  });

  test.each([
    ['none', { error: 'no_human_in_loop' }],
    ['auto', { skipped: true, reason: 'on_question_auto' }],
  ])('under %s the model hears that nobody answers', async (mode, result) => {
    on.models.plays('plain', { calls: [asks('Hello?')] }, { text: 'alone' });
    expect((await on.ended('plain', 'go', { on_question: mode })).result).toEqual({ text: 'alone' });
    expect(toolMessages(last('plain'))).toEqual([result]);
  });

  test('a choice is answered with the option that the person took', async () => {
    const choice = { kind: 'multiple_choice', question: 'Which?', options: ['A', 'B', 'Other'] };
    on.models.plays('plain', { calls: [{ name: 'ask_a_human', args: choice }] }, { text: 'B it is' });
    const runId = await on.start('plain');
    await on.stack.api.untilWaiting(runId);
    expect((await on.stack.api.resume(runId, pick('q1_o2'))).status).toBe(200);
    await on.stack.api.untilEnded(runId);
    expect(toolMessages(last('plain'))).toEqual([{ answer: 'B', option_id: 'q1_o2' }]);
  });
});
