/** A reader of one event stream over a real socket. */
import http from 'node:http';
import type { ApiCaller } from './http';
import { eventually } from './http';

export interface Frame {
  id: string | undefined;
  event: string | undefined;
  data: { id: number; type: string; run_id: string; timestamp: string; data: Record<string, unknown> };
}

export class StreamReader {
  readonly frames: Frame[] = [];
  comments = 0;
  ended = false;
  status = 0;
  private rest = '';
  private constructor(private readonly request: http.ClientRequest) {}

  /** Opens the stream and resolves when the head of the reply is there. */
  static open(api: ApiCaller, runId: string, lastEventId?: string): Promise<StreamReader> {
    return StreamReader.openPath(api, `/agents/${runId}/events`, lastEventId);
  }

  /** The same for any stream of the API. */
  static openPath(api: ApiCaller, path: string, lastEventId?: string): Promise<StreamReader> {
    return new Promise((resolve, reject) => {
      const request = http.get(`${api.base}${path}`, {
        agent: false,
        headers: {
          authorization: `Bearer ${api.key}`,
          accept: 'text/event-stream',
          ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        },
      });
      const reader = new StreamReader(request);
      request.once('error', (error) => (reader.status === 0 ? reject(error) : undefined));
      request.once('response', (response) => {
        reader.status = response.statusCode ?? 0;
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => reader.take(chunk));
        response.on('error', () => undefined);
        response.on('close', () => (reader.ended = true));
        resolve(reader);
      });
    });
  }

  get ids(): number[] {
    return this.frames.map((frame) => frame.data.id);
  }

  get types(): string[] {
    return this.frames.map((frame) => frame.data.type);
  }

  async until(done: (reader: this) => boolean, seconds = 120): Promise<void> {
    if (!(await eventually(() => done(this), seconds))) {
      throw new Error(`the stream did not get there: ${this.types.join(' ')}`);
    }
  }

  /** Drops the socket, as a network does. */
  drop(): void {
    this.request.destroy();
  }

  private take(chunk: string): void {
    this.rest += chunk;
    const blocks = this.rest.split('\n\n');
    this.rest = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) this.comments += 1;
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      const data = field('data');
      if (data !== undefined) {
        this.frames.push({ id: field('id'), event: field('event'), data: JSON.parse(data) as Frame['data'] });
      }
    }
  }
}
