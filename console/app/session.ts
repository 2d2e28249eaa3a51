/** Who is signed in. The key lives in this tab: in memory and, so that a reload keeps it, in session storage. */
import type { Caller } from '../../client';
import { Connection } from '../net/connection';

export interface Session {
  connection: Connection;
  caller: Caller;
}

const STORED = 'holdpoint:key';

/** The address that this page came from, which is the API's own. */
const BASE = new URL('.', location.origin + location.pathname).href;

/** Tries a key. Throws `HoldpointError`: 401 when it is none. `onRefused` is called when the key stops being one. */
export async function signIn(key: string, onRefused: () => void): Promise<Session> {
  let known = false;
  const connection = new Connection({ url: BASE, key, onUnauthorized: () => known && onRefused() });
  const caller = await connection.client.me();
  known = true;
  keepKey(key);
  return { connection, caller };
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
