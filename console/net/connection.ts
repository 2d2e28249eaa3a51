/** One API with one way to be known to it: what the parts of a page share. */
import { HoldpointClient, HoldpointError } from '../../client';

export interface Access {
  /** Address of the API, with or without `/api/platform/v1`. */
  url: string;
  key: string | null;
  /** In place of the browser's own: for pages that authenticate in their own way. */
  fetch?: typeof fetch | undefined;
  /** Called at each 401. */
  onUnauthorized?: (() => void) | undefined;
}

/** The API answers within 10 s; a network may add to that. */
const TIMEOUT_MS = 15_000;
/** Readers look again by themselves soon, and a person should hear early that something is away. */
const RETRIES = 1;

export class Connection {
  readonly client: HoldpointClient;
  /** Absolute, without `/api/platform/v1`. */
  readonly url: string;

  constructor({ url, key, fetch: own, onUnauthorized }: Access) {
    this.url = new URL(url, document.baseURI).href.replace(/\/+$/, '').replace(/\/api\/platform\/v1$/, '');
    const send: typeof fetch = async (input, init) => {
      const response = await (own ?? window.fetch.bind(window))(input, { ...init, cache: 'no-store' });
      if (response.status === 401) onUnauthorized?.();
      return response;
    };
    this.client = new HoldpointClient({
      url: this.url,
      key: key ?? undefined,
      fetch: send,
      timeoutMs: TIMEOUT_MS,
      retries: RETRIES,
    });
  }
}

/** What a failed call came to, whatever was thrown. */
export function failureOf(error: unknown): HoldpointError {
  if (error instanceof HoldpointError) return error;
  return new HoldpointError({ code: 'connection_failed', message: String(error), status: 0, cause: error });
}

/** The same call may well succeed later: nobody knows whether this one did. */
export function isPassing({ status }: HoldpointError): boolean {
  return status === 0 || status === 429 || status >= 500;
}
