/** A run as the list of runs shows it, and what a search of the list looks through. */
import { html, nothing, type TemplateResult } from 'lit';
import type { RunRecord } from '../../../client';
import { runHref } from '../router';
import { statusBadge, when } from './labels';

export function runRow(run: RunRecord): TemplateResult {
  const below = run.children_awaiting.length;
  return html`<li>
    <a href=${runHref(run.run_id)}>
      <span class="row-head"><strong>${run.agent}</strong> ${statusBadge(run.status)}</span>
      ${
        run.pending_input_context
          ? html`<span class="row-title" dir="auto">${run.pending_input_context.question}</span>`
          : nothing
      }
      <span class="row-meta">
        <code>${run.run_id}</code> ${when(run.created_at)}
        ${run.assignee ? html`<span>for ${run.assignee}</span>` : nothing}
        ${run.parent_run_id === null ? nothing : html`<span>sub-agent</span>`}
        ${below > 0 ? html`<span>${below === 1 ? 'a sub-agent waits' : `${below} sub-agents wait`}</span>` : nothing}
      </span>
    </a>
  </li>`;
}

/** In lower case. */
export function searchable(run: RunRecord): string {
  const { run_id, root_run_id, agent, assignee, metadata, pending_input_context, result, error } = run;
  const parts = [run_id, root_run_id, agent, assignee, pending_input_context?.question, error?.message];
  return [...parts, JSON.stringify(metadata), JSON.stringify(result)].join('\n').toLowerCase();
}
