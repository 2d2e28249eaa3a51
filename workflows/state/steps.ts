import type { StepStatus } from '../contract/events';
import { LIMITS } from '../contract/limits';
import { dropOldest } from './cut';

/** One line of a run's timeline: a model turn, a tool call, an ask or a delegation. */
export interface Step {
  step_id: string;
  kind: 'model' | 'tool' | 'ask' | 'delegation';
  name: string;
  status: StepStatus;
  started_at: string;
  ended_at: string | null;
  /** Tokens that the model used, for model turns. */
  tokens: number;
  /** The sub-agent that a delegation started. */
  child_run_id: string | null;
}

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
    if (this.data.steps.length > LIMITS.keptSteps) this.data.steps.shift();
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
    return this.data.steps.filter((step) => step.status === 'running' || step.status === 'waiting');
  }

  trimForCarrying(): void {
    this.data.steps.splice(0, Math.max(0, this.data.steps.length - LIMITS.keptSteps / 4));
    dropOldest(this.data.steps, LIMITS.carriedBytes / 4);
  }
}
