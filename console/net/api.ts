/** Calls of the HTTP API from a browser. */
import type { ContractIssue } from '../../workflows/contract';

/** What a call came to when it was no success. `status` 0: the server could not be reached, or did not answer in time. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly issues: readonly ContractIssue[] = [],
    /** What the server asks for, in milliseconds. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }

  /** The same call may well succeed later: nobody knows whether this one did. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export interface ApiAccess {
  /** Address of the API, with or without `/api/platform/v1`. */
  base: string;
  key: string | null;
  /** In place of the browser's own: for pages that authenticate in their own way. */
  fetch?: typeof fetch | undefined;
}

export interface CallOptions {
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

const PATH = '/api/platform/v1';
/** The API answers within 10 s; a network may add to that. */
const TIMEOUT_MS = 20_000;

export class Api {
  readonly base: string;
  readonly access: ApiAccess;
  /** Called at each 401. */
  onUnauthorized: (() => void) | null = null;

  constructor(access: ApiAccess) {
    this.access = access;
    const url = new URL(access.base || PATH, document.baseURI);
    const path = url.pathname.replace(/\/+$/, '');
    this.base = `${url.origin}${path.endsWith(PATH) ? path : `${path}${PATH}`}`;
  }

  /** A call that answers with JSON. Throws `ApiFailure`. */
  async call<T>(method: string, path: string, options: CallOptions = {}): Promise<{ status: number; body: T }> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
    const headers = { accept: 'application/json', ...options.headers };
    const response = await this.send(method, path, { ...options, headers, signal });
    let body: unknown;
    try {
      body = JSON.parse(await response.text());
    } catch {
      throw new ApiFailure(response.ok ? 0 : response.status, 'no_json', `HTTP ${response.status}`);
    }
    return { status: response.status, body: body as T };
  }

  /** Any request with the key; resolves when the head of a success is there. Throws `ApiFailure`. */
  async send(method: string, path: string, options: CallOptions): Promise<Response> {
    const { key, fetch: own } = this.access;
    const headers = new Headers(options.headers);
    if (key) headers.set('authorization', `Bearer ${key}`);
    if (options.body !== undefined) headers.set('content-type', 'application/json');
    let response: Response;
    try {
      response = await (own ?? window.fetch.bind(window))(`${this.base}${path}`, {
        method,
        headers,
        cache: 'no-store',
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
        ...(options.signal ? { signal: options.signal } : {}),
      });
    } catch (error) {
      if (options.signal?.aborted && options.signal.reason instanceof Cancelled) throw options.signal.reason;
      throw new ApiFailure(0, 'unreachable', error instanceof Error ? error.message : String(error));
    }
    if (response.status === 401) this.onUnauthorized?.();
    if (!response.ok) throw await failureOf(response);
    return response;
  }
}

/** Reason of a call that nobody waits for any more. */
export class Cancelled extends Error {}

async function failureOf(response: Response): Promise<ApiFailure> {
  const after = Number(response.headers.get('retry-after'));
  const retryAfterMs = after > 0 ? after * 1_000 : null;
  try {
    const body = (await response.json()) as { error?: string; message?: string; issues?: ContractIssue[] };
    const message = body.message ?? `HTTP ${response.status}`;
    return new ApiFailure(response.status, body.error ?? 'unknown', message, body.issues ?? [], retryAfterMs);
  } catch {
    return new ApiFailure(response.status, 'unknown', `HTTP ${response.status}`, [], retryAfterMs);
  }
}

/** A new name for one attempt. `crypto.randomUUID` is missing where a page came over plain HTTP. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
