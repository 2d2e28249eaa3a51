import { questionText, type Step } from '../../workflows/contract';
import type { Timeline, Waiting } from '../service/timeline';
import type { MissionRunStatus, MissionStep } from './schemas';

/**
 * A run as Mission Control polls it (CONTRACT §7). It waits when anything in its conversation does, and then exactly one
 * step is `waiting`: the one that the oldest question shows on.
 */
export function statusOf({ run, steps: told, waiting }: Timeline): MissionRunStatus {
  const { status, pending } = run.snapshot;
  const over = status === 'completed' || status === 'failed' || status === 'cancelled';
  const steps = told.map((step) => stepOf(step, over));
  const assignee = waiting?.question.assignee ?? pending?.assignee ?? run.identity.assignee;
  return {
    orchestratorRunId: run.runId,
    status: over ? status : waiting ? 'human_intervention' : 'running',
    currentStep: waiting && !over ? park(steps, waiting) : stepInHand(steps),
    totalSteps: steps.length,
    steps,
    ...(assignee === null ? {} : { assigneeRef: assignee }),
  };
}

/** A step that waits in the run but is not the one whose turn it is goes on, as far as a poller is told. */
function stepOf(step: Step, over: boolean): MissionStep {
  const open = step.status === 'waiting' || step.status === 'running';
  // A run that was ended from outside could not close its steps itself.
  const status = open ? (over ? 'cancelled' : 'running') : step.status;
  return { stepId: step.step_id, name: step.name, status, startedAt: step.started_at, tokenCount: step.tokens };
}

/** Parks the step that the question shows on, and returns its number. Without its steps a run still has that one. */
function park(steps: MissionStep[], waiting: Waiting): number {
  const stepId = waitingStepId(waiting);
  let at = steps.findIndex((step) => step.stepId === stepId);
  if (at < 0) {
    const name = stepId === waiting.question.ask_id ? 'ask_a_human' : 'delegate';
    steps.push({ stepId, name, status: 'waiting', startedAt: waiting.question.asked_at, tokenCount: 0 });
    at = steps.length - 1;
  }
  Object.assign(steps[at] as MissionStep, { status: 'waiting', delivered: questionText(waiting.question) });
  return at + 1;
}

/** The step that a message for this question has to name. */
export function waitingStepId({ stepId, asker }: Waiting): string {
  // Only memos of an older release do not tell; the asker's own id names no other step.
  return stepId ?? asker.runId;
}

/** Number of the newest step that is not over; the last one when all are, 0 when there is none. */
function stepInHand(steps: MissionStep[]): number {
  const at = steps.findLastIndex((step) => step.status === 'running');
  return at < 0 ? steps.length : at + 1;
}
