/** The timeline of a run (CONTRACT §7): each model turn, tool call, ask and delegation as a step. */
import type { StepStatus } from './events';
import type { RunSnapshot } from './run';

/** One line of a run's timeline. Times are ISO 8601 in UTC. */
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

/** Reply of the `steps` query: the newest steps in the order in which they began, and what the run is at that moment. */
export interface StepsReply {
  steps: Step[];
  now: Pick<RunSnapshot, 'status' | 'pending' | 'children_awaiting' | 'more_children_awaiting'>;
}
