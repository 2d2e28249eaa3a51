/**
 * One question as one widget sees it: what it is, whether it is still open, and who closed it. The record says which question is
 * open; events say when to read it again, and how a question ended.
 */
import type { HoldpointError, Question, RunEvent, RunRecord } from '../../client';
import { failureOf, isPassing, type Connection } from '../net/connection';
import type { StreamState } from '../net/follow';
import { followRun } from '../net/run-feed';

/** How a question ended, as far as it is known. */
export interface Closing {
  outcome: 'answered' | 'declined' | 'expired' | 'withdrawn' | 'unknown';
  /** True when it was closed by what this widget sent. */
  here: boolean;
  answer: string | null;
  reason: string | null;
  who: string | null;
  by: 'human' | 'policy' | null;
}

export interface AskView {
  record: RunRecord | null;
  /** The question shown; null while the run asks nothing. */
  question: Question | null;
  /** Null while the question is open. */
  closing: Closing | null;
  /** Another question that is open while a closed one is shown. */
  next: Question | null;
  stream: StreamState;
  /** Why there is nothing to show. */
  failure: HoldpointError | null;
}

const POLL_MS = 20_000;
const AGAIN_MS = 3_000;

export class AskSession {
  view: AskView = { record: null, question: null, closing: null, next: null, stream: 'connecting', failure: null };
  private readonly closings = new Map<string, Closing>();
  private readonly asked = new Map<string, Question>();
  private readonly reported = new Set<string>();
  /** Ask that this widget's own answer closed. */
  private answeredHere: string | null = null;
  /** Ask to which an answer of this widget is on its way. */
  private inFlight: string | null = null;
  private readonly abort = new AbortController();
  private readonly unfollow: () => void;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private reading = false;
  private readAgain = false;
  private readonly onVisible = () => document.visibilityState === 'visible' && this.refresh();

  /** `holds` says whether the person has written something for the shown question: then it is not taken off the screen. */
  constructor(
    private readonly connection: Connection,
    private readonly runId: string,
    private readonly askId: string | null,
    private readonly holds: () => boolean,
    private readonly on: {
      change: () => void;
      /** Once for each question that was shown, before anything else is shown in its place. */
      closed: (question: Question, closing: Closing) => void;
      /** The run has refused an answer, or may have: events are missing. Whose it was only the server knows. */
      rejected: () => void;
    },
  ) {
    document.addEventListener('visibilitychange', this.onVisible);
    this.refresh();
    this.unfollow = followRun(connection, runId, {
      onEvent: (event) => this.take(event),
      onState: (stream) => {
        const back = stream === 'live' && this.view.stream === 'broken';
        this.update({ stream });
        if (back) this.refresh();
        else if (this.view.record) this.applyRecord(this.view.record);
      },
    });
  }

  close(): void {
    this.abort.abort();
    document.removeEventListener('visibilitychange', this.onVisible);
    clearTimeout(this.timer);
    this.unfollow();
  }

  /** Reads the record, now or as soon as the reading that is on its way has come. */
  refresh(): void {
    if (this.reading) this.readAgain = true;
    else void this.read();
  }

  /** Until the reply is here (null), the stream's news of this ask may be of this very answer: what is shown stays. */
  sending(askId: string | null): void {
    this.inFlight = askId;
    if (askId === null && this.view.record) this.applyRecord(this.view.record);
  }

  /** What a resume replied: the record after the answer was taken, right at once. */
  answered(askId: string, record: RunRecord, closing: Closing): void {
    this.answeredHere = askId;
    this.inFlight = null;
    this.closings.set(askId, closing);
    // A slow reply may be older than what was read meanwhile.
    const { record: known } = this.view;
    this.applyRecord(known && known.updated_at > record.updated_at ? known : record);
    this.refresh();
  }

  /** Leaves the closed question for the one that is open now. */
  showNext(): void {
    if (this.view.next) this.update({ question: this.view.next, closing: null, next: null });
  }

  private async read(): Promise<void> {
    this.reading = true;
    clearTimeout(this.timer);
    let wait = POLL_MS;
    try {
      const record = await this.connection.client.get(this.runId, { signal: this.abort.signal });
      this.update({ failure: null });
      this.applyRecord(record);
      if (record.ended_at !== null) wait = 0;
    } catch (error) {
      if (this.abort.signal.aborted) return;
      const failure = failureOf(error);
      // What is on the screen stays there while the server is away.
      if (!this.view.record || !isPassing(failure)) this.update({ failure });
      wait = isPassing(failure) ? AGAIN_MS : 0;
    } finally {
      this.reading = false;
    }
    if (this.abort.signal.aborted) return;
    if (this.readAgain) {
      this.readAgain = false;
      void this.read();
    } else if (wait > 0) this.timer = setTimeout(() => this.refresh(), wait);
  }

  private take(event: RunEvent): void {
    switch (event.type) {
      case 'ask.opened':
        this.asked.set(event.data.ask_id, event.data.question);
        break;
      case 'ask.answered':
        this.noteClosing(event.data.ask_id, { outcome: 'answered', answer: event.data.answer, ...whoOf(event.data) });
        break;
      case 'ask.declined':
        this.noteClosing(event.data.ask_id, { outcome: 'declined', reason: event.data.message, ...whoOf(event.data) });
        break;
      case 'ask.expired':
      case 'ask.withdrawn':
        this.noteClosing(event.data.ask_id, { outcome: event.type === 'ask.expired' ? 'expired' : 'withdrawn' });
        break;
      case 'ask.rejected':
      case 'stream.reset':
        this.on.rejected();
        break;
      case 'ask.claimed':
      case 'ask.released':
      case 'run.completed':
      case 'run.failed':
      case 'run.cancelled':
        break;
      default:
        return;
    }
    this.refresh();
  }

  private noteClosing(askId: string, closing: Partial<Closing> & Pick<Closing, 'outcome'>): void {
    const here = askId === this.answeredHere;
    this.closings.set(askId, { answer: null, reason: null, who: null, by: null, ...closing, here });
    if (this.view.record) this.applyRecord(this.view.record);
    else this.on.change();
  }

  /** Decides what is shown. */
  private applyRecord(record: RunRecord): void {
    const pending = record.pending_input_context;
    const shown = this.view.question;
    if (shown && shown.ask_id === this.inFlight) return this.update({ record });
    const wanted = this.askId ?? shown?.ask_id ?? pending?.ask_id ?? null;
    const isOpen = (id: string) => pending?.ask_id === id && !this.closings.has(id);
    if (wanted === null) return this.update({ record, question: null, closing: null, next: null });
    if (isOpen(wanted)) return this.update({ record, question: pending, closing: null, next: null });
    const question = shown?.ask_id === wanted ? shown : (this.asked.get(wanted) ?? null);
    const wasAsked = question || this.closings.has(wanted) || record.ended_at || isLater(pending?.ask_id, wanted);
    // Named before it was asked: it will come.
    if (!wasAsked) return this.update({ record, question: null, closing: null, next: null });
    const next = this.askId === null && pending && isOpen(pending.ask_id) ? pending : null;
    // How it ended is told by an event, a moment after the record has said that it did.
    const closing = this.closings.get(wanted) ?? (this.view.stream === 'live' ? null : UNKNOWN);
    if (question && closing && !this.reported.has(wanted)) {
      this.reported.add(wanted);
      this.on.closed(question, closing);
    }
    // Nothing would be lost: go on to the question that is open now.
    if (next && closing && !this.holds()) return this.update({ record, question: next, closing: null, next: null });
    this.update({ record, question, closing: closing ?? UNKNOWN, next });
  }

  private update(change: Partial<AskView>): void {
    this.view = { ...this.view, ...change };
    this.on.change();
  }
}

const UNKNOWN: Closing = { outcome: 'unknown', here: false, answer: null, reason: null, who: null, by: null };

/** Asks of a run are q1, q2, … */
function isLater(askId: string | undefined, than: string): boolean {
  return askId !== undefined && Number(askId.slice(1)) > Number(than.slice(1));
}

function whoOf(data: { principal: string | null; by: 'human' | 'policy' }): Pick<Closing, 'who' | 'by'> {
  return { who: data.principal, by: data.by };
}
