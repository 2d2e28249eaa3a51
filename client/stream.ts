/** A stream that outlives its connections: what `watch` and `watchInbox` read from. */
import { HoldpointError, timedOut } from './errors';
import { SseParser, type SseFrame } from './sse';
import { eitherSignal, pause, type Call, type Transport } from './transport';

/** `open`: events come as they happen. `waiting`: the connection is lost, and a new one is tried after a pause. */
export type ConnectionState = 'open' | 'waiting';

export interface WatchOptions {
  /** Ends the iteration, without an error. */
  signal?: AbortSignal | undefined;
  /** Called when the connection is lost (with why, if there is a reason) and when it is there again. */
  onConnection?: ((state: ConnectionState, reason?: Error) => void) | undefined;
  /** A connection that is silent for this many milliseconds is taken for dead. The server says something each 15 s. Default 45,000. */
  silenceMs?: number | undefined;
}

const RETRY_MS = 2_000;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Frames of a stream, over as many connections as it takes; each new one asks for what came after the last frame that
 * was read (`Last-Event-ID`). The first connection fails like any other call; one that is lost later is tried again
 * until it is there, or refused for good: then this throws the refusal. Ends when the server says that nothing more
 * will come (204), when `signal` is aborted, or when its reader stops.
 */
export async function* frames(
  transport: Transport,
  call: Pick<Call, 'path' | 'query'>,
  lastEventId: string | undefined,
  { signal, onConnection, silenceMs = 45_000 }: WatchOptions,
): AsyncGenerator<SseFrame, void, undefined> {
  let cursor = lastEventId;
  let retryMs = RETRY_MS;
  let failures = 0;
  let connected = false;
  try {
    for (;;) {
      const connection = new Connection(silenceMs, signal);
      try {
        const response = await transport.open({
          ...call,
          method: 'GET',
          headers: { accept: 'text/event-stream', ...(cursor === undefined ? {} : { 'last-event-id': cursor }) },
          signal: connection.signal,
          // Once it was open, this loop does the new tries, and tells of them.
          safe: !connected,
        });
        if (response.status === 204 || !response.body) return;
        connected = true;
        onConnection?.('open');
        for await (const frame of connection.read(response.body)) {
          failures = 0;
          cursor = frame.id ?? cursor;
          yield frame;
        }
        retryMs = connection.retryMs ?? retryMs;
        onConnection?.('waiting');
      } catch (error) {
        if (signal?.aborted) return;
        if (!connected || isFinal(error)) throw error;
        onConnection?.('waiting', error instanceof Error ? error : undefined);
      } finally {
        connection.close();
      }
      const longest = Math.min(retryMs * 2 ** failures, Math.max(retryMs, LONGEST_PAUSE_MS));
      failures += 1;
      // Spread, so that all who watched one server do not come back to it at one moment.
      await pause(longest * (0.5 + Math.random() / 2), signal);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

/** True for a refusal that a new try will not change. */
function isFinal(error: unknown): boolean {
  return error instanceof HoldpointError && error.status >= 400 && error.status < 500 && error.status !== 429;
}

/** One connection: closed when its reader stops, and given up when nothing is heard of it. */
class Connection {
  private readonly abort = new AbortController();
  private readonly parser = new SseParser();
  private timer: ReturnType<typeof setTimeout> | undefined;
  readonly signal: AbortSignal;

  constructor(
    private readonly silenceMs: number,
    outer: AbortSignal | undefined,
  ) {
    this.signal = eitherSignal(outer, this.abort.signal);
    this.heard();
  }

  get retryMs(): number | undefined {
    return this.parser.retryMs;
  }

  async *read(body: ReadableStream<Uint8Array>): AsyncGenerator<SseFrame, void, undefined> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.heard();
      yield* this.parser.push(decoder.decode(value, { stream: true }));
    }
  }

  close(): void {
    clearTimeout(this.timer);
    this.abort.abort();
  }

  private heard(): void {
    clearTimeout(this.timer);
    const dead = () => this.abort.abort(timedOut(`the stream was silent for ${this.silenceMs / 1000} s`));
    this.timer = setTimeout(dead, this.silenceMs);
  }
}
