/** The form of an agent's input: a field for each property of its schema, or JSON where there is no such form. */
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { Json } from '../../../workflows/contract';
import { WHOLE_INPUT, type FormState } from './form-state';
import { fieldsOf, type Field } from './schema-form';

export function inputForm(form: FormState): TemplateResult {
  const fields = fieldsOf(form.schema);
  return html`<fieldset>
    <legend>Input</legend>
    ${fields ? fields.map((field) => inputField(form, field)) : jsonInput(form)} ${problemAt(form, 'input')}
  </fieldset>`;
}

/** What is wrong at a path that has no field of the input. */
export function problemAt(form: FormState, path: string): TemplateResult | typeof nothing {
  const problem = form.problem(path);
  return problem ? html`<p class="error">${problem}</p>` : nothing;
}

function jsonInput(form: FormState): TemplateResult {
  return html`<div class="field">
    <label for="input-json">Input, as JSON</label>
    <textarea
      id="input-json"
      class="code"
      rows="10"
      spellcheck="false"
      dir="ltr"
      aria-invalid=${form.problem('input') ? 'true' : 'false'}
      .value=${live(form.written(WHOLE_INPUT, '{}'))}
      @input=${form.setter(WHOLE_INPUT)}
    ></textarea>
    ${
      Object.keys(form.schema).length > 0
        ? html`<details>
            <summary>What it takes</summary>
            <pre><code>${JSON.stringify(form.schema, null, 2)}</code></pre>
          </details>`
        : nothing
    }
  </div>`;
}

function inputField(form: FormState, field: Field): TemplateResult {
  const id = `field-${field.path}`;
  const label = `${field.label}${field.required ? '' : ' (optional)'}`;
  const problem = form.problem(`input.${field.path}`);
  const described = [field.description ? `${id}-help` : '', problem ? `${id}-error` : ''].filter(Boolean).join(' ');
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${control(form, field, id, described || nothing)}
    ${field.description ? html`<p class="muted small" id=${`${id}-help`}>${field.description}</p>` : nothing}
    ${problem ? html`<p class="error" id=${`${id}-error`}>${problem}</p>` : nothing}
  </div>`;
}

function control(form: FormState, field: Field, id: string, described: string | typeof nothing): TemplateResult {
  const value = form.written(field.path, field.initial);
  const onInput = form.setter(field.path);
  const bad = form.problem(`input.${field.path}`) ? 'true' : 'false';
  switch (field.kind) {
    case 'boolean':
    case 'choice': {
      const options =
        field.kind === 'boolean' ? ['false', 'true'] : field.choices.map((_choice, index) => String(index));
      const text = (option: string) =>
        field.kind === 'boolean' ? { false: 'No', true: 'Yes' }[option] : choiceText(field.choices[Number(option)]);
      return html`<select id=${id} aria-invalid=${bad} aria-describedby=${described} @change=${onInput}>
        ${field.kind === 'choice' || !field.required ? html`<option value="" .selected=${value === ''}></option>` : nothing}
        ${options.map((option) => html`<option value=${option} .selected=${value === option}>${text(option)}</option>`)}
      </select>`;
    }
    case 'long-text':
    case 'lines':
    case 'json':
      return html`<textarea
        id=${id}
        rows=${field.kind === 'long-text' ? 5 : 3}
        class=${field.kind === 'json' ? 'code' : ''}
        dir="auto"
        placeholder=${field.kind === 'lines' ? 'one a line' : field.kind === 'json' ? 'JSON' : ''}
        aria-invalid=${bad}
        aria-describedby=${described}
        .value=${live(value)}
        @input=${onInput}
      ></textarea>`;
    default:
      return html`<input
        id=${id}
        dir="auto"
        autocomplete="off"
        inputmode=${field.kind === 'number' ? 'decimal' : 'text'}
        aria-invalid=${bad}
        aria-describedby=${described}
        .value=${live(value)}
        @input=${onInput}
      />`;
  }
}

function choiceText(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
