/** Who is signed in. The key lives in this tab: in memory and, so that a reload keeps it, in session storage. */
import { Api } from '../net/api';

export type Scope = 'read' | 'start' | 'answer' | 'cancel';

/** Reply of `GET /me`. */
export interface Caller {
  name: string;
  workspace: string;
  scopes: Scope[];
  temporal_ui: string | null;
}

export interface Session {
  api: Api;
  caller: Caller;
}

const STORED = 'holdpoint:key';

/** The address that this page came from, which is the API's own. */
const BASE = new URL('.', location.origin + location.pathname).href;

/** Tries a key. Throws `ApiFailure`: 401 when it is none. `onRefused` is called when the key stops being one. */
export async function signIn(key: string, onRefused: () => void): Promise<Session> {
  const api = new Api({ base: BASE, key });
  const { body } = await api.call<Caller>('GET', '/me');
  api.onUnauthorized = onRefused;
  keepKey(key);
  return { api, caller: body };
}

export function storedKey(): string | null {
  try {
    return sessionStorage.getItem(STORED);
  } catch {
    return null;
  }
}

function keepKey(key: string): void {
  try {
    sessionStorage.setItem(STORED, key);
  } catch {
    // A browser that stores nothing: the key lives until the next reload.
  }
}

export function forgetKey(): void {
  try {
    sessionStorage.removeItem(STORED);
  } catch {
    // Nothing was kept.
  }
}
