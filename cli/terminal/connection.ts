/** Which API a command talks to, and with which key. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { HoldpointClient } from '../../client';
import { CommandError, EXIT } from './exit';

export const DEFAULT_URL = 'http://127.0.0.1:8787';

/** The client of a command at a terminal. Throws `CommandError`. */
export function connect(url: string | undefined, env: NodeJS.ProcessEnv = process.env): HoldpointClient {
  return new HoldpointClient({ ...connectionOf(url, env), headers: { 'holdpoint-channel': 'cli' } });
}

/**
 * The API, by `--url` or `HOLDPOINT_URL`, and `HOLDPOINT_API_KEY`. Without the latter the key that `holdpoint dev` keeps in
 * the data folder is taken, for an API on this machine only: it is no other's business. Throws `CommandError`.
 */
export function connectionOf(url: string | undefined, env: NodeJS.ProcessEnv): { url: string; key: string } {
  const address = url ?? (env.HOLDPOINT_URL || DEFAULT_URL);
  const parsed = parseUrl(address);
  const key =
    env.HOLDPOINT_API_KEY || (isThisMachine(parsed) ? keptKey(env.HOLDPOINT_DATA_DIR || '.holdpoint') : undefined);
  if (key === undefined) {
    const message = `no API key: set HOLDPOINT_API_KEY${isThisMachine(parsed) ? ', or be in the folder in which `holdpoint dev` was started' : ''}`;
    throw new CommandError(message, EXIT.noAccess, 'unauthorized');
  }
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new CommandError('HOLDPOINT_API_KEY is no key: visible ASCII without spaces', EXIT.noAccess, 'unauthorized');
  return { url: address, key };
}

function parseUrl(address: string): URL {
  const parsed = URL.canParse(address) ? new URL(address) : undefined;
  if (parsed && /^https?:$/.test(parsed.protocol) && parsed.username === '' && parsed.search === '') return parsed;
  throw new CommandError(`HOLDPOINT_URL (or --url) must be an address such as ${DEFAULT_URL}`, EXIT.usage);
}

function isThisMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** The key of the data folder; undefined when there is none. */
function keptKey(dataDir: string): string | undefined {
  try {
    const keys = JSON.parse(readFileSync(path.join(dataDir, 'api-keys.json'), 'utf8')) as { key?: string }[];
    return keys.find((entry) => typeof entry.key === 'string')?.key;
  } catch {
    return undefined;
  }
}
