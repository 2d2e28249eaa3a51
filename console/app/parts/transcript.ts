/** What the agent saw: messages, tool calls, tool results. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Message } from '../../../client';
import { json } from './labels';

export function transcript(messages: readonly Message[], from: number): TemplateResult {
  return html`${from > 0 ? html`<p class="muted">The first ${from} messages are no longer kept.</p>` : nothing}
    <ol class="transcript">
      ${messages.map((message) => html`<li data-role=${message.role}>${entry(message)}</li>`)}
    </ol>`;
}

function entry(message: Message): TemplateResult {
  switch (message.role) {
    case 'user':
      return html`<h3>Task</h3>
        ${json(message.content)}`;
    case 'assistant':
      return html`<h3>Agent</h3>
        ${message.text ? html`<p class="text" dir="auto">${message.text}</p>` : nothing}
        ${message.tool_calls.map(
          (call) =>
            html`<details open>
              <summary>calls <code>${call.tool}</code> <span class="muted">${call.id}</span></summary>
              ${call.refused ? html`<p class="error">Refused: ${call.refused}</p>` : json(call.args)}
            </details>`,
        )}`;
    case 'tool':
      return html`<h3>Result of <code>${message.tool}</code> <span class="muted">${message.tool_call_id}</span></h3>
        ${json(message.result)}`;
  }
}
