/** One run: what it asks, where it stands, what it did. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Ask, RunRecord } from '../../../client';
import { Page } from '../page';
import { duration, failureBox, json, statusBadge, when } from '../parts/labels';
import { LiveRun } from '../parts/live-run';
import { outcome } from '../parts/outcome';
import { timeline } from '../parts/timeline';
import { transcript } from '../parts/transcript';
import { TranscriptReader } from '../parts/transcript-reader';
import { conversationTree } from '../parts/tree';
import { RUN_VIEWS, runHref, type Route } from '../router';

type RunRoute = Extract<Route, { page: 'run' }>;
type ShownAsk = Pick<Ask, 'run_id' | 'ask_id'> & { question: string };

const VIEW_NAMES = { timeline: 'Timeline', transcript: 'Transcript', details: 'Details' } as const;
/** Questions that stay on the screen after they were closed here. */
const KEPT_CLOSED = 3;
const nameOf = (ask: ShownAsk) => `${ask.run_id} ${ask.ask_id}`;

export class RunPage extends Page<RunRoute> {
  private live: LiveRun | null = null;
  private shown: ShownAsk[] = [];
  private open: string | null = null;
  private showAllEvents = false;
  private messages: TranscriptReader | null = null;
  private cancelFailure: string | null = null;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.live?.close();
    this.live = null;
  }

  protected override willUpdate(): void {
    if (this.live?.runId === this.route.runId) return;
    this.live?.close();
    this.live = null;
    this.shown = [];
    this.open = this.cancelFailure = null;
    this.showAllEvents = false;
    this.live = new LiveRun(this.connection, this.route.runId, () => this.changed());
    this.messages = new TranscriptReader(this.connection, this.route.runId, () => this.requestUpdate());
  }

  protected override updated(): void {
    this.setTitle(this.live?.record ? `${this.live.record.agent} ${this.route.runId}` : this.route.runId);
    if (this.route.view === 'transcript') void this.messages?.read(this.seenEvents);
  }

  private get seenEvents(): number {
    return this.live?.events.length ?? 0;
  }

  private changed(): void {
    const asks = this.live?.asks ?? [];
    const pending = new Set(asks.map(nameOf));
    const closed = this.shown.filter((ask) => !pending.has(nameOf(ask))).slice(-KEPT_CLOSED);
    const fresh = asks.filter((ask) => !this.shown.some((known) => nameOf(known) === nameOf(ask)));
    if (fresh.length > 0 || closed.length + asks.length !== this.shown.length) {
      this.shown = [...closed, ...asks.map(({ run_id, ask_id, question }) => ({ run_id, ask_id, question }))];
    }
    // The one that is being read stays open; when it was closed the oldest of the others is next.
    if (this.open === null || !pending.has(this.open)) {
      this.open = asks[0] ? nameOf(asks[0]) : null;
    }
    this.requestUpdate();
  }

  protected override render(): TemplateResult {
    const { live } = this;
    const record = live?.record;
    if (!live || !record) {
      return html`<h1 tabindex="-1">Run</h1>
        ${live?.failure ? failureBox(live.failure, () => live.refresh()) : html`<p class="muted">Loading…</p>`}`;
    }
    return html`${this.head(record)} ${this.questions()} ${outcome(record)}
    ${
      live.tree.length > 1
        ? html`<section aria-labelledby="tree-heading">
            <h2 id="tree-heading">Conversation</h2>
            ${conversationTree(live.tree, record.run_id)}
          </section>`
        : nothing
    }
    ${this.views(record)}`;
  }

  private head(record: RunRecord): TemplateResult {
    const ui = this.context.session.caller.temporal_ui;
    return html`<header class="run-head">
      <h1 tabindex="-1">${record.agent} ${statusBadge(record.status)}</h1>
      <ul class="facts">
        <li><code>${record.run_id}</code></li>
        <li>${when(record.created_at, 'started ')}</li>
        ${record.ended_at ? html`<li>${when(record.ended_at, 'ended ')}</li>` : nothing}
        <li>worked ${duration(record.active_ms)}, waited ${duration(record.waiting_ms)}</li>
        ${record.assignee ? html`<li>for ${record.assignee}</li>` : nothing}
        ${record.on_question === 'pause' ? nothing : html`<li>asks nobody (${record.on_question})</li>`}
        ${record.parent_run_id ? html`<li><a href=${runHref(record.parent_run_id)}>sent out by its caller</a></li>` : nothing}
      </ul>
      <div class="actions">
        ${
          record.ended_at === null && this.can('cancel')
            ? html`<button type="button" class="danger" @click=${() => this.askCancel()}>Cancel run…</button>`
            : nothing
        }
        ${
          ui
            ? html`<a href=${`${ui}${encodeURIComponent(record.run_id)}`} target="_blank" rel="noopener"
                >Open in Temporal’s Web UI</a
              >`
            : nothing
        }
      </div>
      ${this.cancelFailure ? html`<p class="error" role="alert">${this.cancelFailure}</p>` : nothing}
      ${this.cancelDialog()}
    </header>`;
  }

  private cancelDialog(): TemplateResult {
    return html`<dialog aria-labelledby="cancel-heading">
      <h2 id="cancel-heading">Cancel this run?</h2>
      <p>Its sub-agents are cancelled too, and every open question of theirs is withdrawn. This cannot be undone.</p>
      <div class="actions">
        <button type="button" class="danger" @click=${() => void this.cancel()}>Cancel the run</button>
        <button type="button" @click=${() => this.querySelector('dialog')?.close()}>Keep it running</button>
      </div>
    </dialog>`;
  }

  private askCancel(): void {
    this.querySelector('dialog')?.showModal();
  }

  private async cancel(): Promise<void> {
    this.querySelector('dialog')?.close();
    this.cancelFailure = null;
    try {
      await this.client.cancel(this.route.runId);
      this.announce('The run is being cancelled');
    } catch (error) {
      this.cancelFailure = `It was not cancelled: ${error instanceof Error ? error.message : String(error)}`;
    }
    this.live?.refresh();
    this.requestUpdate();
    await this.updateComplete;
    // The button that had the focus may be gone.
    this.querySelector<HTMLElement>('h1')?.focus();
  }

  private questions(): TemplateResult | typeof nothing {
    if (this.shown.length === 0) return nothing;
    const waiting = this.live?.asks.length ?? 0;
    return html`<section class="questions" aria-labelledby="questions-heading">
      <h2 id="questions-heading" tabindex="-1">
        ${waiting === 0 ? 'Nothing waits any more' : waiting === 1 ? 'Waits for an answer' : `${waiting} questions wait, oldest first`}
      </h2>
      ${repeat(this.shown, nameOf, (ask) => this.question(ask))}
    </section>`;
  }

  private question(ask: ShownAsk): TemplateResult {
    const isOpen = nameOf(ask) === this.open || !this.isPending(ask);
    const asker = this.live?.tree.find((run) => run.run_id === ask.run_id);
    const isOwn = ask.run_id === this.route.runId;
    return html`<article>
      ${
        isOwn
          ? nothing
          : html`<p class="asker">Sub-agent <a href=${runHref(ask.run_id)}>${asker?.agent ?? ask.run_id}</a> asks</p>`
      }
      ${
        isOpen
          ? html`<holdpoint-ask
              .connection=${this.connection}
              run-id=${ask.run_id}
              ask-id=${ask.ask_id}
              @closed=${() => this.live?.refresh()}
            ></holdpoint-ask>`
          : html`<button type="button" class="row" @click=${() => this.openAsk(ask)}>
              <span class="row-title" dir="auto">${ask.question}</span>
            </button>`
      }
    </article>`;
  }

  private isPending(ask: ShownAsk): boolean {
    return (this.live?.asks ?? []).some((pending) => nameOf(pending) === nameOf(ask));
  }

  private openAsk(ask: ShownAsk): void {
    this.open = nameOf(ask);
    this.requestUpdate();
  }

  private views(record: RunRecord): TemplateResult {
    const { view, runId } = this.route;
    return html`<section aria-labelledby="views-heading">
      <h2 id="views-heading" class="off-screen">History</h2>
      <nav class="tabs" aria-label="Views of the run">
        ${RUN_VIEWS.map(
          (name) =>
            html`<a href=${runHref(runId, name)} aria-current=${name === view ? 'true' : 'false'}
              >${VIEW_NAMES[name]}</a
            >`,
        )}
      </nav>
      ${view === 'timeline' ? this.timeline() : view === 'transcript' ? this.transcript() : this.details(record)}
    </section>`;
  }

  private timeline(): TemplateResult {
    const { events, stream } = this.live as LiveRun;
    return html`${stream === 'broken' ? html`<p class="muted" role="status">The live view is interrupted. Reconnecting…</p>` : nothing}
    ${timeline(events, this.showAllEvents, () => {
      this.showAllEvents = true;
      this.requestUpdate();
    })}`;
  }

  private transcript(): TemplateResult {
    const { messages, from, failure } = this.messages as TranscriptReader;
    if (messages) return transcript(messages, from);
    if (!failure) return html`<p class="muted">Loading…</p>`;
    return html`<p class="muted">
        ${failure.status === 503 ? 'The transcript is kept by a worker, and none answers right now.' : failure.message}
      </p>
      <button type="button" @click=${() => this.messages?.again(this.seenEvents)}>Try again</button>`;
  }

  private details(record: RunRecord): TemplateResult {
    return html`<p class="muted">The run as <code>GET /agents/${record.run_id}</code> has it.</p>
      ${json(record)}`;
  }
}

customElements.define('hp-run', RunPage);
