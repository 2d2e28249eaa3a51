/** A server-sent event stream over `fetch` (an `EventSource` cannot send a key) that heals by itself. */
import { ApiFailure, Cancelled, type Api } from './api';

export interface Frame {
  id: string;
  event: string;
  data: unknown;
}

/** `paused`: nobody looks. `ended`: the server has said all. `refused`: it will not give this stream, and trying again is no use. */
export type StreamState = 'connecting' | 'live' | 'broken' | 'paused' | 'ended' | 'refused';

export interface StreamHandler {
  onFrame: (frame: Frame) => void;
  onState: (state: StreamState, failure: ApiFailure | null) => void;
}

/** The server sends a heartbeat every 15 s: after this long without a byte the line is dead. */
const SILENCE_MS = 40_000;
/** A browser opens six connections to a host, all tabs together: a tab that nobody sees gives its own back. */
const HIDDEN_MS = 30_000;
const RETRY_MS = [500, 1_000, 2_000, 4_000, 8_000] as const;

/** Follows a stream until it ends or is closed. A broken one is taken up again after the last frame that came. */
export class EventStream {
  private readonly abort = new AbortController();
  private attempt = new AbortController();
  private lastId: string | null = null;
  private wake: (() => void) | null = null;
  private hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly hurry = () => {
    clearTimeout(this.hiddenTimer);
    if (document.visibilityState === 'visible') this.wake?.();
    else this.hiddenTimer = setTimeout(() => this.attempt.abort(), HIDDEN_MS);
  };

  constructor(
    private readonly api: Api,
    private readonly path: string,
    private readonly handler: StreamHandler,
  ) {
    window.addEventListener('online', this.hurry);
    document.addEventListener('visibilitychange', this.hurry);
    void this.run();
  }

  close(): void {
    window.removeEventListener('online', this.hurry);
    document.removeEventListener('visibilitychange', this.hurry);
    clearTimeout(this.hiddenTimer);
    this.abort.abort(new Cancelled());
    this.attempt.abort(new Cancelled());
    this.wake?.();
  }

  private async run(): Promise<void> {
    for (let failures = 0; !this.abort.signal.aborted; failures += 1) {
      try {
        this.attempt = new AbortController();
        const before = this.lastId;
        const outcome = await this.follow();
        if (outcome === 'ended') return this.finish('ended', null);
        if (this.lastId !== before) failures = 0;
        this.handler.onState('broken', null);
      } catch (error) {
        if (this.abort.signal.aborted) return;
        if (document.visibilityState !== 'visible') {
          this.handler.onState('paused', null);
          await this.pause(null);
          failures = -1;
          continue;
        }
        const failure = error instanceof ApiFailure ? error : new ApiFailure(0, 'unreachable', String(error));
        if (!failure.isPassing) return this.finish('refused', failure);
        this.handler.onState('broken', failure);
      }
      await this.pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] as number);
    }
  }

  private finish(state: 'ended' | 'refused', failure: ApiFailure | null): void {
    const closed = this.abort.signal.aborted;
    this.close();
    if (!closed) this.handler.onState(state, failure);
  }

  /** One connection: `ended` when the server says that nothing more will come, `dropped` when it just stopped. */
  private async follow(): Promise<'ended' | 'dropped'> {
    const response = await this.api.send('GET', this.path, {
      headers: { accept: 'text/event-stream', ...(this.lastId === null ? {} : { 'last-event-id': this.lastId }) },
      signal: this.attempt.signal,
    });
    if (response.status === 204 || !response.body) return 'ended';
    this.handler.onState('live', null);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await this.withinSilence(reader.read());
      if (done) return 'dropped';
      const parts = (rest + value).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) this.take(part);
    }
  }

  private take(block: string): void {
    const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line] as const));
    const field = (name: string) => fields.get(name)?.slice(name.length + 1).trimStart();
    const data = field('data');
    const id = field('id');
    if (id !== undefined) this.lastId = id;
    if (data !== undefined) this.handler.onFrame({ id: id ?? '', event: field('event') ?? 'message', data: JSON.parse(data) });
  }

  private async withinSilence<T>(reading: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.attempt.abort(), SILENCE_MS);
    try {
      return await reading;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Waits, at most until the page is seen or online again; null waits for that alone. */
  private pause(ms: number | null): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === null ? undefined : setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
