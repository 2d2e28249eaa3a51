/** A caller of the API over a real socket, as short as the shorthand of CASES.md. */
import { randomUUID } from 'node:crypto';
import type { RunRecord } from '../../workflows/contract';

export interface Reply<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: Body;
  text: string;
}

export const TEST_KEY = 'test-key-000000000000';
export const OTHER_KEY = 'other-key-00000000000';

/** Key settings of every test API: one key of workspace `acme`, one of `rival`. */
export const TEST_KEYS = [
  { name: 'tester', key: TEST_KEY, workspace: 'acme' },
  { name: 'rival', key: OTHER_KEY, workspace: 'rival' },
];

/** Keys for a suite that counts runs: nobody else's are in its workspace. */
export function ownWorkspace(): { name: string; key: string; workspace: string }[] {
  return [{ name: 'tester', key: TEST_KEY, workspace: `own-${randomUUID()}` }];
}

export class ApiCaller {
  constructor(
    readonly url: string,
    readonly key: string = TEST_KEY,
    /** A call that takes longer than this many milliseconds fails. */
    readonly boundMs?: number,
  ) {}

  /** The same caller, for whom a call that hangs longer than 15 s is a failure: the bound of CASES.md. */
  bounded(): ApiCaller {
    return new ApiCaller(this.url, this.key, 15_000);
  }

  get base(): string {
    return `${this.url}/api/platform/v1`;
  }

  /** Any call. `body` is sent as JSON unless it is a string or bytes, which go as they are. */
  async call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply<Body>> {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(`${this.base}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: (raw ? body : JSON.stringify(body)) as string }),
      ...(this.boundMs === undefined ? {} : { signal: AbortSignal.timeout(this.boundMs) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parse(text) as Body };
  }

  /** START of CASES.md: a scripted run. Throws unless it is 201. */
  async start(input: unknown, more: Record<string, unknown> = {}): Promise<RunRecord> {
    const reply = await this.call<RunRecord>('POST', '/agents', { agent: 'scripted', input, ...more });
    if (reply.status !== 201) throw new Error(`start: ${reply.status} ${reply.text}`);
    return reply.body;
  }

  /** READ of CASES.md. */
  async read(runId: string): Promise<RunRecord> {
    const reply = await this.call<RunRecord>('GET', `/agents/${runId}`);
    if (reply.status !== 200) throw new Error(`read: ${reply.status} ${reply.text}`);
    return reply.body;
  }

  /** RESUME of CASES.md: the reply as it is. */
  async resume(runId: string, input: unknown, more: Record<string, unknown> = {}, headers = {}): Promise<Reply> {
    return this.call('POST', `/agents/${runId}/resume`, { input, ...more }, headers);
  }

  /** Reads until `done` holds. Not a measurement: only a bound, so that a failing test ends. */
  async until(runId: string, done: (record: RunRecord) => boolean, seconds = 120): Promise<RunRecord> {
    let last: RunRecord | undefined;
    const ok = await eventually(async () => done((last = await this.read(runId))), seconds);
    if (!ok || !last) throw new Error(`the run did not get there: ${JSON.stringify(last)}`);
    return last;
  }

  /** The id of a new scripted run, once it waits. */
  async startWaiting(input: unknown): Promise<string> {
    const { run_id } = await this.start(input);
    await this.untilWaiting(run_id);
    return run_id;
  }

  async untilWaiting(runId: string, askId?: string): Promise<RunRecord> {
    return this.until(
      runId,
      (run) => run.status === 'awaiting_input' && (!askId || run.pending_input_context?.ask_id === askId),
    );
  }

  async untilEnded(runId: string, seconds?: number): Promise<RunRecord> {
    return this.until(runId, (run) => ['completed', 'failed', 'cancelled'].includes(run.status), seconds);
  }

  /** What a run's own asks came to, once it has ended. */
  async untilAnswers(runId: string): Promise<unknown[]> {
    await this.untilEnded(runId);
    return this.toolResults(runId, 'ask_a_human');
  }

  /** Tool results in the order of the transcript, those of one tool when named. */
  async toolResults(runId: string, tool?: string): Promise<unknown[]> {
    const { messages } = await this.told<{ messages: { role: string; tool?: string; result?: unknown }[] }>(
      `/agents/${runId}/messages`,
    );
    return messages
      .filter((message) => message.role === 'tool' && (tool === undefined || message.tool === tool))
      .map((message) => message.result);
  }

  /** Every event of a run, through the JSON pages. */
  async events(
    runId: string,
  ): Promise<{ id: number; type: string; timestamp: string; data: Record<string, unknown> }[]> {
    return (await this.told<{ events: never[] }>(`/agents/${runId}/events`)).events;
  }

  /** Pending asks of a conversation as `[run_id, ask_id]`, in the order of the list. */
  async pendingAsks(runId: string): Promise<{ run_id: string; ask_id: string }[]> {
    const { asks } = await this.told<{ asks: { run_id: string; ask_id: string }[] }>(`/agents/${runId}/asks`);
    return asks.map(({ run_id, ask_id }) => ({ run_id, ask_id }));
  }

  /** What a worker has to tell. One that is busy may be late (503, `Retry-After`): then again, as a client would. */
  private async told<Body>(path: string): Promise<Body> {
    let reply: Reply<Body> | undefined;
    await eventually(async () => (reply = await this.call<Body>('GET', path)).status !== 503);
    if (reply?.status !== 200) throw new Error(`GET ${path}: ${reply?.status} ${reply?.text}`);
    return reply.body;
  }
}

/** Tries until it holds, for at most `seconds`. */
export async function eventually(holds: () => Promise<boolean> | boolean, seconds = 120): Promise<boolean> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    if (await holds()) return true;
    if (Date.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
