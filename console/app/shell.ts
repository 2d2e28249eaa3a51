/** The frame around every page: who is signed in, where one can go, what happened meanwhile. */
import { LitElement, html, nothing, type TemplateResult } from 'lit';
import type { HoldpointError } from '../../client';
import { failureOf, isPassing } from '../net/connection';
import { InboxStore, type InboxAsk } from './inbox-store';
import type { PageContext } from './page';
import { forgetStartDrafts } from './parts/start-drafts';
import { href, routeOf, type Route } from './router';
import { forgetKey, signIn, storedKey, type Session } from './session';

const PAGES = [
  { page: 'inbox', label: 'Inbox' },
  { page: 'runs', label: 'Runs' },
  { page: 'start', label: 'Start' },
] as const;
const HEALED_MS = 4_000;
const ANNOUNCE_MS = 500;

export class Shell extends LitElement {
  private session: Session | null = null;
  private inbox: InboxStore | null = null;
  private context: PageContext | null = null;
  private route: Route = routeOf(location.hash);
  private signingIn = false;
  private failure: HoldpointError | null = null;
  private notice: string | null = null;
  private announcement = '';
  private pageTitle = '';
  private healed: ReturnType<typeof setTimeout> | null = null;
  private wasBroken = false;
  private newAsks = 0;
  private newAsksTimer: ReturnType<typeof setTimeout> | undefined;

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('hashchange', () => this.navigated());
    this.addEventListener('announce', (event) => this.say((event as CustomEvent<string>).detail));
    this.addEventListener('page-title', (event) => {
      this.pageTitle = (event as CustomEvent<string>).detail;
      this.showTitle();
    });
    const key = storedKey();
    if (key) void this.signIn(key);
  }

  private async signIn(key: string): Promise<void> {
    this.signingIn = true;
    this.failure = null;
    this.requestUpdate();
    try {
      const session = await signIn(key, () => this.signOut('The key is no longer valid: sign in again.'));
      this.session = session;
      this.notice = null;
      this.inbox = new InboxStore(session.connection);
      this.inbox.addEventListener('change', () => this.inboxChanged());
      this.inbox.addEventListener('opened', (event) => this.opened((event as CustomEvent<InboxAsk>).detail));
      this.context = { session, inbox: this.inbox };
      void this.focusHeading();
    } catch (error) {
      this.failure = failureOf(error);
      if (this.failure.status === 401) forgetKey();
    } finally {
      this.signingIn = false;
      this.requestUpdate();
    }
  }

  /** With a notice it is the server that refuses the key: what was filled in waits for the same person to sign in again. */
  private signOut(notice: string | null): void {
    if (!this.session) return;
    forgetKey();
    if (notice === null) forgetStartDrafts();
    this.inbox?.close();
    this.session = this.inbox = this.context = null;
    this.notice = notice;
    this.pageTitle = '';
    this.showTitle();
    this.requestUpdate();
    void this.updateComplete.then(() => this.querySelector<HTMLElement>('#key')?.focus());
  }

  private navigated(): void {
    const before = this.route;
    this.route = routeOf(location.hash);
    this.requestUpdate();
    const samePage = before.page === this.route.page && !('runId' in this.route && this.route.page === 'run');
    const sameRun = before.page === 'run' && this.route.page === 'run' && before.runId === this.route.runId;
    if (samePage || sameRun) return;
    window.scrollTo(0, 0);
    void this.focusHeading();
  }

  /** A new page begins at its heading, for eyes and for screen readers. */
  private async focusHeading(): Promise<void> {
    await this.updateComplete;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    this.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  }

  private inboxChanged(): void {
    const state = this.inbox?.state;
    if (state === 'broken') this.wasBroken = true;
    else if (state === 'live' && this.wasBroken) {
      this.wasBroken = false;
      if (this.healed) clearTimeout(this.healed);
      this.healed = setTimeout(() => {
        this.healed = null;
        this.requestUpdate();
      }, HEALED_MS);
    }
    this.showTitle();
    this.requestUpdate();
  }

  /** Several at once are told as a number: nobody wants a list read out. */
  private opened({ question }: InboxAsk): void {
    this.newAsks += 1;
    clearTimeout(this.newAsksTimer);
    this.newAsksTimer = setTimeout(() => {
      this.say(this.newAsks === 1 ? `New question: ${question}` : `${this.newAsks} new questions`);
      this.newAsks = 0;
    }, ANNOUNCE_MS);
  }

  private say(text: string): void {
    this.announcement = text;
    this.requestUpdate();
  }

  private showTitle(): void {
    const count = this.inbox?.count ?? 0;
    const name = this.pageTitle ? `${this.pageTitle} · Holdpoint` : 'Holdpoint';
    document.title = count > 0 ? `(${count}) ${name}` : name;
  }

  protected override render(): TemplateResult {
    if (!this.context || !this.session) {
      if (this.signingIn && !this.failure && storedKey()) return html`<main class="sign-in"><p>Signing in…</p></main>`;
      return html`<hp-sign-in
        .failure=${this.failure}
        .notice=${this.notice}
        .busy=${this.signingIn}
        @key=${(event: CustomEvent<string>) => void this.signIn(event.detail)}
      ></hp-sign-in>`;
    }
    return html`<a class="skip" href="#main" @click=${(event: Event) => this.skip(event)}>Skip to content</a>
      <header class="top">${this.navigation(this.session)}</header>
      ${this.connection()}
      <div class="off-screen" role="status" aria-live="polite">${this.announcement}</div>
      <main id="main" tabindex="-1">${this.page(this.context)}</main>`;
  }

  private skip(event: Event): void {
    event.preventDefault();
    this.querySelector<HTMLElement>('#main')?.focus();
  }

  private navigation({ caller }: Session): TemplateResult {
    const count = this.inbox?.count ?? 0;
    const current = this.route.page === 'run' ? 'runs' : this.route.page;
    const pages = PAGES.filter(({ page }) => page !== 'start' || caller.scopes.includes('start'));
    return html`<a class="brand" href=${href(['inbox'])} aria-label="Holdpoint, inbox"
        ><span aria-hidden="true"></span
      ></a>
      <nav aria-label="Pages">
        ${pages.map(
          ({ page, label }) =>
            html`<a href=${href([page])} aria-current=${current === page ? 'page' : 'false'}
              >${label}${
                page === 'inbox' && count > 0
                  ? html` <span class="badge">${count}<span class="off-screen"> waiting</span></span>`
                  : nothing
              }</a
            >`,
        )}
      </nav>
      <details class="account">
        <summary aria-label="Account, ${caller.name}">${caller.name}</summary>
        <div>
          <p class="small">Key <strong>${caller.name}</strong><br />Workspace <strong>${caller.workspace}</strong></p>
          <a href="./docs">API reference</a>
          <button type="button" @click=${() => this.signOut(null)}>Sign out</button>
        </div>
      </details>`;
  }

  private connection(): TemplateResult {
    const { state, failure } = this.inbox ?? {};
    const broken = state === 'broken' || (state !== 'live' && !!failure && isPassing(failure));
    const text = broken ? 'No connection to the server. Reconnecting…' : this.healed ? 'Connected again.' : '';
    return html`<div class=${broken ? 'connection broken' : 'connection'} role="status" ?data-empty=${text === ''}>
      ${text}
    </div>`;
  }

  private page(context: PageContext): TemplateResult {
    const { route } = this;
    switch (route.page) {
      case 'inbox':
        return html`<hp-inbox .context=${context} .route=${route}></hp-inbox>`;
      case 'runs':
        return html`<hp-runs .context=${context} .route=${route}></hp-runs>`;
      case 'run':
        return html`<hp-run .context=${context} .route=${route}></hp-run>`;
      case 'start':
        return html`<hp-start .context=${context} .route=${route}></hp-start>`;
      case 'unknown':
        return html`<h1 tabindex="-1">There is no such page</h1>
          <p><a href=${href(['inbox'])}>Go to the inbox</a></p>`;
    }
  }
}

customElements.define('hp-app', Shell);
