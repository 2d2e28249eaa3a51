/** The runs of a conversation as a tree: who was sent by whom, and who waits. */
import { html, nothing, type TemplateResult } from 'lit';
import type { RunRecord } from '../../../client';
import { runHref } from '../router';
import { statusBadge } from './labels';

/** Deeper than the API lets agents delegate. */
const MAX_DEPTH = 20;

export function conversationTree(runs: readonly RunRecord[], current: string): TemplateResult {
  const known = new Set(runs.map((run) => run.run_id));
  const tops = runs.filter((run) => run.parent_run_id === null || !known.has(run.parent_run_id));
  return html`<ul class="tree">
    ${tops.map((run) => branch(run, runs, current, 0))}
  </ul>`;
}

function branch(run: RunRecord, runs: readonly RunRecord[], current: string, depth: number): TemplateResult {
  const children = depth < MAX_DEPTH ? runs.filter((other) => other.parent_run_id === run.run_id) : [];
  const isCurrent = run.run_id === current;
  return html`<li>
    <a href=${runHref(run.run_id)} aria-current=${isCurrent ? 'true' : 'false'}>
      <strong>${run.agent}</strong> ${statusBadge(run.status)} <code>${run.run_id}</code>
    </a>
    ${
      run.pending_input_context
        ? html`<p class="asks" dir="auto">Asks: ${run.pending_input_context.question}</p>`
        : nothing
    }
    ${
      children.length > 0
        ? html`<ul>
            ${children.map((child) => branch(child, runs, current, depth + 1))}
          </ul>`
        : nothing
    }
  </li>`;
}
