/** What a run came to. */
import { html, nothing, type TemplateResult } from 'lit';
import type { RunRecord } from '../../../client';
import { json } from './labels';

export function outcome(record: RunRecord): TemplateResult | typeof nothing {
  if (record.error) {
    return html`<section aria-labelledby="result-heading">
      <h2 id="result-heading">Error</h2>
      <p class="error">${record.error.message} <code>${record.error.code}</code></p>
    </section>`;
  }
  if (record.status !== 'completed') return nothing;
  const { result } = record;
  const text = typeof result === 'object' && result !== null && 'text' in result ? result.text : null;
  return html`<section aria-labelledby="result-heading">
    <h2 id="result-heading">Result</h2>
    ${typeof text === 'string' ? html`<p class="text" dir="auto">${text}</p>` : json(result)}
  </section>`;
}
