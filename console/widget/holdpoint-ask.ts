/** `<holdpoint-ask>`: one question of a run, and its answer, in any page. */
import { LitElement, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Question } from '../../client';
import { Connection } from '../net/connection';
import { AnswerForm } from './answer-form';
import { askForm } from './ask-form';
import { AskSession, type AskView, type Closing } from './ask-session';
import { closedView } from './closed-view';
import { unsentTexts } from './draft';
import type { AskEvents } from './events';
import { closingText, failureText, questionHead } from './parts';
import { ENGLISH, fill, type AskStrings } from './strings';
import { styles } from './styles';
import { knownLanguage } from './time';

const TICK_MS = 30_000;
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
  private answer: AnswerForm | null = null;
  private shownAsk: string | null = null;
  /** How the question before the shown one ended. */
  private previousEnd: string | null = null;
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
    this.answer = null;
    if (!this.isConnected || !this.runId) return;
    const url = this.api || new URL('.', SCRIPT).href;
    const connection = this.connection ?? new Connection({ url, key: this.apiKey, fetch: this.fetch });
    const answer = new AnswerForm(connection, this.runId, {
      words: () => this.words,
      session: () => this.session,
      changed: () => this.requestUpdate(),
      focus: (selector) => void this.focusAfterUpdate(selector),
      hasFocus: () => this.shadowRoot?.activeElement != null,
      announce: (text) => (this.announcement = text),
      answered: (detail) => this.emit('answered', detail),
      refused: (detail) => this.emit('refused', detail),
    });
    this.answer = answer;
    this.session = new AskSession(connection, this.runId, this.askId || null, () => answer.holds, {
      change: () => this.viewChanged(),
      closed: (question, closing) => this.nowClosed(question, closing),
      rejected: () => void answer.askWhatBecame(),
    });
    this.requestUpdate();
  }

  private viewChanged(): void {
    const view = this.session?.view;
    const question = view?.question ?? null;
    if (question && question.ask_id !== this.shownAsk) {
      const replaced = this.shownAsk !== null;
      const hadFocus = this.shadowRoot?.activeElement != null;
      this.shownAsk = question.ask_id;
      this.answer?.show(question);
      void this.answer?.askWhatBecame();
      const asked = fill(this.words.newQuestion, { question: question.question });
      if (!view?.closing) this.announcement = [this.previousEnd, asked].filter(Boolean).join(' ');
      if (replaced && hadFocus) void this.focusAfterUpdate('#question');
    }
    this.requestUpdate();
  }

  private nowClosed(question: Question, closing: Closing): void {
    this.answer?.closed(question, closing);
    this.previousEnd = closingText(closing, this.words);
    this.announcement = this.previousEnd;
    if (this.shadowRoot?.activeElement) void this.focusAfterUpdate('.status');
    const { outcome, here } = closing;
    this.emit('closed', { run_id: this.runId, ask_id: question.ask_id, outcome, here });
  }

  private emit<Type extends keyof AskEvents>(type: Type, detail: AskEvents[Type]): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  private async focusAfterUpdate(selector: string): Promise<void> {
    this.requestUpdate();
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>(selector)?.focus();
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
      if (closing) return html`<p class="status off" tabindex="-1"><span>${closingText(closing, words)}</span></p>`;
      const ended = view.record.ended_at !== null;
      return html`<p class="line">${ended ? words.runEnded : `${words.nothingPending} ${words.waitingForMore}`}</p>`;
    }
    return html`${this.previousEnd && !closing ? html`<p class="line" part="previous" dir="auto">${this.previousEnd}</p>` : nothing}
    ${questionHead(question, view.record, words, this.language, closing === null)}
    ${closing ? this.closed(question, view, closing) : this.answer?.draft.attempt?.queued ? this.queued() : this.form(question)}`;
  }

  private form(question: Question): TemplateResult | typeof nothing {
    const { answer, words: strings } = this;
    if (!answer) return nothing;
    const { draft, issues, summary, sending } = answer;
    return askForm({
      question,
      draft,
      issues,
      summary,
      sending,
      sendingText: answer.slow ? strings.stillSending : strings.sending,
      strings,
      onDraft: (change) => answer.change(question, change),
      onDecline: (declining) => answer.setDeclining(question, declining),
      onSubmit: () => void answer.send(question),
    });
  }

  private queued(): TemplateResult {
    return html`<p class="status" part="queued" tabindex="-1">${this.words.queued}</p>`;
  }

  private closed(question: Question, view: AskView, closing: Closing): TemplateResult {
    return closedView({
      closing,
      unsent: this.answer ? unsentTexts(this.answer.draft) : [],
      hasNext: view.next !== null,
      strings: this.words,
      onDiscard: () => this.discard(question),
      onNext: () => this.session?.showNext(),
    });
  }

  private discard(question: Question): void {
    this.answer?.forget(question);
    this.session?.refresh();
    void this.focusAfterUpdate('.status');
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'holdpoint-ask': HoldpointAsk;
  }
}
