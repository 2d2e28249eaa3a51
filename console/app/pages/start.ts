/** Starting a run: an agent, what it takes, and how its questions are handled. */
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { Definition, HoldpointError, Issue, OnQuestion, StartRequest } from '../../../client';
import { newKey } from '../../../client/uuid';
import type { Json } from '../../../workflows/contract';
import { failureOf, isPassing } from '../../net/connection';
import { Page } from '../page';
import { failureBox } from '../parts/labels';
import { fieldsOf, readField, readJson, setAt, type Field } from '../parts/schema-form';
import { replaceQuery, runHref, type Route } from '../router';

type StartRoute = Extract<Route, { page: 'start' }>;

const MODES = [
  { value: 'pause', label: 'Pause and wait for a person' },
  { value: 'auto', label: 'Go on by its own judgement' },
  { value: 'none', label: 'Nobody is there: questions are refused' },
] as const;

export class StartPage extends Page<StartRoute> {
  private definitions: Definition[] | null = null;
  private failure: HoldpointError | null = null;
  private values = new Map<string, string>();
  private problems = new Map<string, string>();
  private summary: string | null = null;
  private sending = false;
  /** One key for one body: a second click, or a retry, is the same run. */
  private attempt: { key: string; body: string } | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    void this.load();
  }

  protected override updated(): void {
    this.setTitle('Start');
  }

  private async load(): Promise<void> {
    try {
      this.definitions = await this.client.definitions();
      this.failure = null;
    } catch (error) {
      this.failure = failureOf(error);
    }
    this.requestUpdate();
  }

  private get definition(): Definition | null {
    const name = this.route.query.get('agent');
    return this.definitions?.find((definition) => definition.name === name) ?? null;
  }

  protected override render(): TemplateResult {
    return html`<h1 tabindex="-1">Start a run</h1>
      ${
        !this.can('start')
          ? html`<p class="empty">This key may not start runs.</p>`
          : this.definitions
            ? this.form(this.definitions)
            : this.failure
              ? failureBox(this.failure, () => void this.load())
              : html`<p class="muted">Loading…</p>`
      }`;
  }

  private form(definitions: Definition[]): TemplateResult {
    const chosen = this.definition;
    if (definitions.length === 0) return html`<p class="empty">No agent is installed.</p>`;
    return html`<form class="start" novalidate @submit=${(event: SubmitEvent) => this.submit(event)}>
      <div class="field">
        <label for="agent">Agent</label>
        <select id="agent" @change=${(event: Event) => this.chooseAgent((event.target as HTMLSelectElement).value)}>
          <option value="" ?selected=${!chosen}>Choose an agent…</option>
          ${definitions.map(
            ({ name }) => html`<option value=${name} ?selected=${chosen?.name === name}>${name}</option>`,
          )}
        </select>
        ${chosen ? html`<p class="muted small">${chosen.description}</p>` : nothing} ${this.problemAt('agent')}
      </div>
      ${chosen ? this.rest(chosen) : nothing}
    </form>`;
  }

  private rest(chosen: Definition): TemplateResult {
    const fields = fieldsOf(chosen.input_schema);
    return html`<fieldset>
        <legend>Input</legend>
        ${fields ? fields.map((field) => this.field(field)) : this.jsonInput(chosen)} ${this.problemAt('input')}
      </fieldset>
      <fieldset>
        <legend>Questions</legend>
        <div class="field">
          <label for="mode">When it needs a person</label>
          <select id="mode" @change=${this.setter('#mode')}>
            ${MODES.map(
              ({ value, label }) =>
                html`<option value=${value} ?selected=${this.written('#mode', 'pause') === value}>${label}</option>`,
            )}
          </select>
        </div>
        <div class="field">
          <label for="assignee">Assignee (optional)</label>
          <input
            id="assignee"
            autocomplete="off"
            .value=${live(this.written('#assignee'))}
            aria-describedby="assignee-help"
            @input=${this.setter('#assignee')}
          />
          <p class="muted small" id="assignee-help">Whose inbox its questions are for, such as an email address.</p>
          ${this.problemAt('assignee')}
        </div>
      </fieldset>
      ${this.summary ? html`<p class="error" role="alert">${this.summary}</p>` : nothing}
      <button class="primary" type="submit" aria-disabled=${this.sending ? 'true' : 'false'}>
        ${this.sending ? 'Starting…' : 'Start'}
      </button>`;
  }

  private jsonInput(chosen: Definition): TemplateResult {
    return html`<div class="field">
      <label for="input-json">Input, as JSON</label>
      <textarea
        id="input-json"
        class="code"
        rows="10"
        spellcheck="false"
        dir="ltr"
        aria-invalid=${this.problems.has('input') ? 'true' : 'false'}
        .value=${live(this.written('#json', '{}'))}
        @input=${this.setter('#json')}
      ></textarea>
      ${
        Object.keys(chosen.input_schema).length > 0
          ? html`<details>
              <summary>What it takes</summary>
              <pre><code>${JSON.stringify(chosen.input_schema, null, 2)}</code></pre>
            </details>`
          : nothing
      }
    </div>`;
  }

  private field(field: Field): TemplateResult {
    const id = `field-${field.path}`;
    const label = `${field.label}${field.required ? '' : ' (optional)'}`;
    const problem = this.problems.get(`input.${field.path}`);
    const described = [field.description ? `${id}-help` : '', problem ? `${id}-error` : ''].filter(Boolean).join(' ');
    return html`<div class="field">
      <label for=${id}>${label}</label>
      ${this.control(field, id, described || nothing, problem !== undefined)}
      ${field.description ? html`<p class="muted small" id=${`${id}-help`}>${field.description}</p>` : nothing}
      ${problem ? html`<p class="error" id=${`${id}-error`}>${problem}</p>` : nothing}
    </div>`;
  }

  private control(field: Field, id: string, described: string | typeof nothing, invalid: boolean): TemplateResult {
    const value = this.written(field.path, field.initial);
    const onInput = this.setter(field.path);
    const bad = invalid ? 'true' : 'false';
    switch (field.kind) {
      case 'boolean':
      case 'choice': {
        const options =
          field.kind === 'boolean' ? ['false', 'true'] : field.choices.map((_choice, index) => String(index));
        const text = (option: string) =>
          field.kind === 'boolean' ? { false: 'No', true: 'Yes' }[option] : choiceText(field.choices[Number(option)]);
        return html`<select id=${id} aria-invalid=${bad} aria-describedby=${described} @change=${onInput}>
          ${field.kind === 'choice' || !field.required ? html`<option value="" ?selected=${value === ''}></option>` : nothing}
          ${options.map((option) => html`<option value=${option} ?selected=${value === option}>${text(option)}</option>`)}
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

  private problemAt(path: string): TemplateResult | typeof nothing {
    const problem = this.problems.get(path);
    return problem ? html`<p class="error">${problem}</p>` : nothing;
  }

  private chooseAgent(agent: string): void {
    this.values = new Map();
    this.problems = new Map();
    this.summary = null;
    replaceQuery(['start'], { agent });
  }

  private written(name: string, initial = ''): string {
    return this.values.get(name) ?? initial;
  }

  private readonly setter = (name: string) => (event: Event) => {
    this.values.set(name, (event.target as HTMLInputElement).value);
    this.problems.delete(`input.${name}`);
    this.requestUpdate();
  };

  /** The input as it was filled in; problems are noted beside their fields. */
  private readInput(chosen: Definition): Json | undefined {
    const fields = fieldsOf(chosen.input_schema);
    if (!fields) {
      const read = readJson(this.written('#json', '{}'));
      if ('problem' in read) this.problems.set('input', read.problem);
      return 'value' in read ? read.value : undefined;
    }
    const input: Record<string, Json> = {};
    for (const field of fields) {
      const read = readField(field, this.written(field.path, field.initial));
      if ('problem' in read) this.problems.set(`input.${field.path}`, read.problem);
      else if (read.value !== undefined) setAt(input, field.path, read.value);
    }
    return input;
  }

  private submit(event: SubmitEvent): void {
    event.preventDefault();
    if (this.sending || !this.definition) return;
    this.problems = new Map();
    this.summary = null;
    const input = this.readInput(this.definition);
    if (this.problems.size > 0 || input === undefined) {
      this.showProblems();
      return;
    }
    const assignee = this.written('#assignee').trim();
    void this.startRun({
      agent: this.definition.name,
      input,
      on_question: this.written('#mode', 'pause') as OnQuestion,
      ...(assignee === '' ? {} : { assignee }),
    });
  }

  private async startRun(request: StartRequest): Promise<void> {
    const text = JSON.stringify(request);
    if (this.attempt?.body !== text) this.attempt = { key: newKey(), body: text };
    this.sending = true;
    this.requestUpdate();
    try {
      const run = await this.client.start(request, { idempotencyKey: this.attempt.key });
      this.attempt = null;
      location.hash = runHref(run.run_id);
    } catch (error) {
      const failure = failureOf(error);
      if (!isPassing(failure)) this.attempt = null;
      this.refused(failure);
    }
    this.sending = false;
    this.requestUpdate();
  }

  private refused(failure: HoldpointError): void {
    for (const issue of failure.issues) this.note(issue);
    if (failure.status === 0)
      this.summary = 'The server cannot be reached. What you filled in is kept: start it again in a moment.';
    else this.summary = failure.issues.length > 0 ? 'It was not started: see above.' : failure.message;
    this.showProblems();
  }

  /** Beside its field where there is one. */
  private note({ path, message }: Issue): void {
    const fields = (this.definition && fieldsOf(this.definition.input_schema)) ?? [];
    const known = [...fields.map((field) => `input.${field.path}`), 'assignee', 'agent'];
    const at = known.find((name) => path === name || path.startsWith(`${name}.`));
    const told = at ? message : `${path}: ${message}`;
    const key = at ?? 'input';
    this.problems.set(key, [this.problems.get(key), told].filter(Boolean).join('; '));
  }

  private showProblems(): void {
    this.requestUpdate();
    void this.updateComplete.then(() => this.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  }
}

function choiceText(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

customElements.define('hp-start', StartPage);
