/** Failures of a model's provider over the real wire: what stops a run at once, what is asked again, and when. */
import { z } from 'zod';
import { defineTool } from '../../activities/define';
import { MODEL_KEY, ModelStack, wireAgent } from '../support/model-agents';

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
});
const agents = [
  wireAgent('plain'),
  wireAgent('hasty', { modelTimeoutMs: 400 }),
  wireAgent('endless', { tools: [add], maxTurns: 3 }),
];

describe('a model that fails', () => {
  let on: ModelStack;
  beforeAll(async () => (on = await ModelStack.start(agents)), 120_000);
  afterAll(() => on.stop());

  test.each([
    ['401', { status: 401, body: { error: { message: `Incorrect API key: ${MODEL_KEY}` } } }, 'model_auth_failed'],
    ['403', { status: 403 }, 'model_auth_failed'],
    [
      '400',
      { status: 400, body: { error: { message: `temperature is wrong for ${MODEL_KEY}` } } },
      'model_bad_request',
    ],
    ['404', { status: 404, body: { error: { message: 'no such model' } } }, 'model_not_found'],
    [
      'an over-long context',
      { status: 400, body: { error: { message: "This model's maximum context length is 8192 tokens." } } },
      'context_too_long',
    ],
    [
      'a quota that is used up',
      { status: 429, body: { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } } },
      'model_quota_exhausted',
    ],
    ['a filtered answer', { finish: 'content_filter' }, 'model_filtered'],
    ['an answer that is cut', { text: 'The three steps are: fir', finish: 'length' }, 'output_cut'],
  ])('%s stops the run at once with a readable error', async (_what, reply, code) => {
    on.models.plays('plain', reply);
    const run = await on.ended('plain');
    expect(run).toMatchObject({ status: 'failed', error: { code, message: expect.stringContaining('plain') } });
    expect(on.models.requestsOf('plain')).toHaveLength(1);
    expect(JSON.stringify(run)).not.toContain(MODEL_KEY);
    expect(await on.historyText(run.run_id)).not.toContain(MODEL_KEY);
  });

  test('429 is asked again, and not before its Retry-After', async () => {
    on.models.plays('plain', { status: 429, headers: { 'retry-after': '3' } }, { text: 'now' });
    expect((await on.ended('plain')).result).toEqual({ text: 'now' });
    const [first, second] = on.models.requestsOf('plain');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(3_000);
  });

  test.each([
    ['a 500', { status: 500 }],
    ['a 503 that is no JSON', { status: 503, body: '<html>' }],
    ['a reply that is cut off', { status: 200, body: '{"choices": [' }],
  ])('%s is asked again', async (_what, reply) => {
    on.models.plays('plain', reply, { text: 'now' });
    expect((await on.ended('plain')).result).toEqual({ text: 'now' });
    expect(on.models.requestsOf('plain')).toHaveLength(2);
  });

  test('a model that does not answer in time is asked again', async () => {
    on.models.plays('hasty', { hang: true }, { text: 'here' });
    expect((await on.ended('hasty')).result).toEqual({ text: 'here' });
    expect(on.models.requestsOf('hasty')).toHaveLength(2);
  });

  test('a turn that is cut behind whole calls runs those, and an empty answer is one', async () => {
    const call = { name: 'add', args: { a: 1, b: 1 } };
    on.models.plays('endless', { calls: [call], finish: 'length' }, { finish: 'stop' });
    expect(await on.ended('endless')).toMatchObject({ status: 'completed', result: { text: '' } });
  });

  test('a model that goes on and on ends the run with max_turns', async () => {
    on.models.plays('endless', { calls: [{ name: 'add', args: { a: 1, b: 1 } }] });
    expect(await on.ended('endless')).toMatchObject({ status: 'failed', error: { code: 'max_turns' } });
    expect(on.models.requestsOf('endless')).toHaveLength(3);
  });
});
