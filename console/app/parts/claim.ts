/** Holding a question, so that nobody else answers it meanwhile, and letting go of it. */
import { html, type TemplateResult } from 'lit';
import type { InboxAsk } from '../../../client';
import { failureOf } from '../../net/connection';
import type { Session } from '../session';

/** The stream of the inbox shows what came of it; `tell` says so to people who cannot see it, and why it failed. */
export function claimControl(
  { connection: { client }, caller }: Session,
  ask: InboxAsk,
  tell: (text: string) => void,
): TemplateResult {
  const { run_id, ask_id } = ask;
  const attempt = (change: Promise<unknown>, done: string) =>
    void change.then(
      () => tell(done),
      (error: unknown) => tell(failureOf(error).message),
    );
  if (ask.claim === null) {
    const claim = () => attempt(client.claim(run_id, { ask_id }), 'You hold this question for 15 minutes');
    return html`<button type="button" class="quiet" @click=${claim}>Hold it for 15 minutes</button>`;
  }
  if (ask.claim.by !== caller.name) return html`<span class="muted">Held by ${ask.claim.by}</span>`;
  const release = () => attempt(client.release(run_id, { ask_id }), 'You no longer hold this question');
  return html`<button type="button" class="quiet" @click=${release}>Let go of it</button>`;
}
