/** Starting a run: an agent, what it takes, and how its questions are handled. */
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { Definition, HoldpointError, OnQuestion, StartRequest } from '../../../client';
import { newKey } from '../../../client/uuid';
import { failureOf, isPassing } from '../../net/connection';
import { Page } from '../page';
import { failureBox } from '../parts/labels';
import { inputForm, problemAt } from '../parts/input-form';
import { ASSIGNEE, FormState, MODE } from '../parts/form-state';
import { StartDrafts, type StartAttempt } from '../parts/start-drafts';
import { replaceQuery, runHref, type Route } from '../router';

type StartRoute = Extract<Route, { page: 'start' }>;

const MODES = [
  { value: 'pause', label: 'Pause and wait for a person' },
  { value: 'auto', label: 'Go on by its own judgement' },
  { value: 'none', label: 'Nobody is there: questions are refused' },
] as const;

/** A list of agents that could not be read is read again. */
const AGAIN_MS = 3_000;

export class StartPage extends Page<StartRoute> {
  private definitions: Definition[] | null = null;
  private failure: HoldpointError | null = null;
  private form: { agent: string; state: FormState } | null = null;
  private summary: string | null = null;
  private sending = false;
  /** One key for one body: a second click, or a retry, is the same run. */
  private attempt: StartAttempt | null = null;

  private timer: ReturnType<typeof setTimeout> | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    void this.load();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  protected override updated(): void {
    this.setTitle('Start');
  }

  private async load(): Promise<void> {
    clearTimeout(this.timer);
    try {
      this.definitions = await this.client.definitions();
      this.failure = null;
    } catch (error) {
      this.failure = failureOf(error);
      if (isPassing(this.failure)) this.timer = setTimeout(() => void this.load(), AGAIN_MS);
    }
    this.requestUpdate();
  }

  private get definition(): Definition | null {
    const name = this.route.query.get('agent');
    return this.definitions?.find((definition) => definition.name === name) ?? null;
  }

  private get drafts(): StartDrafts {
    return new StartDrafts(this.context.session.caller);
  }

  /** What is filled in for an agent; another agent goes on with what was filled in for it before. */
  private stateOf({ name, input_schema }: Definition): FormState {
    if (this.form?.agent !== name) {
      const { values, attempt } = this.drafts.read(name);
      this.attempt = attempt;
      this.form = { agent: name, state: new FormState(input_schema, values, () => this.changed()) };
    }
    return this.form.state;
  }

  private changed(): void {
    this.keep();
    this.requestUpdate();
  }

  private keep(): void {
    if (this.form) this.drafts.write(this.form.agent, { values: this.form.state.values, attempt: this.attempt });
  }

  protected override render(): TemplateResult {
    return html`<h1 tabindex="-1">Start a run</h1>
      ${
        !this.can('start')
          ? html`<p class="empty">This key may not start runs.</p>`
          : this.definitions
            ? this.startForm(this.definitions)
            : this.failure
              ? failureBox(this.failure, () => void this.load())
              : html`<p class="muted">Loading…</p>`
      }`;
  }

  private startForm(definitions: Definition[]): TemplateResult {
    const chosen = this.definition;
    if (definitions.length === 0) return html`<p class="empty">No agent is installed.</p>`;
    return html`<form class="start" novalidate @submit=${(event: SubmitEvent) => this.submit(event)}>
      <div class="field">
        <label for="agent">Agent</label>
        <select id="agent" @change=${(event: Event) => this.chooseAgent((event.target as HTMLSelectElement).value)}>
          <option value="" .selected=${!chosen}>Choose an agent…</option>
          ${definitions.map(
            ({ name }) => html`<option value=${name} .selected=${chosen?.name === name}>${name}</option>`,
          )}
        </select>
        ${chosen ? html`<p class="muted small">${chosen.description}</p>` : nothing}
        ${chosen ? problemAt(this.stateOf(chosen), 'agent') : nothing}
      </div>
      ${chosen ? this.rest(chosen) : nothing}
    </form>`;
  }

  private rest(chosen: Definition): TemplateResult {
    const form = this.stateOf(chosen);
    return html`${inputForm(form)}
      <fieldset>
        <legend>Questions</legend>
        <div class="field">
          <label for="mode">When it needs a person</label>
          <select id="mode" @change=${form.setter(MODE)}>
            ${MODES.map(
              ({ value, label }) =>
                html`<option value=${value} .selected=${form.written(MODE, 'pause') === value}>${label}</option>`,
            )}
          </select>
        </div>
        <div class="field">
          <label for="assignee">Assignee (optional)</label>
          <input
            id="assignee"
            autocomplete="off"
            .value=${live(form.written(ASSIGNEE))}
            aria-describedby="assignee-help"
            @input=${form.setter(ASSIGNEE)}
          />
          <p class="muted small" id="assignee-help">Whose inbox its questions are for, such as an email address.</p>
          ${problemAt(form, 'assignee')}
        </div>
      </fieldset>
      ${this.summary ? html`<p class="error" role="alert">${this.summary}</p>` : nothing}
      <button class="primary" type="submit" aria-disabled=${this.sending ? 'true' : 'false'}>
        ${this.sending ? 'Starting…' : 'Start'}
      </button>`;
  }

  private chooseAgent(agent: string): void {
    this.form = null;
    this.summary = null;
    replaceQuery(['start'], { agent });
  }

  private submit(event: SubmitEvent): void {
    event.preventDefault();
    const { definition } = this;
    if (this.sending || !definition) return;
    this.summary = null;
    const form = this.stateOf(definition);
    const input = form.readInput();
    if (form.hasProblems || input === undefined) {
      this.showProblems();
      return;
    }
    const assignee = form.written(ASSIGNEE).trim();
    void this.startRun({
      agent: definition.name,
      input,
      on_question: form.written(MODE, 'pause') as OnQuestion,
      ...(assignee === '' ? {} : { assignee }),
    });
  }

  private async startRun(request: StartRequest): Promise<void> {
    const text = JSON.stringify(request);
    if (this.attempt?.body !== text) this.attempt = { key: newKey(), body: text };
    this.sending = true;
    this.changed();
    try {
      const run = await this.client.start(request, { idempotencyKey: this.attempt.key });
      this.attempt = null;
      this.drafts.remove(request.agent);
      location.hash = runHref(run.run_id);
    } catch (error) {
      const failure = failureOf(error);
      if (!isPassing(failure)) this.attempt = null;
      // Whoever has left may have signed out: nothing is written behind them.
      if (this.isConnected) this.keep();
      this.refused(failure);
    }
    this.sending = false;
    this.requestUpdate();
  }

  private refused(failure: HoldpointError): void {
    for (const issue of failure.issues) this.form?.state.note(issue);
    if (failure.status === 0)
      this.summary = 'The server cannot be reached. What you filled in is kept: start it again in a moment.';
    else this.summary = failure.issues.length > 0 ? 'It was not started: see above.' : failure.message;
    this.showProblems();
  }

  private showProblems(): void {
    this.requestUpdate();
    void this.updateComplete.then(() => this.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  }
}

customElements.define('hp-start', StartPage);
