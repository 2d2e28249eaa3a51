/** The runs of the workspace, newest first. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { HoldpointError, RunList, RunRecord, RunStatus } from '../../../client';
import { isRunId } from '../../../workflows/contract/ids';
import { failureOf } from '../../net/connection';
import { Page } from '../page';
import { failureBox, statusText } from '../parts/labels';
import { runRow, searchable } from '../parts/run-row';
import { href, replaceQuery, type Route } from '../router';

type RunsRoute = Extract<Route, { page: 'runs' }>;

const PAGE = 25;
/** The most that one call lists, and so the most that is kept up to date. */
const LIVE = 100;
const POLL_MS = 4_000;
const TYPING_MS = 250;
/** A search looks through this many runs at a time. */
const SEARCHED = 300;
const STATUSES: readonly RunStatus[] = ['running', 'awaiting_input', 'completed', 'failed', 'cancelled'];

export class RunsPage extends Page<RunsRoute> {
  private runs: RunRecord[] | null = null;
  private cursor: string | null = null;
  private failure: HoldpointError | null = null;
  private loadingMore = false;
  private shownFilter = '';
  private timer: ReturnType<typeof setTimeout> | undefined;
  private generation = 0;
  private readonly onInbox = () => this.schedule(TYPING_MS);

  override connectedCallback(): void {
    super.connectedCallback();
    this.context.inbox.addEventListener('change', this.onInbox);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.context.inbox.removeEventListener('change', this.onInbox);
    clearTimeout(this.timer);
    this.generation += 1;
  }

  private get filter(): { status: string; agent: string; assignee: string; q: string } {
    const of = (name: string) => this.route.query.get(name) ?? '';
    return { status: of('status'), agent: of('agent'), assignee: of('assignee'), q: of('q') };
  }

  protected override updated(): void {
    this.setTitle('Runs');
    const filter = JSON.stringify(this.filter);
    if (filter === this.shownFilter) return;
    const first = this.shownFilter === '';
    this.shownFilter = filter;
    this.generation += 1;
    if (first) void this.load();
    else this.schedule(TYPING_MS);
  }

  private schedule(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (document.visibilityState === 'visible') void this.load();
      else this.schedule(POLL_MS);
    }, ms);
  }

  /** Reads the newest runs again, as many as are shown. */
  private async load(): Promise<void> {
    const { generation } = this;
    try {
      const wanted = Math.min(LIVE, Math.max(PAGE, this.runs?.length ?? 0));
      let { runs, next_cursor } = await this.page(null, wanted);
      const older = (this.runs ?? []).slice(wanted).filter((run) => !runs.some(({ run_id }) => run_id === run.run_id));
      const found = await this.namedBySearch(runs);
      if (generation !== this.generation) return this.schedule(0);
      if (older.length > 0) [runs, next_cursor] = [[...runs, ...older], this.cursor];
      this.runs = found ? [found, ...runs] : runs;
      this.cursor = next_cursor;
      this.failure = null;
      if (this.filter.q !== '' && this.matching.length < PAGE) await this.search(generation);
    } catch (error) {
      this.failure = failureOf(error);
    }
    if (generation !== this.generation) return;
    this.requestUpdate();
    this.schedule(POLL_MS);
  }

  private async page(cursor: string | null, limit: number): Promise<RunList> {
    const { status, agent, assignee } = this.filter;
    const known = STATUSES.find((one) => one === status);
    return this.client.list({
      limit,
      ...(known ? { status: known } : {}),
      ...(agent ? { agent } : {}),
      ...(assignee ? { assignee } : {}),
      ...(cursor === null ? {} : { cursor }),
    });
  }

  /** A search for a whole run id finds it however old it is. */
  private async namedBySearch(listed: RunRecord[]): Promise<RunRecord | null> {
    const { q } = this.filter;
    if (q.length < 4 || !isRunId(q) || listed.some((run) => run.run_id === q)) return null;
    try {
      return await this.client.get(q);
    } catch {
      return null;
    }
  }

  private async search(generation: number): Promise<void> {
    const until = (this.runs?.length ?? 0) + SEARCHED;
    while (this.cursor !== null && this.matching.length < PAGE && (this.runs?.length ?? 0) < until) {
      await this.readOlder(LIVE);
      if (generation !== this.generation) return;
    }
  }

  private async readOlder(limit: number): Promise<void> {
    const { runs, next_cursor } = await this.page(this.cursor, limit);
    const known = new Set((this.runs ?? []).map((run) => run.run_id));
    this.runs = [...(this.runs ?? []), ...runs.filter((run) => !known.has(run.run_id))];
    this.cursor = next_cursor;
  }

  private async loadMore(): Promise<void> {
    if (this.loadingMore) return;
    this.loadingMore = true;
    this.requestUpdate();
    try {
      if (this.filter.q === '') await this.readOlder(PAGE);
      else await this.search(this.generation);
    } catch (error) {
      this.failure = failureOf(error);
    }
    this.loadingMore = false;
    this.requestUpdate();
  }

  private get matching(): RunRecord[] {
    const wanted = this.filter.q.trim().toLowerCase();
    return (this.runs ?? []).filter((run) => wanted === '' || searchable(run).includes(wanted));
  }

  protected override render(): TemplateResult {
    return html`<h1 tabindex="-1">Runs</h1>
      ${this.filterForm()}
      ${
        this.failure && this.runs === null
          ? failureBox(this.failure, () => void this.load())
          : this.runs === null
            ? html`<p class="muted">Loading…</p>`
            : this.list(this.matching)
      }`;
  }

  private filterForm(): TemplateResult {
    const filter = this.filter;
    const set = (name: string) => (event: Event) =>
      replaceQuery(['runs'], { ...this.filter, [name]: (event.target as HTMLInputElement).value });
    return html`<form
      class="filters"
      role="search"
      aria-label="Filter the runs"
      @submit=${(event: Event) => event.preventDefault()}
    >
      <label
        >Search <input type="search" name="q" .value=${filter.q} @input=${set('q')} placeholder="id, question, text"
      /></label>
      <label
        >Status
        <select name="status" @change=${set('status')}>
          <option value="" ?selected=${filter.status === ''}>All</option>
          ${STATUSES.map(
            (status) =>
              html`<option value=${status} ?selected=${filter.status === status}>${statusText(status)}</option>`,
          )}
        </select>
      </label>
      <label>Agent <input name="agent" .value=${filter.agent} @input=${set('agent')} autocomplete="off" /></label>
      <label
        >Assignee <input name="assignee" .value=${filter.assignee} @input=${set('assignee')} autocomplete="off"
      /></label>
    </form>`;
  }

  private list(runs: RunRecord[]): TemplateResult {
    const searched =
      this.filter.q === ''
        ? nothing
        : html`<p class="muted small">${runs.length} found among the newest ${this.runs?.length ?? 0}</p>`;
    if (runs.length === 0 && this.cursor === null) {
      const { status, agent, assignee, q } = this.filter;
      const filtered = status || agent || assignee || q;
      return html`<p class="empty">
        ${
          filtered
            ? 'No run fits this.'
            : html`No runs yet. ${this.can('start') ? html`<a href=${href(['start'])}>Start one</a>` : nothing}`
        }
      </p>`;
    }
    return html`${searched}
      <ul class="rows runs">
        ${repeat(
          runs,
          (run) => run.run_id,
          (run) => runRow(run),
        )}
      </ul>
      ${
        this.cursor !== null
          ? html`<button
              type="button"
              aria-disabled=${this.loadingMore ? 'true' : 'false'}
              @click=${() => void this.loadMore()}
            >
              ${this.loadingMore ? 'Loading…' : this.filter.q === '' ? 'Show older runs' : 'Search older runs'}
            </button>`
          : nothing
      }`;
  }
}

customElements.define('hp-runs', RunsPage);
