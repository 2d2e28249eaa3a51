/** Settings from the environment. A bad one stops the start with one line that names it (CONTRACT §12). */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { apiKeysSchema, type ApiKeySettings } from '../api/keys';
import { DEFAULT_TASK_QUEUE } from '../workflows/contract';

/** A setting is wrong: the message is one line and names it. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

type Env = Record<string, string | undefined>;

function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);
}

const text = z.string().min(1);
const onOff = z
  .enum(['1', '0', 'true', 'false'], 'must be 1 or 0')
  .default('0')
  .transform((value) => value === '1' || value === 'true');

/** Origins as browsers send them, apart by commas or spaces. */
const origins = z
  .string()
  .default('')
  .transform((value) => value.split(/[\s,]+/).filter(Boolean))
  .refine(
    (list) => list.every((origin) => origin === '*' || isOrigin(origin)),
    'must be a list of origins such as https://app.example.com, or *',
  );

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

const settingsSchema = z.object({
  PORT: wholeNumber(0, 65_535).default(8787),
  HOST: text.regex(/^[A-Za-z0-9.:_-]+$/, 'must be a host name or an address').default('127.0.0.1'),
  HOLDPOINT_DATA_DIR: text.default('.holdpoint'),
  HOLDPOINT_TASK_QUEUE: text.max(200, 'must be at most 200 characters').default(DEFAULT_TASK_QUEUE),
  HOLDPOINT_MAX_CACHED_WORKFLOWS: wholeNumber(0, 1_000_000).optional(),
  HOLDPOINT_RATE_LIMIT: wholeNumber(1, 1_000_000).default(1_000),
  HOLDPOINT_AGENTS: text.optional(),
  HOLDPOINT_CORS_ORIGINS: origins,
  HOLDPOINT_TEMPORAL_UI: z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }).optional(),
  HOLDPOINT_SCRIPTED: onOff,
  HOLDPOINT_EFFECTS_FILE: text.optional(),
  HOLDPOINT_CONTINUE_AS_NEW_AFTER: wholeNumber(10, 50_000).optional(),
  HOLDPOINT_API_KEYS: text.optional(),
  HOLDPOINT_API_KEYS_FILE: text.optional(),
  HOLDPOINT_METRICS_PORT: wholeNumber(0, 65_535).optional(),
  HOLDPOINT_OTEL: onOff,
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'must be a level such as info or warn')
    .default('info'),
  TEMPORAL_ADDRESS: z
    .string()
    .regex(/^\S+:\d{1,5}$/, 'must be host:port')
    .refine((address) => Number(address.split(':').at(-1)) <= 65_535, 'must be host:port, the port at most 65535')
    .optional(),
});
export type Settings = z.infer<typeof settingsSchema>;

/** Reads the settings; an empty variable counts as one that is not set. Throws `SettingsError`. */
export function readSettings(env: Env = process.env): Settings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = settingsSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SettingsError(`${String(issue?.path[0])} ${issue?.message}`);
}

/** The API keys that the settings name, undefined when they name none. Throws `SettingsError`, never showing a key. */
export function readApiKeys(settings: Settings): ApiKeySettings | undefined {
  const { HOLDPOINT_API_KEYS: inline, HOLDPOINT_API_KEYS_FILE: file } = settings;
  if (inline !== undefined) return parseApiKeys('HOLDPOINT_API_KEYS', inline);
  if (file === undefined) return undefined;
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    throw new SettingsError(`HOLDPOINT_API_KEYS_FILE cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  return parseApiKeys('HOLDPOINT_API_KEYS_FILE', content);
}

function parseApiKeys(setting: string, content: string): ApiKeySettings {
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch {
    throw new SettingsError(`${setting} is not JSON`);
  }
  const parsed = apiKeysSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    // A field that nobody knows may be a key in the wrong place: it is not named.
    const message = issue?.code === 'unrecognized_keys' ? 'it has an unknown field' : issue?.message;
    throw new SettingsError(`${setting} is wrong at ${issue?.path.map(String).join('.') || 'its top'}: ${message}`);
  }
  return json as ApiKeySettings;
}
