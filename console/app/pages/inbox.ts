/** The inbox: every question that waits, oldest first, and the one that is being answered beside it. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { InboxStore, nameOf, type InboxAsk } from '../inbox-store';
import { Page } from '../page';
import { claimControl } from '../parts/claim';
import { when } from '../parts/labels';
import { askHref, href, replaceQuery, runHref, type Route } from '../router';

type InboxRoute = Extract<Route, { page: 'inbox' }>;
/** Between the last letter of a filter and its being asked for. */
const TYPING_MS = 300;

export class InboxPage extends Page<InboxRoute> {
  /** Everything, which the shell follows anyway, or what a filter lets through. */
  private store: InboxStore | null = null;
  private storeFilter = '';
  private typing: ReturnType<typeof setTimeout> | undefined;
  private focused: string | null = null;
  private readonly changed = () => this.requestUpdate();
  /** The next page is read when its button comes near the screen; it can be pressed too. */
  private readonly nearEnd = new IntersectionObserver(
    (entries) => {
      if (entries.some((entry) => entry.isIntersecting)) void this.store?.loadMore();
    },
    { rootMargin: '600px' },
  );

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.typing);
    this.nearEnd.disconnect();
    this.useStore(null);
  }

  protected override willUpdate(): void {
    const filter = JSON.stringify(this.filter);
    if (this.store && filter === this.storeFilter) return;
    clearTimeout(this.typing);
    if (this.store) this.typing = setTimeout(() => this.openStore(), TYPING_MS);
    else this.openStore();
  }

  private openStore(): void {
    const { assignee, agent } = this.filter;
    const filter = { ...(assignee ? { assignee } : {}), ...(agent ? { agent } : {}) };
    const everything = Object.keys(filter).length === 0;
    this.storeFilter = JSON.stringify(this.filter);
    this.useStore(everything ? this.context.inbox : new InboxStore(this.connection, filter));
    this.requestUpdate();
  }

  private useStore(store: InboxStore | null): void {
    this.store?.removeEventListener('change', this.changed);
    if (this.store !== this.context.inbox) this.store?.close();
    this.store = store;
    store?.addEventListener('change', this.changed);
  }

  protected override updated(): void {
    this.setTitle('Inbox');
    this.nearEnd.disconnect();
    const more = this.querySelector('button.more');
    if (more && !this.store?.moreFailed) this.nearEnd.observe(more);
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

  private get asks(): readonly InboxAsk[] {
    return this.store?.asks ?? [];
  }

  protected override render(): TemplateResult {
    const { selected, store } = this;
    return html`<h1 id="inbox-heading" tabindex="-1">Inbox</h1>
      <div class="inbox ${selected ? 'has-selection' : ''}">
        <section class="list" aria-labelledby="inbox-heading">
          ${this.filterForm()}
          ${
            store?.asks
              ? this.list(store, store.asks)
              : store?.state === 'refused'
                ? html`<p class="failure" role="alert">${store.failure?.message}</p>`
                : html`<p class="muted">${store?.failure ? 'The inbox cannot be read right now.' : 'Loading…'}</p>`
          }
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
    return html`<form
      class="filters"
      role="search"
      aria-label="Filter the inbox"
      @submit=${(event: Event) => event.preventDefault()}
    >
      <label
        >Assignee
        <input name="assignee" .value=${assignee} list="assignees" @input=${set('assignee')} autocomplete="off"
      /></label>
      <datalist id="assignees">
        ${names(asks.map((ask) => ask.assignee)).map((name) => html`<option value=${name}></option>`)}
      </datalist>
      <label
        >Agent <input name="agent" .value=${agent} list="agents" @input=${set('agent')} autocomplete="off"
      /></label>
      <datalist id="agents">
        ${names(asks.map((ask) => ask.agent)).map((name) => html`<option value=${name}></option>`)}
      </datalist>
    </form>`;
  }

  private get parts(): string[] {
    const { selected } = this;
    return selected ? ['inbox', selected.run_id, selected.ask_id] : ['inbox'];
  }

  private list(store: InboxStore, asks: readonly InboxAsk[]): TemplateResult {
    const { assignee, agent } = this.filter;
    if (asks.length === 0 && !store.hasMore) {
      const filtered = assignee !== '' || agent !== '';
      return html`<p class="empty">${filtered ? 'Nothing here fits the filter.' : 'Nothing waits for an answer.'}</p>`;
    }
    const { count } = store;
    return html`<p class="muted small">${count === 1 ? '1 question waits' : `${count} questions wait`}, oldest first</p>
      <ol class="rows">
        ${repeat(asks, nameOf, (ask) => this.row(ask))}
      </ol>
      ${
        store.hasMore
          ? html`<button
              type="button"
              class="more"
              aria-disabled=${store.loadingMore ? 'true' : 'false'}
              @click=${() => void store.loadMore()}
            >
              ${store.moreFailed ? 'The rest cannot be read right now. Trying again…' : store.loadingMore ? 'Loading…' : 'Show more'}
            </button>`
          : nothing
      }`;
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

  private answered(run_id: string, ask_id: string): void {
    this.store?.drop({ run_id, ask_id });
    this.context.inbox.drop({ run_id, ask_id });
  }

  private hint(): TemplateResult {
    return html`<section class="detail placeholder" aria-hidden="true">
      <p class="muted">Choose a question to answer it here.</p>
    </section>`;
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
      <holdpoint-ask
        .connection=${this.connection}
        run-id=${run_id}
        ask-id=${ask_id}
        @closed=${() => this.answered(run_id, ask_id)}
      ></holdpoint-ask>
      <p class="after">
        <a href=${runHref(run_id)}>See the run</a>
        ${ask && this.can('answer') ? claimControl(this.context.session, ask, (text) => this.announce(text)) : nothing}
        ${next ? html`<a href=${askHref(next.run_id, next.ask_id, this.route.query)}>Next question</a>` : nothing}
      </p>
    </section>`;
  }
}

customElements.define('hp-inbox', InboxPage);
