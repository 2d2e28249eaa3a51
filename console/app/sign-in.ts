import { LitElement, html, nothing, type TemplateResult } from 'lit';
import type { HoldpointError } from '../../client';

/** Asks for a key. Dispatches `key` with what was typed; the shell tries it and hands back why it does not do. */
export class SignIn extends LitElement {
  static override readonly properties = {
    failure: { attribute: false },
    notice: { attribute: false },
    busy: { type: Boolean },
  };
  declare failure: HoldpointError | null;
  declare notice: string | null;
  declare busy: boolean;

  constructor() {
    super();
    this.failure = null;
    this.notice = null;
    this.busy = false;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override updated(): void {
    if (this.failure) this.querySelector('input')?.focus();
  }

  protected override render(): TemplateResult {
    const problem = this.failure && messageOf(this.failure);
    return html`<main id="main" class="sign-in">
      <form @submit=${(event: SubmitEvent) => this.submit(event)}>
        <h1>Holdpoint</h1>
        <p class="muted">Questions that agents ask, answered by people. Sign in with an API key.</p>
        ${this.notice ? html`<p class="notice">${this.notice}</p>` : nothing}
        <label for="key">API key</label>
        <input
          id="key"
          name="key"
          type="password"
          autocomplete="current-password"
          autocapitalize="off"
          spellcheck="false"
          required
          aria-describedby=${problem ? 'key-help key-error' : 'key-help'}
          aria-invalid=${problem ? 'true' : 'false'}
        />
        ${problem ? html`<p class="error" id="key-error" role="alert">${problem}</p>` : nothing}
        <p class="muted small" id="key-help">
          Kept in this tab until it is closed or you sign out. <code>npm start</code> prints one.
        </p>
        <button class="primary" type="submit" ?disabled=${this.busy}>${this.busy ? 'Signing in…' : 'Sign in'}</button>
      </form>
    </main>`;
  }

  private submit(event: SubmitEvent): void {
    event.preventDefault();
    const key = this.querySelector('input')?.value.trim() ?? '';
    if (key) this.dispatchEvent(new CustomEvent('key', { detail: key }));
  }
}

function messageOf(failure: HoldpointError): string {
  if (failure.status === 401) return 'This is no valid key.';
  if (failure.status === 0) return 'The server cannot be reached. Try again in a moment.';
  return failure.message;
}

customElements.define('hp-sign-in', SignIn);
