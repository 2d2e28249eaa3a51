/** The inbox: every question that waits, oldest first, and the one that is being answered beside it. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { nameOf, type InboxAsk } from '../inbox-store';
import { Page } from '../page';
import { failureBox, when } from '../parts/labels';
import { askHref, href, replaceQuery, runHref, type Route } from '../router';

type InboxRoute = Extract<Route, { page: 'inbox' }>;
/** Drawn at once; the rest when somebody wants it, so that thousands stay as light as ten. */
const DRAWN = 200;

export class InboxPage extends Page<InboxRoute> {
  private drawn = DRAWN;
  private unsubscribe: (() => void) | null = null;
  private focused: string | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    const changed = () => this.requestUpdate();
    const { inbox } = this.context;
    inbox.addEventListener('change', changed);
    this.unsubscribe = () => inbox.removeEventListener('change', changed);
    inbox.refresh();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.unsubscribe?.();
  }

  protected override updated(): void {
    this.setTitle('Inbox');
    const selected = this.selected;
    const name = selected && nameOf(selected);
    if (name !== this.focused) {
      this.focused = name;
      // A question was opened: that is where the reader goes on, and back at the list's own heading when it was left.
      this.querySelector<HTMLElement>(name ? '.detail h2' : 'h1')?.focus({ preventScroll: !name });
    }
  }

  private get selected(): { run_id: string; ask_id: string } | null {
    const { runId, askId } = this.route;
    return runId !== null && askId !== null ? { run_id: runId, ask_id: askId } : null;
  }

  private get filter(): { assignee: string; agent: string } {
    return { assignee: this.route.query.get('assignee') ?? '', agent: this.route.query.get('agent') ?? '' };
  }

  /** What the filter lets through. All asks are here already, so it answers at once. */
  private get asks(): InboxAsk[] {
    const { assignee, agent } = this.filter;
    const fits = (text: string | null | undefined, wanted: string) =>
      wanted === '' || (text ?? '').toLowerCase().includes(wanted.toLowerCase());
    return (this.context.inbox.asks ?? []).filter((ask) => fits(ask.assignee, assignee) && fits(ask.agent, agent));
  }

  protected override render(): TemplateResult {
    const { inbox } = this.context;
    const { selected } = this;
    return html`<div class="inbox ${selected ? 'has-selection' : ''}">
      <section class="list" aria-labelledby="inbox-heading">
        <h1 id="inbox-heading" tabindex="-1">Inbox</h1>
        ${this.filterForm()}
        ${inbox.asks !== null
          ? this.list(this.asks)
          : inbox.failure
            ? failureBox(inbox.failure, () => inbox.refresh())
            : html`<p class="muted">Loading…</p>`}
      </section>
      ${selected ? this.detail(selected) : this.hint()}
    </div>`;
  }

  private filterForm(): TemplateResult {
    const { assignee, agent } = this.filter;
    const asks = this.context.inbox.asks ?? [];
    const names = (values: (string | null | undefined)[]) => [...new Set(values.filter((value) => !!value))].sort();
    const set = (name: string) => (event: Event) =>
      replaceQuery(this.parts, { ...this.filter, [name]: (event.target as HTMLInputElement).value });
    return html`<form class="filters" role="search" aria-label="Filter the inbox" @submit=${(event: Event) => event.preventDefault()}>
      <label>Assignee <input name="assignee" .value=${assignee} list="assignees" @input=${set('assignee')} autocomplete="off" /></label>
      <datalist id="assignees">${names(asks.map((ask) => ask.assignee)).map((name) => html`<option value=${name}></option>`)}</datalist>
      <label>Agent <input name="agent" .value=${agent} list="agents" @input=${set('agent')} autocomplete="off" /></label>
      <datalist id="agents">${names(asks.map((ask) => ask.agent)).map((name) => html`<option value=${name}></option>`)}</datalist>
    </form>`;
  }

  private get parts(): string[] {
    const { selected } = this;
    return selected ? ['inbox', selected.run_id, selected.ask_id] : ['inbox'];
  }

  private list(asks: InboxAsk[]): TemplateResult {
    const { inbox } = this.context;
    if (asks.length === 0) {
      const nothingAtAll = (inbox.asks ?? []).length === 0;
      return html`<p class="empty">
        ${nothingAtAll ? 'Nothing waits for an answer.' : 'Nothing here fits the filter.'}
      </p>`;
    }
    const more = asks.length - this.drawn;
    const total = asks.length === inbox.asks?.length ? inbox.count : asks.length;
    return html`<p class="muted small">${total === 1 ? '1 question waits' : `${total} questions wait`}, oldest first</p>
      <ol class="rows">
        ${repeat(asks.slice(0, this.drawn), nameOf, (ask) => this.row(ask))}
      </ol>
      ${more > 0
        ? html`<button type="button" @click=${() => this.drawMore()}>Show ${Math.min(more, DRAWN)} more</button>`
        : nothing}`;
  }

  private drawMore(): void {
    this.drawn += DRAWN;
    this.requestUpdate();
  }

  private row(ask: InboxAsk): TemplateResult {
    const isSelected = this.selected !== null && nameOf(ask) === nameOf(this.selected);
    return html`<li>
      <a href=${askHref(ask.run_id, ask.ask_id, this.route.query)} aria-current=${isSelected ? 'true' : 'false'}>
        <span class="row-title" dir="auto">${ask.question}</span>
        <span class="row-meta">
          ${ask.agent ? html`<span>${ask.agent}</span>` : nothing} ${when(ask.asked_at)}
          ${ask.assignee ? html`<span>for ${ask.assignee}</span>` : nothing}
          ${ask.expires_at ? html`<span class="due">due ${when(ask.expires_at)}</span>` : nothing}
          ${ask.claim ? html`<span>held by ${ask.claim.by}</span>` : nothing}
        </span>
      </a>
    </li>`;
  }

  private hint(): TemplateResult {
    return html`<section class="detail placeholder" aria-hidden="true"><p class="muted">Choose a question to answer it here.</p></section>`;
  }

  private detail({ run_id, ask_id }: { run_id: string; ask_id: string }): TemplateResult {
    const { asks } = this;
    const at = asks.findIndex((ask) => nameOf(ask) === nameOf({ run_id, ask_id }));
    const ask = asks[at];
    // When this one is answered it has left the list, and the oldest one is what comes next.
    const next = asks[at + 1] ?? asks.find((other) => nameOf(other) !== nameOf({ run_id, ask_id }));
    return html`<section class="detail" aria-labelledby="detail-heading">
      <p class="back"><a href=${href(['inbox'], this.route.query)}>Back to the inbox</a></p>
      <h2 id="detail-heading" tabindex="-1">Question from ${ask?.agent ?? 'a run'}</h2>
      <holdpoint-ask .connection=${this.api} run-id=${run_id} ask-id=${ask_id} @closed=${() => this.context.inbox.refresh()}></holdpoint-ask>
      <p class="after">
        <a href=${runHref(run_id)}>See the run</a>
        ${next ? html`<a href=${askHref(next.run_id, next.ask_id, this.route.query)}>Next question</a>` : nothing}
      </p>
    </section>`;
  }
}

customElements.define('hp-inbox', InboxPage);
