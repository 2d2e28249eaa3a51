/** The transcript of a run, read whole, and again once the run has got further. */
import type { HoldpointError, Message } from '../../../client';
import { failureOf, type Connection } from '../../net/connection';

export class TranscriptReader {
  messages: readonly Message[] | null = null;
  /** So many of the first ones are no longer kept. */
  from = 0;
  failure: HoldpointError | null = null;
  /** How many events the run had when it was read last. */
  private readAt = -1;
  private reading = false;

  constructor(
    private readonly connection: Connection,
    private readonly runId: string,
    private readonly onChange: () => void,
  ) {}

  /** Reads it, if the run has had other events since it was read. */
  async read(events: number): Promise<void> {
    if (this.reading || this.readAt === events) return;
    this.reading = true;
    try {
      const messages: Message[] = [];
      let from = 0;
      for (let more = true; more;) {
        const page = await this.connection.client.messages(this.runId, { from: from + messages.length });
        if (messages.length === 0) from = page.from;
        messages.push(...page.messages);
        more = page.has_more && page.messages.length > 0;
      }
      [this.messages, this.from, this.failure] = [messages, from, null];
    } catch (error) {
      this.failure = failureOf(error);
    }
    this.readAt = events;
    this.reading = false;
    this.onChange();
  }

  /** After a failure. */
  again(events: number): void {
    this.readAt = -1;
    void this.read(events);
  }
}
