/** A question that is open no more: how it ended, what was written and not sent, and the way on. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Closing } from './ask-session';
import { closingText } from './parts';
import type { AskStrings } from './strings';

export interface ClosedModel {
  closing: Closing;
  /** Texts that were written here and are no part of what closed it. */
  unsent: readonly string[];
  hasNext: boolean;
  strings: AskStrings;
  onDiscard: () => void;
  onNext: () => void;
}

export function closedView({ closing, unsent, hasNext, strings, onDiscard, onNext }: ClosedModel): TemplateResult {
  const good = closing.outcome === 'answered';
  const discard = html`<button type="button" part="discard" @click=${onDiscard}>${strings.discard}</button>`;
  const next = html`<button class="primary" type="button" part="next" @click=${onNext}>${strings.next}</button>`;
  return html`<p class=${good ? 'status' : 'status off'} part="closing" tabindex="-1" dir="auto">
      <span>${closingText(closing, strings)}</span>
    </p>
    ${
      unsent.length === 0
        ? nothing
        : html`<p class="line">${strings.unsent}</p>
            ${unsent.map((text) => html`<div class="unsent" part="unsent" dir="auto">${text}</div>`)}`
    }
    <div class="actions">${unsent.length === 0 ? nothing : discard} ${hasNext ? next : nothing}</div>`;
}
