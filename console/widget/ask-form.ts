/** The form of an open question, as a template: it holds no state and decides nothing. */
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { Issue, Question } from '../../client';
import { OTHER_OPTION_ID } from '../../workflows/contract/ids';
import { charactersLeft } from './check';
import type { Draft } from './draft';
import { fill, type AskStrings } from './strings';

export interface FormModel {
  question: Question;
  draft: Draft;
  issues: readonly Issue[];
  /** What is wrong with the whole, or with the connection. */
  summary: string | null;
  sending: boolean;
  sendingText: string;
  strings: AskStrings;
  onDraft: (change: Partial<Draft>) => void;
  onDecline: (declining: boolean) => void;
  onSubmit: () => void;
}

export function askForm(model: FormModel): TemplateResult {
  const { strings, draft, sending } = model;
  const submit = (event: Event) => {
    event.preventDefault();
    model.onSubmit();
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    model.onSubmit();
  };
  return html`<form part="form" aria-label=${strings.optionsLabel} novalidate @submit=${submit} @keydown=${keys}>
    ${draft.declining ? declineField(model) : model.question.kind === 'free_form' ? freeField(model) : choices(model)}
    ${model.summary ? html`<p class="error summary" id="summary">${model.summary}</p>` : nothing}
    <div class="actions">
      <button class="primary" part="send" type="submit" aria-disabled=${sending ? 'true' : 'false'}>
        ${sending ? model.sendingText : draft.declining ? strings.declineSend : strings.send}
      </button>
      ${
        sending
          ? nothing
          : html`<button
              class="quiet"
              part=${draft.declining ? 'back' : 'decline'}
              type="button"
              @click=${() => model.onDecline(!draft.declining)}
            >
              ${draft.declining ? strings.back : strings.decline}
            </button>`
      }
    </div>
  </form>`;
}

function choices(model: FormModel): TemplateResult {
  const { question, draft, strings, onDraft } = model;
  const error = issueAt(model, 'option_id');
  const choose = (id: string) => (event: Event) => {
    onDraft({ optionId: id });
    // A click says that writing comes next; the arrow keys may only be passing by.
    const host = (event.target as HTMLElement).getRootNode() as ShadowRoot;
    if (id === OTHER_OPTION_ID && clickedAt > Date.now() - 500) {
      setTimeout(() => host.querySelector<HTMLTextAreaElement>('#other-text')?.focus());
    }
  };
  let clickedAt = 0;
  return html`<div
      role="radiogroup"
      aria-labelledby="question"
      aria-describedby=${error ? 'option-error' : nothing}
      aria-invalid=${error ? 'true' : nothing}
      @pointerup=${() => (clickedAt = Date.now())}
    >
      ${(question.options ?? []).map(
        ({ id, label }) =>
          html`<label class="option" part="option">
            <input
              type="radio"
              name="option"
              value=${id}
              .checked=${live(draft.optionId === id)}
              ?disabled=${model.sending}
              @change=${choose(id)}
            />
            <span dir="auto">${id === OTHER_OPTION_ID ? strings.other : label}</span>
          </label>`,
      )}
    </div>
    ${error ? html`<p class="error" id="option-error">${error}</p>` : nothing}
    ${
      draft.optionId === OTHER_OPTION_ID
        ? textField(model, {
            id: 'other-text',
            path: 'other_text',
            label: strings.otherText,
            value: draft.otherText,
            required: true,
            onInput: (otherText) => onDraft({ otherText }),
          })
        : nothing
    }`;
}

function freeField(model: FormModel): TemplateResult {
  return textField(model, {
    id: 'free-text',
    path: 'text',
    label: model.strings.freeText,
    value: model.draft.text,
    required: true,
    onInput: (text) => model.onDraft({ text }),
  });
}

function declineField(model: FormModel): TemplateResult {
  return textField(model, {
    id: 'reason',
    path: 'reason',
    label: model.strings.declineReason,
    value: model.draft.reason,
    required: false,
    onInput: (reason) => model.onDraft({ reason }),
  });
}

interface TextField {
  id: string;
  path: string;
  label: string;
  value: string;
  required: boolean;
  onInput: (text: string) => void;
}

/** No `maxlength`: it would cut what was pasted, and count in another unit. */
function textField(model: FormModel, field: TextField): TemplateResult {
  const { strings } = model;
  const error = issueAt(model, field.path);
  const left = charactersLeft(field.value);
  const count =
    left < 0 ? fill(strings.charactersOver, { count: -left }) : fill(strings.charactersLeft, { count: left });
  return html`<div class="field">
    <label for=${field.id}>${field.label}</label>
    <textarea
      id=${field.id}
      part="textarea"
      dir="auto"
      rows="3"
      .value=${live(field.value)}
      ?readonly=${model.sending}
      aria-required=${field.required ? 'true' : 'false'}
      aria-invalid=${error || left < 0 ? 'true' : 'false'}
      aria-describedby=${`${field.id}-count${error ? ` ${field.id}-error` : ''}`}
      @input=${(event: Event) => field.onInput((event.target as HTMLTextAreaElement).value)}
    ></textarea>
    <div class="below">
      ${error ? html`<span class="error" id=${`${field.id}-error`}>${error}</span>` : nothing}
      <span class=${left < 0 ? 'count over' : 'count'} part="count" id=${`${field.id}-count`}>${count}</span>
    </div>
  </div>`;
}

/** The server names fields as they stand in the body, under `input`. */
function issueAt(model: FormModel, path: string): string | null {
  const found = model.issues.filter((issue) => issue.path === `input.${path}`);
  return found.length === 0 ? null : found.map((issue) => issue.message).join('; ');
}
