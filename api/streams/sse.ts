/** One server-sent event stream over HTTP. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

/** Between comments on a quiet stream: proxies cut one that is silent for a minute. */
export const HEARTBEAT_MS = 15_000;
/** How long a browser waits before it connects again. */
const RECONNECT_MS = 2_000;
/** A client that takes nothing is cut off; with its `Last-Event-ID` it loses nothing. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;

/** What the `id:` and `event:` lines of a frame repeat. */
export interface SseEvent {
  id: number;
  type: string;
}

export class SseStream {
  private readonly heartbeat: NodeJS.Timeout;

  /** Sends the head of the stream at once. `onGone` is called once when the client has left or the stream has ended. */
  constructor(
    private readonly response: ServerResponse,
    headers: Record<string, string | number | string[] | undefined>,
    onGone: () => void,
  ) {
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) response.setHeader(name, value);
    }
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    response.write(`retry: ${RECONNECT_MS}\n\n`);
    this.heartbeat = setInterval(() => this.write(': heartbeat\n\n'), HEARTBEAT_MS);
    response.on('error', () => response.destroy());
    response.on('close', () => {
      clearInterval(this.heartbeat);
      onGone();
    });
  }

  send(events: readonly SseEvent[]): void {
    this.write(events.map(frameOf).join(''));
  }

  /** One frame of a stream that has no ids: whoever connects again starts over. */
  sendData(event: string, data: unknown): void {
    this.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Resolves when the client has taken most of what it was sent, or has left: for who has much to send at once. */
  async drained(): Promise<void> {
    if (this.response.destroyed || this.response.writableLength < MAX_BUFFERED_BYTES / 4) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.response.off('drain', done);
        this.response.off('close', done);
        resolve();
      };
      this.response.on('drain', done);
      this.response.on('close', done);
    });
  }

  end(): void {
    clearInterval(this.heartbeat);
    this.response.end();
  }

  private write(text: string): void {
    if (this.response.writableEnded || this.response.destroyed) return;
    this.response.write(text);
    if (this.response.writableLength > MAX_BUFFERED_BYTES) this.response.destroy();
  }
}

/** JSON has no raw line breaks, so one `data:` line holds an event. */
function frameOf(event: SseEvent): string {
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/**
 * `Last-Event-ID` as a cursor. Anything but a whole number starts over: never a silent empty stream. One of more digits than
 * a number holds is ahead of every stream all the same.
 */
export function cursorOf(lastEventId: string | undefined): number {
  if (lastEventId === undefined || !/^\d+$/.test(lastEventId)) return 0;
  return Math.min(Number(lastEventId), Number.MAX_SAFE_INTEGER);
}

/** Whether the client asks for a stream in place of a page. */
export function acceptsStream(request: { headers: IncomingHttpHeaders }): boolean {
  return /\btext\/event-stream\b/i.test(request.headers.accept ?? '');
}
