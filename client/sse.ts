/** Server-sent events over fetch: an `EventSource` sends no key and tells nothing of an error. */

export interface SseFrame {
  /** The last `id:` that came, with this frame or before it. */
  id: string | undefined;
  event: string;
  data: string;
}

/** Reads the text of a stream as it comes, in pieces of any size. */
export class SseParser {
  /** Milliseconds between connections, once the server has named them. */
  retryMs: number | undefined;
  private rest = '';
  private id: string | undefined;
  private event = '';
  private data: string[] = [];
  private begun = false;

  /** The frames that `text` completes. */
  push(text: string): SseFrame[] {
    this.rest += this.begun ? text : text.replace(/^\ufeff/, '');
    this.begun ||= text !== '';
    const frames: SseFrame[] = [];
    // A CR at the very end may be half of a CRLF: it stays until more comes.
    const lines = this.rest.split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      const frame = line === '' ? this.dispatch() : this.field(line);
      if (frame) frames.push(frame);
    }
    return frames;
  }

  private field(line: string): undefined {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') this.data.push(value);
    else if (name === 'event') this.event = value;
    else if (name === 'id' && !value.includes('\0')) this.id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
  }

  private dispatch(): SseFrame | undefined {
    const frame = { id: this.id, event: this.event || 'message', data: this.data.join('\n') };
    const empty = this.data.length === 0;
    this.data = [];
    this.event = '';
    return empty ? undefined : frame;
  }
}
