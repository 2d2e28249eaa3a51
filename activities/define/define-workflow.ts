import type { z } from 'zod';
import { LIMITS, type WorkflowTarget } from '../../workflows/contract';
import { inputJudge, isAgentName, isDescription } from './define-agent';
import type { Agent } from '../model';

export interface WorkflowOptions {
  /** 1 to 128 characters; what `POST /agents` and `delegate` call it. */
  name: string;
  /** For people and for agents that may delegate to it. */
  description: string;
  /** The workflow type: the name that `pausableRun` was given. */
  type: string;
  /** Where the team's own worker polls. */
  taskQueue: string;
  /** What its one argument has to be; anything when left out. A start over the API that does not fit is refused. */
  input?: z.ZodType;
}

/** A workflow that can be started like an agent. */
export interface StartableWorkflow extends Pick<Agent, 'name' | 'description' | 'checkInput' | 'inputSchema'> {
  workflow: WorkflowTarget;
}

/**
 * A workflow of a team's own, made with `pausableRun`, under the name of an agent. Export it from a file in the folder that
 * `HOLDPOINT_AGENTS` names: the API then starts it and agents may delegate to it. Throws when it is defined wrongly, with one
 * line that says what to change.
 */
export function defineWorkflow({ name, description, type, taskQueue, input }: WorkflowOptions): StartableWorkflow {
  const check = (holds: boolean, problem: string) => {
    if (!holds) throw new TypeError(`workflow ${String(name)}: ${problem}`);
  };
  check(isAgentName(name), `its name must be 1 to ${LIMITS.agentName} visible characters`);
  check(isDescription(description), 'it needs a description');
  for (const [what, value] of Object.entries({ type, taskQueue })) {
    check(typeof value === 'string' && value !== '', `it needs a ${what}`);
  }
  return { name, description, ...(input ? inputJudge(input) : {}), workflow: { type, task_queue: taskQueue } };
}
