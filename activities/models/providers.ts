/** Providers of models, by name. Keys and addresses come from the environment of the worker and from nowhere else. */
import type { LanguageModel } from 'ai';

type Env = Record<string, string | undefined>;

interface Provider {
  /** Environment variables: its key, and its address where it is not the provider's own. */
  key: string;
  baseUrl: string;
  /** Whether it can be called without a key, or without an address. */
  needs: 'key' | 'base_url';
  load(settings: { apiKey: string | undefined; baseURL: string | undefined }, modelId: string): Promise<LanguageModel>;
}

// Each is loaded at its first use: a worker that asks no model pays nothing.
const PROVIDERS = new Map<string, Provider>([
  [
    'openai-compatible',
    {
      key: 'HOLDPOINT_MODEL_API_KEY',
      baseUrl: 'HOLDPOINT_MODEL_BASE_URL',
      needs: 'base_url',
      async load({ apiKey, baseURL }, modelId) {
        const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
        return createOpenAICompatible({ name: 'openai-compatible', ...given({ apiKey }), baseURL: baseURL ?? '' })(
          modelId,
        );
      },
    },
  ],
  [
    'openai',
    {
      key: 'OPENAI_API_KEY',
      baseUrl: 'OPENAI_BASE_URL',
      needs: 'key',
      async load(settings, modelId) {
        const { createOpenAI } = await import('@ai-sdk/openai');
        // Chat completions keep nothing at the provider: the run's own transcript is the only memory.
        return createOpenAI(given(settings)).chat(modelId);
      },
    },
  ],
  [
    'anthropic',
    {
      key: 'ANTHROPIC_API_KEY',
      baseUrl: 'ANTHROPIC_BASE_URL',
      needs: 'key',
      async load(settings, modelId) {
        const { createAnthropic } = await import('@ai-sdk/anthropic');
        return createAnthropic(given(settings))(modelId);
      },
    },
  ],
  [
    'google',
    {
      key: 'GOOGLE_GENERATIVE_AI_API_KEY',
      baseUrl: 'GOOGLE_GENERATIVE_AI_BASE_URL',
      needs: 'key',
      async load(settings, modelId) {
        const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
        return createGoogleGenerativeAI(given(settings))(modelId);
      },
    },
  ],
]);

/** Calls `refuse` with what is wrong with a model's name, if anything is. */
export function checkModelName(model: string, refuse: (problem: string) => void): void {
  const { provider, modelId } = parts(model);
  if (!PROVIDERS.has(provider) || modelId === '') {
    refuse(`model must be "provider:model", the provider one of ${[...PROVIDERS.keys()].join(', ')}`);
  }
}

/** What a worker lacks to call this model, in words that say what to set; null when it lacks nothing. */
export function missingSettingOf(model: string, env: Env = process.env): string | null {
  const provider = PROVIDERS.get(parts(model).provider);
  if (!provider) return `this worker knows no provider for the model ${model}`;
  const needed = provider.needs === 'key' ? provider.key : provider.baseUrl;
  return env[needed] ? null : `the model ${model} needs ${needed} in the environment of the worker`;
}

/** Name of the environment variable that holds the key for this model. */
export function keyVariableOf(model: string): string {
  return PROVIDERS.get(parts(model).provider)?.key ?? 'the key';
}

/** By name, key and address. There are as many as agents name, and no more. */
const loaded = new Map<string, Promise<LanguageModel>>();

/**
 * The model by its name. Call `missingSettingOf` first. Made once: a provider builds the schemas of its wire for each model
 * that it makes, which takes longer than the rest of a turn.
 */
export async function languageModel(model: string, env: Env = process.env): Promise<LanguageModel> {
  const { provider: name, modelId } = parts(model);
  const provider = PROVIDERS.get(name);
  if (!provider) throw new TypeError(`no provider ${name}`);
  const settings = { apiKey: env[provider.key] || undefined, baseURL: env[provider.baseUrl] || undefined };
  const which = JSON.stringify([model, settings.apiKey, settings.baseURL]);
  const known = loaded.get(which);
  if (known) return known;
  const loading = provider.load(settings, modelId);
  loaded.set(which, loading);
  loading.catch(() => loaded.delete(which));
  return loading;
}

/** A small model of each provider, for examples that run on whatever key there is. */
const SMALL = [
  ['OPENAI_API_KEY', 'openai:gpt-4.1-mini'],
  ['ANTHROPIC_API_KEY', 'anthropic:claude-haiku-4-5'],
  ['GOOGLE_GENERATIVE_AI_API_KEY', 'google:gemini-2.5-flash'],
] as const;

/** The model that the environment offers: `HOLDPOINT_MODEL`, else a small one of a provider whose key is there; else none. */
export function modelOfEnvironment(env: Env = process.env): string | undefined {
  return env.HOLDPOINT_MODEL || SMALL.find(([key]) => env[key])?.[1];
}

/** A text without the keys of any provider: error messages of providers and tools may quote them. */
export function withoutKeys(text: string, env: Env = process.env): string {
  let clean = text;
  for (const { key } of PROVIDERS.values()) {
    const secret = env[key];
    if (secret && secret.length >= 4) clean = clean.split(secret).join('[key]');
  }
  return clean;
}

function parts(model: string): { provider: string; modelId: string } {
  const at = model.indexOf(':');
  return at < 0 ? { provider: model, modelId: '' } : { provider: model.slice(0, at), modelId: model.slice(at + 1) };
}

/** Without what is undefined: the factories tell a setting that is missing from one that is not there. */
function given<T extends object>(settings: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as never;
}
