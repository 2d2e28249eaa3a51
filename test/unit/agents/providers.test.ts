/** Providers of models: each is asked at its own address with its own key, and what it answers is classed. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { APICallError } from '@ai-sdk/provider';
import { AiSdkModel } from '../../../activities/models/ai-sdk-model';
import { modelFailure, retryAfterMs } from '../../../activities/models/failures';
import { languageModel, missingSettingOf, modelOfEnvironment, withoutKeys } from '../../../activities/models/providers';

const PROVIDERS = [
  ['openai-compatible', 'HOLDPOINT_MODEL_API_KEY', 'HOLDPOINT_MODEL_BASE_URL', '/chat/completions'],
  ['openai', 'OPENAI_API_KEY', 'OPENAI_BASE_URL', '/chat/completions'],
  ['anthropic', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', '/messages'],
  ['google', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_GENERATIVE_AI_BASE_URL', '/models/some-model:generateContent'],
] as const;

describe('providers', () => {
  const environment = { ...process.env };
  const seen: { path: string; headers: IncomingMessage['headers'] }[] = [];
  let server: Server;
  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push({ path: request.url ?? '', headers: request.headers });
      const key = String(
        request.headers.authorization ?? request.headers['x-api-key'] ?? request.headers['x-goog-api-key'],
      );
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: `bad key ${key}`, type: 'auth', code: 401, status: 'X' } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    for (const [, key, base] of PROVIDERS) {
      delete process.env[key];
      delete process.env[base];
    }
  });
  afterAll(() => {
    process.env = environment;
    server.close();
  });

  const request = (model: string) => ({
    run_id: 'r',
    agent: 'a',
    input: 'go',
    turn: 0,
    messages: [{ role: 'user' as const, content: 'go' }],
    definition: { name: 'a', description: 'd', instructions: 'i', model, built_ins: ['ask_a_human'], tools: [] },
  });

  test.each(PROVIDERS)(
    '%s is asked with its key at its address, and its 401 is told without the key',
    async (provider, key, base, path) => {
      const secret = `secret-of-${provider}`;
      process.env[key] = secret;
      process.env[base] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`;
      const asked = new AiSdkModel().respond(request(`${provider}:some-model`), new AbortController().signal);
      const failure: unknown = await asked.catch((error: unknown) => error);
      expect(failure).toMatchObject({ type: 'model_auth_failed', nonRetryable: true });
      expect((failure as Error).message).toContain(key);
      expect(JSON.stringify([failure, (failure as Error).message, (failure as Error).stack])).not.toContain(secret);
      expect(seen.at(-1)?.path).toBe(`/base${path}`);
      expect(JSON.stringify(seen.at(-1)?.headers)).toContain(secret);
    },
  );

  test.each(PROVIDERS)('%s without what it needs says what to set', async (provider, key, base) => {
    const needed = provider === 'openai-compatible' ? base : key;
    expect(missingSettingOf(`${provider}:x`)).toContain(needed);
    const asked = new AiSdkModel().respond(request(`${provider}:x`), new AbortController().signal);
    await expect(asked).rejects.toMatchObject({ type: 'model_auth_failed', message: expect.stringContaining(needed) });
  });

  test('a model is made once for its name, key and address', async () => {
    const env = { HOLDPOINT_MODEL_BASE_URL: 'http://127.0.0.1:1/v1', HOLDPOINT_MODEL_API_KEY: 'one' };
    const first = await languageModel('openai-compatible:x', env);
    expect(await languageModel('openai-compatible:x', { ...env })).toBe(first);
    for (const other of [{ HOLDPOINT_MODEL_API_KEY: 'two' }, { HOLDPOINT_MODEL_BASE_URL: 'http://127.0.0.1:2/v1' }]) {
      expect(await languageModel('openai-compatible:x', { ...env, ...other })).not.toBe(first);
    }
    expect(await languageModel('openai-compatible:y', env)).not.toBe(first);
  });

  test('the model of an environment is the one that is named, else a small one of a provider whose key is there', () => {
    expect(modelOfEnvironment({})).toBeUndefined();
    expect(modelOfEnvironment({ ANTHROPIC_API_KEY: 'x' })).toMatch(/^anthropic:/);
    expect(modelOfEnvironment({ OPENAI_API_KEY: 'x', HOLDPOINT_MODEL: 'google:y' })).toBe('google:y');
  });

  test('keys are taken out of whatever text', () => {
    expect(withoutKeys('a sk-123 b sk-123', { OPENAI_API_KEY: 'sk-123' })).toBe('a [key] b [key]');
  });
});

describe('Retry-After', () => {
  const after = (responseHeaders: Record<string, string>) => retryAfterMs({ responseHeaders });

  test('is read as seconds, as a date and as milliseconds, and obeyed for an hour at most', () => {
    expect(after({ 'Retry-After': '2' })).toBe(2_000);
    expect(after({ 'retry-after': '0' })).toBe(0);
    expect(after({ 'retry-after-ms': '1500', 'retry-after': '9' })).toBe(1_500);
    expect(after({ 'retry-after': '999999' })).toBe(3_600_000);
    const soon = after({ 'retry-after': new Date(Date.now() + 60_000).toUTCString() });
    expect(soon).toBeGreaterThan(50_000);
    expect(soon).toBeLessThanOrEqual(60_000);
  });

  test('is not made up from what is none', () => {
    for (const value of ['', 'soon', '-3', new Date(0).toUTCString()])
      expect(after({ 'retry-after': value })).toBeUndefined();
  });

  test('goes along with 429 and 5xx, which are tried again', () => {
    const error = (statusCode: number) =>
      new APICallError({
        message: 'no',
        url: 'u',
        requestBodyValues: {},
        statusCode,
        responseHeaders: { 'retry-after': '7' },
      });
    for (const [status, type] of [
      [429, 'model_rate_limited'],
      [503, 'model_unavailable'],
      [529, 'model_unavailable'],
    ] as const) {
      expect(modelFailure(error(status), 'openai:x', false)).toMatchObject({
        type,
        nonRetryable: false,
        nextRetryDelay: 7_000,
      });
    }
  });
});
