/** One HTTP call: its headers, its deadline, and new tries where a second one can do no harm. */
import {
  ConnectionError,
  connectionError,
  errorOf,
  HoldpointError,
  MalformedRequestError,
  timedOut,
  UnexpectedReplyError,
} from './errors';

export interface ClientOptions {
  /**
   * Where the API is, such as `http://127.0.0.1:8787`, with the path it is mounted under if there is one. An empty
   * string is the page's own origin, in a browser.
   */
  url: string;
  /** The API key. Left out when `fetch` adds what identifies the caller. */
  key?: string | undefined;
  /** Instead of the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Sent with every call. */
  headers?: Record<string, string> | undefined;
  /** How long one try may take, in milliseconds; streams are not bound by it. Default 30,000. */
  timeoutMs?: number | undefined;
  /** New tries after a failure that may pass: no reply, 429, 502, 503, 504. Default 3. */
  retries?: number | undefined;
}

export interface CallOptions {
  /** Ends the call; it then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface Call extends CallOptions {
  method: 'GET' | 'POST';
  path: string;
  query?: Record<string, string | number | undefined> | undefined;
  body?: unknown;
  headers?: Record<string, string> | undefined;
  /** False when a second try could do a thing twice. */
  safe: boolean;
}

const RETRIED = new Set([429, 502, 503, 504]);
const FIRST_PAUSE_MS = 250;
/** A server that wants to be left alone longer than this is told to the caller instead. */
const LONGEST_PAUSE_MS = 10_000;

export class Transport {
  readonly url: string;
  private readonly fetch: typeof fetch;

  constructor(private readonly options: ClientOptions) {
    this.url = options.url.replace(/\/+$/, '').replace(/\/api\/platform\/v1$/, '');
    // Called as a function of its own: a browser's fetch insists on its `this`.
    this.fetch = options.fetch ?? ((...args) => fetch(...args));
  }

  /** The reply's JSON. Throws `HoldpointError`, or the reason of an aborted signal. */
  async json<Body>(call: Call): Promise<Body> {
    const deadline = this.options.timeoutMs ?? 30_000;
    return this.retried(call, async () => {
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), deadline);
      try {
        const response = await this.send(call, eitherSignal(call.signal, timeout.signal));
        return readJson<Body>(response, await response.text());
      } catch (error) {
        if (!timeout.signal.aborted || call.signal?.aborted) throw error;
        throw timedOut(`no reply from ${this.url} within ${deadline / 1000} s`);
      } finally {
        clearTimeout(timer);
        // Takes its listener off a signal that outlives the call.
        timeout.abort();
      }
    });
  }

  /** Opens a stream: resolves when its head is there. Throws like `json`. */
  async open(call: Call): Promise<Response> {
    return this.retried(call, async () => {
      const response = await this.send(call, call.signal);
      if (!response.ok) throw errorOf(response.status, response.headers, await response.text());
      return response;
    });
  }

  private async retried<T>(call: Call, attempt: () => Promise<T>): Promise<T> {
    const retries = call.safe ? (this.options.retries ?? 3) : 0;
    for (let failures = 0; ; failures += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (call.signal?.aborted) throw call.signal.reason;
        const told = error instanceof HoldpointError ? error : connectionError(this.url, error);
        const passing = told instanceof ConnectionError || RETRIED.has(told.status);
        const wait = told.retryAfter === undefined ? FIRST_PAUSE_MS * 2 ** failures : told.retryAfter * 1000;
        if (!passing || failures >= retries || wait > LONGEST_PAUSE_MS) throw told;
        await pause(wait * (1 + Math.random() / 4), call.signal);
      }
    }
  }

  private async send({ method, path, query, body, headers }: Call, signal: AbortSignal | undefined): Promise<Response> {
    const { fetch } = this;
    // Encoding leaves these as they are, and a URL would take them for another path.
    if (/\/\.{0,2}(\/|$)/.test(path)) {
      throw new MalformedRequestError({
        code: 'malformed_request',
        message: 'an id is missing, or is none',
        status: 0,
      });
    }
    return fetch(`${this.url}${path}${queryString(query)}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(this.options.key === undefined ? {} : { authorization: `Bearer ${this.options.key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...this.options.headers,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  }
}

/** Waits; throws the signal's reason when it is aborted meanwhile. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Aborted as soon as one of the two is. (`AbortSignal.any` is not in every browser that is still in use.) */
export function eitherSignal(one: AbortSignal | undefined, other: AbortSignal): AbortSignal {
  if (!one) return other;
  const both = new AbortController();
  for (const signal of [one, other]) {
    if (signal.aborted) both.abort(signal.reason);
    else signal.addEventListener('abort', () => both.abort(signal.reason), { once: true, signal: both.signal });
  }
  return both.signal;
}

function readJson<Body>(response: Response, text: string): Body {
  if (!response.ok) throw errorOf(response.status, response.headers, text);
  try {
    return JSON.parse(text) as Body;
  } catch {
    const message = `the reply (HTTP ${response.status}) is not JSON: check the URL`;
    throw new UnexpectedReplyError({ code: 'unexpected_reply', message, status: response.status });
  }
}

function queryString(query: Call['query']): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) given.set(name, String(value));
  const text = given.toString();
  return text === '' ? '' : `?${text}`;
}
