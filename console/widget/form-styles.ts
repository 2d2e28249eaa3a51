import { css } from 'lit';

/** How an answer is written: options, text fields, buttons, and what became of it. */
export const formStyles = css`
  .option {
    align-items: flex-start;
    border: 1px solid var(--border);
    border-radius: calc(var(--radius) * 0.7);
    cursor: pointer;
    display: flex;
    gap: 0.7rem;
    margin-block-end: 0.5rem;
    min-height: 2.75rem;
    padding: 0.6rem 0.8rem;
  }
  .option:hover {
    border-color: var(--control);
  }
  .option:has(:checked) {
    background: color-mix(in srgb, var(--accent) 8%, transparent);
    border-color: var(--accent);
  }
  .option span {
    flex: 1;
    white-space: pre-wrap;
  }
  input[type='radio'] {
    accent-color: var(--accent);
    flex: none;
    height: 1.15rem;
    margin: 0.17rem 0 0;
    width: 1.15rem;
  }
  .field {
    margin-block-end: var(--space);
  }
  .field > label {
    display: block;
    font-size: 0.9em;
    font-weight: 600;
    margin-block-end: 0.3rem;
  }
  textarea {
    background: var(--surface);
    border: 1px solid var(--control);
    border-radius: calc(var(--radius) * 0.7);
    color: inherit;
    display: block;
    field-sizing: content;
    font: inherit;
    max-height: 60vh;
    min-height: 5.5rem;
    padding: 0.6rem 0.75rem;
    resize: vertical;
    width: 100%;
  }
  [aria-invalid='true'] {
    border-color: var(--danger);
  }
  .below {
    display: flex;
    flex-wrap: wrap;
    font-size: 0.875em;
    gap: 0.2rem 1rem;
    justify-content: space-between;
    margin-block-start: 0.3rem;
  }
  .count {
    color: var(--muted);
    font-variant-numeric: tabular-nums;
    margin-inline-start: auto;
  }
  .error,
  .count.over {
    color: var(--danger);
    font-weight: 600;
  }
  .summary {
    margin: 0 0 0.75rem;
  }
  form .actions {
    margin-block-start: var(--space);
  }
  .actions {
    align-items: center;
    display: flex;
    flex-wrap: wrap;
    gap: 0.6rem;
  }
  button {
    background: transparent;
    border: 1px solid var(--control);
    border-radius: calc(var(--radius) * 0.7);
    color: var(--text);
    cursor: pointer;
    font: inherit;
    font-weight: 600;
    min-height: 2.75rem;
    padding: 0.45rem 1.1rem;
  }
  button.primary {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--accent-text);
  }
  button.quiet {
    border-color: transparent;
    color: var(--muted);
    padding-inline: 0.7rem;
  }
  button:hover {
    filter: brightness(0.95);
  }
  button[aria-disabled='true'] {
    cursor: progress;
    opacity: 0.75;
  }
  :focus-visible {
    outline: 3px solid var(--accent);
    outline-offset: 2px;
  }
  .status:focus {
    outline: none;
  }
  .status:focus-visible {
    outline: 3px solid var(--accent);
  }
  .status {
    border-inline-start: 4px solid var(--good);
    padding-inline-start: 0.75rem;
  }
  /* What people wrote, line by line; the template around it has white space of its own. */
  .status > span {
    white-space: pre-wrap;
  }
  .status.off {
    border-color: var(--control);
  }
  .unsent {
    border: 1px dashed var(--control);
    border-radius: calc(var(--radius) * 0.7);
    margin-block-end: 0.75rem;
    padding: 0.6rem 0.8rem;
    white-space: pre-wrap;
  }
  .line {
    color: var(--muted);
    font-size: 0.875em;
    margin-block-end: 0.5rem;
  }
  .off-screen {
    clip-path: inset(50%);
    height: 1px;
    overflow: hidden;
    position: absolute;
    white-space: nowrap;
    width: 1px;
  }
  @media (prefers-reduced-motion: no-preference) {
    .option,
    button {
      transition:
        border-color 0.12s,
        background-color 0.12s;
    }
  }
  @media (forced-colors: active) {
    .option:has(:checked) {
      outline: 2px solid Highlight;
    }
  }
`;
