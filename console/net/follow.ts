/** Following a stream for as long as a page wants it: through broken connections, and giving it up while nobody looks. */
import type { HoldpointError, WatchOptions } from '../../client';
import { failureOf, isPassing } from './connection';

/** `paused`: nobody looks. `ended`: the server has said all. `refused`: it will not give this stream; trying on is no use. */
export type StreamState = 'connecting' | 'live' | 'broken' | 'paused' | 'ended' | 'refused';

export interface Stream<T> {
  /** Opens it behind what was delivered last. Ends when the server says so, or the signal is aborted. */
  open: (options: WatchOptions) => AsyncIterable<T>;
  onItem: (item: T) => void;
  onState: (state: StreamState, failure: HoldpointError | null) => void;
}

/** The server sends a heartbeat every 15 s. */
const SILENCE_MS = 40_000;
/** A browser opens six connections to a host, all tabs together: a tab that nobody sees gives its own back. */
const HIDDEN_MS = 30_000;
const RETRY_MS = 3_000;

/** Follows until the stream has ended or the returned function is called. */
export function follow<T>(stream: Stream<T>): () => void {
  let closed = false;
  let attempt = new AbortController();
  let state: StreamState = 'connecting';
  let wake: (() => void) | null = null;
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined;

  const setState = (next: StreamState, failure: HoldpointError | null = null) => {
    state = next;
    if (!closed) stream.onState(next, failure);
  };
  /** A broken stream is tried again at once when the page is seen, or online, again. */
  const look = () => {
    clearTimeout(hiddenTimer);
    if (document.visibilityState !== 'visible') hiddenTimer = setTimeout(() => attempt.abort(), HIDDEN_MS);
    else if (wake) wake();
    else if (state === 'broken') attempt.abort();
  };
  const pause = (ms: number | null) =>
    new Promise<void>((resolve) => {
      const timer = ms === null ? undefined : setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        wake = null;
        resolve();
      };
    });

  const connect = async (): Promise<'ended' | 'again'> => {
    attempt = new AbortController();
    const { signal } = attempt;
    try {
      const options: WatchOptions = {
        signal,
        silenceMs: SILENCE_MS,
        onConnection: (connection) => setState(connection === 'open' ? 'live' : 'broken'),
      };
      for await (const item of stream.open(options)) {
        if (closed) return 'ended';
        stream.onItem(item);
      }
      if (!signal.aborted) {
        setState('ended');
        return 'ended';
      }
    } catch (error) {
      if (signal.aborted) return 'again';
      const failure = failureOf(error);
      if (!isPassing(failure)) {
        setState('refused', failure);
        return 'ended';
      }
      setState('broken', failure);
      await pause(RETRY_MS);
    }
    return 'again';
  };

  const run = async () => {
    while (!closed) {
      if (document.visibilityState !== 'visible' && attempt.signal.aborted) {
        setState('paused');
        await pause(null);
        if (closed) return;
      }
      if ((await connect()) === 'ended') return;
    }
  };

  window.addEventListener('online', look);
  document.addEventListener('visibilitychange', look);
  void run();
  return () => {
    closed = true;
    clearTimeout(hiddenTimer);
    window.removeEventListener('online', look);
    document.removeEventListener('visibilitychange', look);
    attempt.abort();
    wake?.();
  };
}
