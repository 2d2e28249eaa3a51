import type { StepStatus } from '../contract/events';
import { jsonBytes } from '../contract/json';
import { LIMITS } from '../contract/limits';
import type { Step } from '../contract/timeline';
import { dropOldest } from './cut';

export type { Step };

export interface StepsData {
  /** Steps so far, dropped ones included: numbers the next one. */
  count: number;
  steps: Step[];
  /** Tokens of the whole run, dropped steps included. */
  tokens?: number;
}

export function emptySteps(): StepsData {
  return { count: 0, steps: [] };
}

/** The steps of a run in the order in which they began. */
export class Steps {
  constructor(private readonly data: StepsData) {}

  /** Begins a step. `stepId` is given for asks, whose step id is their ask id; all others are numbered. */
  begin(step: Pick<Step, 'kind' | 'name'> & { stepId?: string; status?: StepStatus }, now: string): Step {
    this.data.count += 1;
    const begun: Step = {
      step_id: step.stepId ?? `s${this.data.count}`,
      kind: step.kind,
      name: step.name,
      status: step.status ?? 'running',
      started_at: now,
      ended_at: null,
      tokens: 0,
      child_run_id: null,
    };
    this.data.steps.push(begun);
    if (this.data.steps.length > LIMITS.keptSteps) this.dropOldestEnded();
    return begun;
  }

  /** Books what a model turn has used. */
  countTokens(step: Step, tokens: number): void {
    step.tokens = tokens;
    this.data.tokens = this.tokens + tokens;
  }

  /** Tokens that the run has used so far. */
  get tokens(): number {
    return this.data.tokens ?? 0;
  }

  find(stepId: string): Step | undefined {
    return this.data.steps.find((step) => step.step_id === stepId);
  }

  list(): readonly Step[] {
    return this.data.steps;
  }

  /** Steps that are not over. */
  open(): Step[] {
    return this.data.steps.filter(isOpen);
  }

  /** The newest steps that fit into `maxBytes` of JSON, and every older one that is not over, in order. */
  recent(maxBytes: number): Step[] {
    const kept: Step[] = [];
    let bytes = 0;
    for (let at = this.data.steps.length - 1; at >= 0; at -= 1) {
      const step = this.data.steps[at] as Step;
      if (bytes <= maxBytes) bytes += jsonBytes(step);
      if (bytes <= maxBytes || isOpen(step)) kept.push(step);
    }
    return kept.reverse();
  }

  trimForCarrying(): void {
    this.data.steps.splice(0, Math.max(0, this.data.steps.length - LIMITS.keptSteps / 4));
    dropOldest(this.data.steps, LIMITS.carriedBytes / 4);
  }

  /** An open one stays: a person's question may show on it. */
  private dropOldestEnded(): void {
    const at = this.data.steps.findIndex((step) => !isOpen(step));
    this.data.steps.splice(Math.max(0, at), 1);
  }
}

function isOpen(step: Step): boolean {
  return step.status === 'running' || step.status === 'waiting';
}
