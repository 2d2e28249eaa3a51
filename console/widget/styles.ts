import { css } from 'lit';
import { formStyles } from './form-styles';

/** How a question looks. Colours and sizes come from custom properties that a page may set; `light-dark` follows the page's colour scheme. */
const questionStyles = css`
  :host {
    --text: var(--holdpoint-text, light-dark(#1b1f27, #e7e9ee));
    --muted: var(--holdpoint-muted, light-dark(#565e6c, #a6adba));
    --surface: var(--holdpoint-surface, light-dark(#ffffff, #181b21));
    --sunken: var(--holdpoint-sunken, light-dark(#f3f4f7, #22262e));
    --border: var(--holdpoint-border, light-dark(#dde0e6, #343a45));
    --control: var(--holdpoint-control-border, light-dark(#7d8695, #7b8494));
    --accent: var(--holdpoint-accent, light-dark(#1d55c9, #8fb4ff));
    --accent-text: var(--holdpoint-accent-text, light-dark(#ffffff, #0d1526));
    --danger: var(--holdpoint-danger, light-dark(#b3261e, #ff9d94));
    --good: var(--holdpoint-good, light-dark(#17693a, #74d69b));
    --radius: var(--holdpoint-radius, 10px);
    --space: var(--holdpoint-space, 1rem);
    color-scheme: light dark;
    display: block;
    color: var(--text);
    font: var(--holdpoint-font, 1rem / 1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif);
    text-align: start;
  }
  :host([theme='light']) {
    color-scheme: light;
  }
  :host([theme='dark']) {
    color-scheme: dark;
  }
  :host([hidden]) {
    display: none;
  }
  *,
  *::before {
    box-sizing: border-box;
  }
  .card {
    background: var(--surface);
    border: 1px solid var(--border);
    border-radius: var(--radius);
    padding: calc(var(--space) * 1.25);
    overflow-wrap: anywhere;
  }
  p,
  ul,
  ol,
  pre,
  blockquote,
  table {
    margin: 0 0 0.75em;
  }
  .question {
    font-size: 1.15em;
    font-weight: 600;
    line-height: 1.4;
    margin: 0 0 0.4rem;
    white-space: pre-wrap;
  }
  .meta {
    color: var(--muted);
    display: flex;
    flex-wrap: wrap;
    font-size: 0.875em;
    gap: 0.15rem 1rem;
    list-style: none;
    margin: 0 0 var(--space);
    padding: 0;
  }
  .urgent {
    color: var(--danger);
    font-weight: 600;
  }
  details.context {
    background: var(--sunken);
    border-radius: calc(var(--radius) * 0.7);
    margin: 0 0 var(--space);
    padding: 0.6rem 0.9rem;
  }
  summary {
    color: var(--muted);
    cursor: pointer;
    font-size: 0.875em;
    font-weight: 600;
    min-height: 1.5rem;
  }
  .markdown {
    padding-block-start: 0.4rem;
  }
  .markdown > :last-child {
    margin-block-end: 0;
  }
  .markdown .heading {
    font-weight: 700;
  }
  .plain,
  pre {
    white-space: pre-wrap;
  }
  code,
  pre {
    font:
      0.9em / 1.5 ui-monospace,
      'SF Mono',
      Menlo,
      Consolas,
      monospace;
  }
  pre {
    background: var(--surface);
    border: 1px solid var(--border);
    border-radius: 6px;
    padding: 0.6rem 0.75rem;
  }
  blockquote {
    border-inline-start: 3px solid var(--border);
    color: var(--muted);
    padding-inline-start: 0.8rem;
  }
  table {
    border-collapse: collapse;
    font-size: 0.95em;
  }
  th,
  td {
    border: 1px solid var(--border);
    padding: 0.25rem 0.6rem;
    text-align: start;
  }
  a {
    color: var(--accent);
  }
`;

export const styles = [questionStyles, formStyles];
