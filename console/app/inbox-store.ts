/** All questions that wait in the workspace, as the inbox shows them; followed as long as somebody is signed in. */
import type { Question } from '../../workflows/contract';
import { ApiFailure, type Api } from '../net/api';
import { EventStream, type Frame, type StreamState } from '../net/stream';

export interface InboxAsk extends Question {
  run_id: string;
  root_run_id?: string;
  agent?: string;
  claim?: { by: string; until: string } | null;
}

interface InboxPage {
  asks: InboxAsk[];
  count: number;
  next_cursor: string | null;
}

const PAGE = 100;
/** More are counted and not listed: nobody reads that far down. */
const MAX_LISTED = 2_000;
const POLL_MS = 30_000;
const SETTLE_MS = 150;

export const nameOf = (ask: { run_id: string; ask_id: string }) => `${ask.run_id} ${ask.ask_id}`;

/** Dispatches `change`, and `opened` with the asks that are new since the last reading. */
export class InboxStore extends EventTarget {
  /** Oldest first; null until they were read once. */
  asks: readonly InboxAsk[] | null = null;
  count = 0;
  failure: ApiFailure | null = null;
  streamState: StreamState = 'connecting';
  private readonly stream: EventStream;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private reading = false;
  private readAgain = false;
  private closed = false;

  constructor(private readonly api: Api) {
    super();
    this.stream = new EventStream(api, '/inbox', {
      onFrame: (frame) => this.take(frame),
      onState: (state) => this.setState(state),
    });
    this.refresh();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.stream.close();
  }

  refresh(): void {
    if (this.reading) this.readAgain = true;
    else void this.read();
  }

  private setState(state: StreamState): void {
    const healed = state === 'live' && this.streamState !== 'connecting';
    this.streamState = state;
    if (healed) this.refresh();
    this.dispatchEvent(new Event('change'));
  }

  /** A question that opened or closed says so with all that is shown of it; anything else makes us read again. */
  private take({ event, data }: Frame): void {
    const ask = data as Partial<InboxAsk>;
    if (this.asks && event === 'ask.closed' && ask.run_id && ask.ask_id) {
      this.replace(this.asks.filter((known) => nameOf(known) !== nameOf(ask as InboxAsk)));
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), SETTLE_MS);
  }

  private async read(): Promise<void> {
    this.reading = true;
    clearTimeout(this.timer);
    try {
      const asks: InboxAsk[] = [];
      let cursor: string | null = null;
      do {
        const query: URLSearchParams = new URLSearchParams({ limit: String(PAGE), ...(cursor === null ? {} : { cursor }) });
        const { body }: { body: InboxPage } = await this.api.call<InboxPage>('GET', `/inbox?${query}`);
        asks.push(...body.asks);
        cursor = body.next_cursor;
        this.count = body.count;
      } while (cursor !== null && asks.length < MAX_LISTED && !this.closed);
      this.failure = null;
      if (!this.closed) this.replace(asks, Math.max(this.count, asks.length));
    } catch (error) {
      this.failure = error instanceof ApiFailure ? error : new ApiFailure(0, 'unreachable', String(error));
      this.dispatchEvent(new Event('change'));
    } finally {
      this.reading = false;
    }
    if (this.closed) return;
    if (this.readAgain) {
      this.readAgain = false;
      void this.read();
    } else {
      const soon = this.failure !== null || this.streamState !== 'live';
      this.timer = setTimeout(() => this.refresh(), soon ? POLL_MS / 10 : POLL_MS);
    }
  }

  private replace(asks: readonly InboxAsk[], count = asks.length): void {
    const before = this.asks && new Set(this.asks.map(nameOf));
    this.asks = asks;
    this.count = count;
    this.dispatchEvent(new Event('change'));
    const opened = before ? asks.filter((ask) => !before.has(nameOf(ask))) : [];
    if (opened.length > 0) this.dispatchEvent(new CustomEvent<InboxAsk[]>('opened', { detail: opened }));
  }
}
