import { LitElement } from 'lit';
import type { InboxStore } from './inbox-store';
import type { Route } from './router';
import type { Session } from './session';

/** What every page gets from the shell. */
export interface PageContext {
  session: Session;
  inbox: InboxStore;
}

/** A page: drawn into the document itself, so that one style sheet serves all of them. */
export abstract class Page<R extends Route = Route> extends LitElement {
  static override readonly properties = { context: { attribute: false }, route: { attribute: false } };
  declare context: PageContext;
  declare route: R;

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected get connection() {
    return this.context.session.connection;
  }

  protected get client() {
    return this.connection.client;
  }

  protected can(scope: 'start' | 'answer' | 'cancel'): boolean {
    return this.context.session.caller.scopes.includes(scope);
  }

  /** Said by the shell to people who cannot see the change. */
  protected announce(text: string): void {
    this.dispatchEvent(new CustomEvent('announce', { detail: text, bubbles: true }));
  }

  /** The shell puts it into the title of the window. */
  protected setTitle(title: string): void {
    this.dispatchEvent(new CustomEvent('page-title', { detail: title, bubbles: true }));
  }
}
