/** The events of a run in words, newest last. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { RunEvent } from '../../../client';
import { absoluteTime } from '../../widget/time';
import { runHref } from '../router';

/** The newest ones; a run keeps a thousand and more. */
const SHOWN = 300;

export function timeline(events: readonly RunEvent[], showAll: boolean, onShowAll: () => void): TemplateResult {
  if (events.length === 0) return html`<p class="muted">No events yet.</p>`;
  const hidden = showAll ? 0 : Math.max(0, events.length - SHOWN);
  return html`${
      hidden > 0 ? html`<button type="button" @click=${onShowAll}>Show ${hidden} earlier events</button>` : nothing
    }
    <ol class="timeline">
      ${repeat(
        events.slice(hidden),
        (event) => event.id,
        (event) =>
          html`<li data-type=${event.type}>
            <time datetime=${event.timestamp} title=${absoluteTime(event.timestamp, undefined)}
              >${clock(event.timestamp)}</time
            >
            <div>${sentence(event)}</div>
          </li>`,
      )}
    </ol>`;
}

function clock(iso: string): string {
  return new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }).format(new Date(iso));
}

function sentence(event: RunEvent): TemplateResult {
  switch (event.type) {
    case 'run.started':
      return html`<strong>Started</strong> ${event.data.agent}`;
    case 'run.completed':
      return html`<strong>Completed</strong>`;
    case 'run.failed':
      return html`<strong>Failed</strong> ${event.data.error.message}`;
    case 'run.cancelled':
      return html`<strong>Cancelled</strong>`;
    case 'step.started':
      return html`Step <q dir="auto">${event.data.name}</q> started`;
    case 'step.paused':
      return html`Step <q dir="auto">${event.data.name}</q> waits for a person`;
    case 'step.completed':
      return html`Step <q dir="auto">${event.data.name}</q> done`;
    case 'step.failed':
      return html`Step <q dir="auto">${event.data.name}</q> failed`;
    case 'ask.opened':
      return html`<strong>Asked</strong> <span dir="auto">${event.data.question.question}</span>`;
    case 'ask.answered':
      return html`<strong>Answered</strong> ${by(event.data)}: <span dir="auto">${event.data.answer}</span>`;
    case 'ask.declined':
      return html`<strong>Declined</strong> ${by(event.data)}${
          event.data.message ? html`: <span dir="auto">${event.data.message}</span>` : nothing
        }`;
    case 'ask.rejected':
      return html`An answer was refused (${event.data.code}):
      ${event.data.issues.map((issue) => issue.message).join('; ')}`;
    case 'ask.expired':
      return html`<strong>Deadline passed</strong> for ${event.data.ask_id}`;
    case 'ask.withdrawn':
      return html`Question ${event.data.ask_id} withdrawn`;
    case 'child.started':
      return html`Sent out sub-agent ${child(event.data)}`;
    case 'child.completed':
      return html`Sub-agent ${child(event.data)} completed`;
    case 'child.failed':
      return html`Sub-agent ${child(event.data)} ${event.data.status}: ${event.data.error.message}`;
    case 'child_needs_human':
      return html`<strong>A sub-agent asks</strong> <span dir="auto">${event.data.question.question}</span>${' '}<a
          href=${runHref(event.data.child_run_id)}
          >its run</a
        >`;
    case 'child_ask_closed':
      return html`A sub-agent’s question was ${event.data.outcome}${' '}<a href=${runHref(event.data.child_run_id)}
          >its run</a
        >`;
    case 'stream.reset':
      return html`Earlier events are no longer kept`;
    default:
      // A newer server may say more than this page knows.
      return html`<code>${(event as RunEvent).type}</code>`;
  }
}

function by({ principal, channel, by: who }: { principal: string | null; channel: string; by: string }): string {
  if (who === 'policy') return 'by the deadline’s default';
  return `by ${principal ?? 'someone'} over ${channel}`;
}

function child(data: { child_run_id: string; agent: string }): TemplateResult {
  return html`<a href=${runHref(data.child_run_id)}>${data.agent}</a>`;
}
