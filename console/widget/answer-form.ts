/** The answer to the shown question while it is being written and sent: its draft, what is wrong with it, and its way to the server. */
import type { Answer, HoldpointError, Issue, Question, RunRecord } from '../../client';
import type { Connection } from '../net/connection';
import type { AskSession, Closing } from './ask-session';
import { answerOf, issuesOf } from './check';
import { DraftStore, EMPTY_DRAFT, unsentTexts, type Attempt, type Draft } from './draft';
import type { AnsweredDetail, RefusedDetail } from './events';
import { fill, type AskStrings } from './strings';
import { attemptFor, callerOf, isClosedBy, submit, type Outcome } from './submission';

/** When a person begins to wonder. */
const SLOW_MS = 2_500;
/** Before a server that is away is asked again what became of a stored answer. */
const AGAIN_MS = 20_000;
const FIELDS = ['input.option_id', 'input.text', 'input.other_text', 'input.reason'];

/** What the element around does for it. */
export interface AnswerFormHost {
  words: () => AskStrings;
  session: () => AskSession | null;
  changed: () => void;
  /** Draws, and then moves the focus. */
  focus: (selector: string) => void;
  /** Whether the focus is in the element: news that come by themselves must not take it from elsewhere in the page. */
  hasFocus: () => boolean;
  announce: (text: string) => void;
  answered: (detail: AnsweredDetail) => void;
  refused: (detail: RefusedDetail) => void;
}

export class AnswerForm {
  draft: Draft = EMPTY_DRAFT;
  issues: readonly Issue[] = [];
  /** What is wrong with the whole, or with the connection. */
  summary: string | null = null;
  sending = false;
  slow = false;
  private readonly drafts: DraftStore;
  /** Key of an answer that was stored by this very form: whose it is needs no asking. */
  private storedHere: string | null = null;
  private asking = false;
  /** News came while something was on its way: what comes back may be older. */
  private askAgain = false;

  constructor(
    private readonly connection: Connection,
    private readonly runId: string,
    private readonly host: AnswerFormHost,
  ) {
    this.drafts = new DraftStore(connection.url);
  }

  /** Whether something was written that a person would miss. */
  get holds(): boolean {
    return unsentTexts(this.draft).length > 0;
  }

  /** Goes on with what was written to this question before. */
  show(question: Question): void {
    this.issues = [];
    this.summary = null;
    this.draft = this.drafts.read(this.runId, question.ask_id);
  }

  /** The question is closed: what was sent to it is no draft any more. */
  closed(question: Question, closing: Closing): void {
    const { attempt } = this.draft;
    const sent = attempt?.queued === true && isClosedBy(attempt.body, question, closing);
    if (closing.here || sent) this.forget(question);
  }

  forget(question: Question): void {
    this.drafts.remove(this.runId, question.ask_id);
    this.draft = EMPTY_DRAFT;
  }

  change(question: Question, change: Partial<Draft>): void {
    this.draft = { ...this.draft, ...change };
    this.issues = [];
    this.summary = null;
    this.drafts.write(this.runId, question.ask_id, this.draft);
    this.host.changed();
  }

  setDeclining(question: Question, declining: boolean): void {
    this.change(question, { declining });
    const back = question.kind === 'free_form' ? '#free-text' : '[part=decline]';
    this.host.focus(declining ? '#reason' : back);
  }

  async send(question: Question): Promise<void> {
    const session = this.host.session();
    // A double click is one answer.
    if (this.sending || !session) return;
    const answer = answerOf(question, this.draft);
    const issues = issuesOf(answer, this.host.words());
    if (answer === null || issues.length > 0) {
      const message = issues[0]?.message ?? '';
      this.refuse(question, { status: null, error: 'invalid_input', message, issues });
      return;
    }
    const attempt = attemptFor(answer, this.draft.attempt);
    this.change(question, { attempt });
    this.sending = true;
    session.sending(question.ask_id);
    const stillSending = setTimeout(() => {
      this.slow = true;
      this.host.changed();
    }, SLOW_MS);
    const outcome = await submit(this.connection, { runId: this.runId, askId: question.ask_id }, attempt);
    clearTimeout(stillSending);
    this.sending = this.slow = false;
    // The element may show another run by now, or nothing.
    if (session !== this.host.session()) return;
    this.sent(question, answer, outcome);
    session.sending(null);
    this.host.changed();
    if (this.askAgain) void this.askWhatBecame();
  }

  /**
   * What became of an answer that was stored while no worker was there: sent again under its key, it gets the outcome that
   * it had. One that was taken closes the question, which the stream tells; one that was refused gives the form back.
   */
  async askWhatBecame(): Promise<void> {
    this.askAgain = this.sending || this.asking;
    const session = this.host.session();
    const question = session?.view.question;
    const { attempt } = this.draft;
    if (this.askAgain || !question || session.view.closing || !attempt?.queued) return;
    this.asking = true;
    const outcome = (await this.isOwn(attempt))
      ? await submit(this.connection, { runId: this.runId, askId: question.ask_id }, attempt)
      : null;
    this.asking = false;
    if (session !== this.host.session()) return;
    const isShown = session.view.question?.ask_id === question.ask_id && !session.view.closing;
    if (isShown && this.draft.attempt?.key === attempt.key) this.became(question, attempt, outcome);
    if (this.askAgain) void this.askWhatBecame();
    else if (outcome?.kind === 'unknown') {
      setTimeout(() => {
        if (session === this.host.session()) void this.askWhatBecame();
      }, AGAIN_MS);
    }
  }

  private async isOwn({ key, by }: Attempt): Promise<boolean> {
    return key === this.storedHere || (by !== null && by === (await callerOf(this.connection)));
  }

  private became(question: Question, attempt: Attempt, outcome: Outcome | null): void {
    // Somebody else's, who used this browser before: no more than a draft for the person who is here now.
    if (!outcome) this.change(question, { attempt: { ...attempt, queued: false } });
    else if (outcome.kind === 'refused') this.refusedBy(question, outcome.failure, this.host.hasFocus());
    else this.host.session()?.refresh();
  }

  private sent(question: Question, answer: Answer, outcome: Outcome): void {
    switch (outcome.kind) {
      case 'taken':
        this.taken(question, answer, outcome.record);
        break;
      case 'queued': {
        const attempt = this.draft.attempt && { ...this.draft.attempt, queued: true, by: outcome.by };
        this.storedHere = attempt?.key ?? null;
        this.change(question, { attempt });
        this.host.announce(this.host.words().queued);
        this.host.focus('.status');
        this.host.answered({ ...this.names(question), answer, queued: true });
        break;
      }
      case 'refused':
        this.refusedBy(question, outcome.failure);
        break;
      case 'unknown':
        this.summary = this.host.words().unreachable;
        this.host.announce(this.summary);
        this.host.focus('[part=send]');
    }
  }

  private taken(question: Question, answer: Answer, record: RunRecord): void {
    this.forget(question);
    this.host.answered({ ...this.names(question), answer, queued: false });
    const outcome = answer.kind === 'decline' ? 'declined' : 'answered';
    const closing: Closing = { outcome, here: true, answer: null, reason: null, who: null, by: 'human' };
    this.host.session()?.answered(question.ask_id, record, closing);
  }

  private refusedBy(question: Question, failure: HoldpointError, movesFocus = true): void {
    const { status, code, message, issues } = failure;
    this.change(question, { attempt: null });
    this.refuse(question, { status, error: code, message, issues }, movesFocus);
    if (status === 409) this.host.session()?.refresh();
  }

  private refuse(question: Question, refusal: Omit<RefusedDetail, 'run_id' | 'ask_id'>, movesFocus = true): void {
    const words = this.host.words();
    this.issues = refusal.issues;
    const elsewhere = refusal.issues.filter((issue) => !FIELDS.includes(issue.path));
    const isWhole = refusal.issues.length === 0 || elsewhere.length > 0;
    const message = elsewhere.map((issue) => issue.message).join('; ') || refusal.message;
    const told = refusal.error === 'forbidden' ? words.notAllowed : message;
    this.summary = isWhole ? fill(words.refusedSummary, { message: told }) : null;
    this.host.announce(fill(words.refusedSummary, { message: told }));
    if (movesFocus) this.host.focus(isWhole ? '[part=send]' : '[aria-invalid=true] input, textarea[aria-invalid=true]');
    this.host.refused({ ...this.names(question), ...refusal });
    this.host.changed();
  }

  private names(question: Question): { run_id: string; ask_id: string } {
    return { run_id: this.runId, ask_id: question.ask_id };
  }
}
