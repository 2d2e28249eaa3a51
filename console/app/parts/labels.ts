/** Small pieces that several pages show. */
import { html, nothing, type TemplateResult } from 'lit';
import type { HoldpointError, RunStatus } from '../../../client';
import { absoluteTime, relativeTime } from '../../widget/time';

const STATUS: Record<RunStatus, string> = {
  running: 'Running',
  awaiting_input: 'Waiting for an answer',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

export const statusText = (status: RunStatus) => STATUS[status];

/** The status in words, with a mark whose shape differs too: colour alone tells nothing to many. */
export function statusBadge(status: RunStatus): TemplateResult {
  return html`<span class="status-badge" data-status=${status}>${STATUS[status]}</span>`;
}

export function when(iso: string | null, prefix = ''): TemplateResult | typeof nothing {
  if (iso === null) return nothing;
  return html`<time datetime=${iso} title=${absoluteTime(iso, undefined)}
    >${prefix}${relativeTime(iso, undefined)}</time
  >`;
}

/** "3 min 20 s": two units are enough. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const [d, h, m, s] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ];
  const parts = [d && `${d} d`, h && `${h} h`, m && `${m} min`, (s || seconds === 0) && `${s} s`].filter(Boolean);
  return parts.slice(0, 2).join(' ');
}

export function failureBox(failure: HoldpointError, retry: () => void): TemplateResult {
  const message =
    failure.status === 0 ? 'The server cannot be reached. This page tries again by itself.' : failure.message;
  return html`<div class="failure" role="alert">
    <p>${message}</p>
    <button type="button" @click=${retry}>Try again</button>
  </div>`;
}

/** JSON as people read it. */
export function json(value: unknown): TemplateResult {
  return html`<pre dir="ltr"><code>${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code></pre>`;
}
