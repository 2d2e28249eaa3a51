/** `<holdpoint-ask>`: one question of a run, and its answer, in any page. */
import { LitElement, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Answer, Issue, Question, RunRecord } from '../../client';
import { Connection } from '../net/connection';
import { askForm } from './ask-form';
import { AskSession, type AskView, type Closing } from './ask-session';
import { answerOf, issuesOf } from './check';
import { DraftStore, EMPTY_DRAFT, unsentTexts, type Draft } from './draft';
import { closingText, failureText, questionHead } from './parts';
import { ENGLISH, fill, type AskStrings } from './strings';
import { styles } from './styles';
import { attemptFor, isClosedBy, submit, type Outcome } from './submission';
import { knownLanguage } from './time';

/** `answered`: this widget's answer was taken, or is stored until a worker is back (`queued`). */
export interface AnsweredDetail {
  run_id: string;
  ask_id: string;
  answer: Answer;
  queued: boolean;
}
/** `refused`: by the server, or before it was sent (`status` null) by the same rules. What was written is kept. */
export interface RefusedDetail {
  run_id: string;
  ask_id: string;
  status: number | null;
  error: string;
  message: string;
  issues: readonly Issue[];
}
/** `closed`: the question is open no more, whoever closed it; `here` when it was this widget. */
export interface ClosedDetail {
  run_id: string;
  ask_id: string;
  outcome: Closing['outcome'];
  here: boolean;
}

const TICK_MS = 30_000;
/** When a person begins to wonder. */
const SLOW_MS = 2_500;
/** Where this module came from. */
const SCRIPT = import.meta.url;

export class HoldpointAsk extends LitElement {
  static override readonly styles = styles;
  static override readonly properties = {
    api: { type: String },
    runId: { type: String, attribute: 'run-id' },
    askId: { type: String, attribute: 'ask-id' },
    apiKey: { attribute: false },
    fetch: { attribute: false },
    strings: { attribute: false },
    connection: { attribute: false },
  };

  /** Address of the API, with or without `/api/platform/v1`; by default where this script came from. */
  declare api: string;
  declare runId: string;
  /** Only this ask; without it, whatever the run asks. */
  declare askId: string | null;
  /** The key of the API. A property and no attribute: it stays out of the page's HTML. */
  declare apiKey: string | null;
  /** Called in place of the browser's own `fetch`. */
  declare fetch: typeof fetch | undefined;
  /** Words in place of the English ones. */
  declare strings: Partial<AskStrings>;
  /** A connection to share with other parts of the page, in place of `api`, `apiKey` and `fetch`. */
  declare connection: Connection | null;

  private session: AskSession | null = null;
  private link: Connection | null = null;
  private drafts: DraftStore | null = null;
  private draft: Draft = EMPTY_DRAFT;
  private shownAsk: string | null = null;
  /** How the question before the shown one ended. */
  private previousEnd: string | null = null;
  private issues: readonly Issue[] = [];
  private summary: string | null = null;
  private sending = false;
  private slow = false;
  private announcement = '';
  private tick: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.api = '';
    this.runId = '';
    this.askId = null;
    this.apiKey = null;
    this.fetch = undefined;
    this.strings = {};
    this.connection = null;
  }

  /** Reads the question again now. */
  refresh(): void {
    if (this.session?.view.failure) this.open();
    else this.session?.refresh();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.tick = setInterval(() => this.requestUpdate(), TICK_MS);
    if (this.hasUpdated) this.open();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.tick);
    this.session?.close();
    this.session = null;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const decides: (keyof HoldpointAsk)[] = ['api', 'runId', 'askId', 'apiKey', 'fetch', 'connection'];
    if (decides.some((name) => changed.has(name))) this.open();
  }

  private get words(): AskStrings {
    return { ...ENGLISH, ...this.strings };
  }

  /** The language of the page around, for times. */
  private get language(): string | undefined {
    return knownLanguage(this.closest('[lang]')?.getAttribute('lang'));
  }

  private open(): void {
    this.session?.close();
    this.session = null;
    this.shownAsk = null;
    this.previousEnd = null;
    this.resetForm();
    if (!this.isConnected || !this.runId) return;
    const url = this.api || new URL('.', SCRIPT).href;
    this.link = this.connection ?? new Connection({ url, key: this.apiKey, fetch: this.fetch });
    this.drafts = new DraftStore(this.link.url);
    const holds = () => unsentTexts(this.draft).length > 0;
    this.session = new AskSession(this.link, this.runId, this.askId || null, holds, {
      change: () => this.viewChanged(),
      closed: (question, closing) => this.nowClosed(question, closing),
    });
    this.requestUpdate();
  }

  private resetForm(): void {
    this.issues = [];
    this.summary = null;
    this.sending = false;
    this.draft = EMPTY_DRAFT;
  }

  private viewChanged(): void {
    const view = this.session?.view;
    const question = view?.question ?? null;
    if (question && question.ask_id !== this.shownAsk) {
      const replaced = this.shownAsk !== null;
      const hadFocus = this.shadowRoot?.activeElement != null;
      this.shownAsk = question.ask_id;
      this.resetForm();
      this.draft = this.drafts?.read(this.runId, question.ask_id) ?? EMPTY_DRAFT;
      const asked = fill(this.words.newQuestion, { question: question.question });
      if (!view?.closing) this.announcement = [this.previousEnd, asked].filter(Boolean).join(' ');
      if (replaced && hadFocus) void this.focusAfterUpdate('#question');
    }
    this.requestUpdate();
  }

  private nowClosed(question: Question, closing: Closing): void {
    const { attempt } = this.draft;
    const sent = attempt?.queued === true && isClosedBy(attempt.body, question, closing);
    if (closing.here || sent) this.forget(question.ask_id);
    this.previousEnd = closingText(closing, this.words);
    this.announcement = this.previousEnd;
    if (this.shadowRoot?.activeElement) void this.focusAfterUpdate('.status');
    this.emit<ClosedDetail>('closed', { ...this.names(question), outcome: closing.outcome, here: closing.here });
  }

  private forget(askId: string): void {
    this.drafts?.remove(this.runId, askId);
    this.draft = EMPTY_DRAFT;
  }

  private names(question: Question): { run_id: string; ask_id: string } {
    return { run_id: this.runId, ask_id: question.ask_id };
  }

  private emit<Detail>(type: 'answered' | 'refused' | 'closed', detail: Detail): void {
    this.dispatchEvent(new CustomEvent<Detail>(type, { detail, bubbles: true, composed: true }));
  }

  private async focusAfterUpdate(selector: string): Promise<void> {
    this.requestUpdate();
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>(selector)?.focus();
  }

  private changeDraft(question: Question, change: Partial<Draft>): void {
    this.draft = { ...this.draft, ...change };
    this.issues = [];
    this.summary = null;
    this.drafts?.write(this.runId, question.ask_id, this.draft);
    this.requestUpdate();
  }

  private setDeclining(question: Question, declining: boolean): void {
    this.changeDraft(question, { declining });
    const back = question.kind === 'free_form' ? '#free-text' : '[part=decline]';
    void this.focusAfterUpdate(declining ? '#reason' : back);
  }

  private async send(question: Question): Promise<void> {
    // A double click is one answer.
    if (this.sending || !this.link || !this.session) return;
    const session = this.session;
    const answer = answerOf(question, this.draft);
    const issues = issuesOf(answer, this.words);
    if (answer === null || issues.length > 0) {
      const message = issues[0]?.message ?? '';
      this.refuse(question, { status: null, error: 'invalid_input', message, issues });
      return;
    }
    const attempt = attemptFor(answer, this.draft.attempt);
    this.changeDraft(question, { attempt });
    this.sending = true;
    const stillSending = setTimeout(() => {
      this.slow = true;
      this.requestUpdate();
    }, SLOW_MS);
    const target = { runId: this.runId, askId: question.ask_id };
    const outcome = await submit(this.link, target, attempt);
    clearTimeout(stillSending);
    // The element may show another question by now, or none.
    if (session === this.session) this.sent(question, answer, outcome);
  }

  private sent(question: Question, answer: Answer, outcome: Outcome): void {
    this.sending = false;
    this.slow = false;
    this.requestUpdate();
    switch (outcome.kind) {
      case 'taken':
        this.taken(question, answer, outcome.record);
        break;
      case 'queued': {
        const attempt = this.draft.attempt && { ...this.draft.attempt, queued: true };
        this.changeDraft(question, { attempt });
        this.announcement = this.words.queued;
        void this.focusAfterUpdate('.status');
        this.emit<AnsweredDetail>('answered', { ...this.names(question), answer, queued: true });
        break;
      }
      case 'refused':
        this.changeDraft(question, { attempt: null });
        this.refuse(question, {
          status: outcome.failure.status,
          error: outcome.failure.code,
          message: outcome.failure.message,
          issues: outcome.failure.issues,
        });
        if (outcome.failure.status === 409) this.session?.refresh();
        break;
      case 'unknown':
        this.summary = this.words.unreachable;
        this.announcement = this.summary;
        void this.focusAfterUpdate('[part=send]');
    }
  }

  private taken(question: Question, answer: Answer, record: RunRecord): void {
    this.forget(question.ask_id);
    this.emit<AnsweredDetail>('answered', { ...this.names(question), answer, queued: false });
    const outcome = answer.kind === 'decline' ? 'declined' : 'answered';
    const closing: Closing = { outcome, here: true, answer: null, reason: null, who: null, by: 'human' };
    this.session?.answered(question.ask_id, record, closing);
  }

  private refuse(question: Question, refusal: Omit<RefusedDetail, 'run_id' | 'ask_id'>): void {
    this.issues = refusal.issues;
    const fields = ['input.option_id', 'input.text', 'input.other_text', 'input.reason'];
    const elsewhere = refusal.issues.filter((issue) => !fields.includes(issue.path));
    const isWhole = refusal.issues.length === 0 || elsewhere.length > 0;
    const message = elsewhere.map((issue) => issue.message).join('; ') || refusal.message;
    const told = refusal.error === 'forbidden' ? this.words.notAllowed : message;
    this.summary = isWhole ? fill(this.words.refusedSummary, { message: told }) : null;
    this.announcement = fill(this.words.refusedSummary, { message: told });
    void this.focusAfterUpdate(isWhole ? '[part=send]' : '[aria-invalid=true] input, textarea[aria-invalid=true]');
    this.emit<RefusedDetail>('refused', { ...this.names(question), ...refusal });
    this.requestUpdate();
  }

  protected override render(): TemplateResult {
    const words = this.words;
    const view = this.session?.view;
    return html`<div class="card" part="card">
      <div class="off-screen" role="status" aria-live="polite">${this.announcement}</div>
      ${view?.record && view.stream === 'broken' ? html`<p class="line" part="connection">${words.reconnecting}</p>` : nothing}
      ${view ? this.body(view) : html`<p class="line">${words.loading}</p>`}
    </div>`;
  }

  private body(view: AskView): TemplateResult {
    const words = this.words;
    if (view.failure) {
      return html`<p class="error" part="failure">${failureText(view.failure, words)}</p>
        <div class="actions">
          <button type="button" part="again" @click=${() => this.refresh()}>${words.again}</button>
        </div>`;
    }
    if (!view.record) return html`<p class="line">${words.loading}</p>`;
    const { question, closing } = view;
    if (!question) {
      if (closing) return html`<p class="status off" tabindex="-1">${closingText(closing, words)}</p>`;
      const ended = view.record.ended_at !== null;
      return html`<p class="line">${ended ? words.runEnded : `${words.nothingPending} ${words.waitingForMore}`}</p>`;
    }
    return html`${this.previousEnd && !closing ? html`<p class="line" part="previous" dir="auto">${this.previousEnd}</p>` : nothing}
    ${questionHead(question, view.record, words, this.language, closing === null)}
    ${closing ? this.closed(question, view, closing) : this.draft.attempt?.queued ? this.queued() : this.form(question)}`;
  }

  private form(question: Question): TemplateResult {
    return askForm({
      question,
      draft: this.draft,
      issues: this.issues,
      summary: this.summary,
      sending: this.sending,
      sendingText: this.slow ? this.words.stillSending : this.words.sending,
      strings: this.words,
      onDraft: (change) => this.changeDraft(question, change),
      onDecline: (declining) => this.setDeclining(question, declining),
      onSubmit: () => void this.send(question),
    });
  }

  private queued(): TemplateResult {
    return html`<p class="status" part="queued" tabindex="-1">${this.words.queued}</p>`;
  }

  private closed(question: Question, view: AskView, closing: Closing): TemplateResult {
    const words = this.words;
    const unsent = unsentTexts(this.draft);
    const good = closing.outcome === 'answered';
    return html`<p class=${good ? 'status' : 'status off'} part="closing" tabindex="-1" dir="auto">
        ${closingText(closing, words)}
      </p>
      ${
        unsent.length === 0
          ? nothing
          : html`<p class="line">${words.unsent}</p>
              ${unsent.map((text) => html`<div class="unsent" part="unsent" dir="auto">${text}</div>`)}`
      }
      <div class="actions">
        ${
          unsent.length === 0
            ? nothing
            : html`<button type="button" part="discard" @click=${() => this.discard(question)}>
                ${words.discard}
              </button>`
        }
        ${
          view.next
            ? html`<button class="primary" type="button" part="next" @click=${() => this.session?.showNext()}>
                ${words.next}
              </button>`
            : nothing
        }
      </div>`;
  }

  private discard(question: Question): void {
    this.forget(question.ask_id);
    this.session?.refresh();
    this.requestUpdate();
    void this.focusAfterUpdate('.status');
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'holdpoint-ask': HoldpointAsk;
  }
}
