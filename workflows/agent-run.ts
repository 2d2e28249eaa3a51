import { ContinueAsNew, isCancellation, makeContinueAsNewFunc, workflowInfo } from '@temporalio/workflow';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { AgentDefinition } from '../activities';
import { modelTurn } from './activity-ports';
import {
  LIMITS,
  type AgentRunArgs,
  type Json,
  type Message,
  type RunOutcome,
  type ToolCall,
  type WorkflowAgent,
} from './contract';
import type { EffectCounts } from './effects';
import { endEarly } from './ending';
import { runErrorOf } from './failures';
import { checkArgs, identityOf } from './identity';
import { openRun, type Run } from './open-run';
import type { RunStateData } from './state/run-state';
import { SubAgents } from './sub-agents';
import { runTool } from './tools';
import { MEMO_CHILDREN, memoOf, searchAttributesOf } from './visibility';

/** Events after which a server suggests to continue as new, unless it is set up otherwise. */
const SUGGESTED_AFTER = 4_096;
/** How many times that is too long to go on: the server itself ends a run at 51,200 events. */
const TOO_LONG = 8;

/** What an agent's loop takes with it through continue-as-new. Plain JSON. */
interface Carried {
  state: RunStateData;
  effects: EffectCounts;
  turn: number;
  definition: AgentDefinition | null;
  continueAsNewAfter: number | null;
  /** Agents that are workflows of their own, as the worker knew them when the run started; older runs have none. */
  workflows?: WorkflowAgent[];
}

/**
 * One agent run: model turn, tool calls side by side, next turn, until the model is done. It completes only when every
 * sub-agent has; it fails with the code of what went wrong; a cancelled one ends cancelled.
 */
export async function agentRun(args: AgentRunArgs): Promise<RunOutcome> {
  checkArgs(args);
  const carried = args.carried as Carried | undefined;
  const run = openRun(identityOf(args), carried);
  const loop = new AgentLoop(args, run, carried);
  try {
    const text = await loop.untilFinal();
    await loop.subAgents.allEnded();
    await run.settled();
    run.state.finish({ status: 'completed', result: { text } });
    run.publish();
    return { result: run.state.data.result, snapshot: run.state.snapshot() };
  } catch (failure) {
    if (failure instanceof ContinueAsNew) throw failure;
    const error = isCancellation(failure) ? null : runErrorOf(failure);
    await endEarly(run, loop.subAgents, error);
    if (error === null) throw new CancelledFailure('the run was cancelled');
    throw ApplicationFailure.create({ type: error.code, message: error.message, nonRetryable: true });
  }
}

class AgentLoop {
  readonly subAgents: SubAgents;
  private turn: number;
  private definition: AgentDefinition | null;
  private continueAsNewAfter: number | null;
  private workflows: WorkflowAgent[];

  constructor(
    private readonly args: AgentRunArgs,
    private readonly run: Run,
    carried: Carried | undefined,
  ) {
    this.subAgents = new SubAgents(run);
    this.turn = carried?.turn ?? 0;
    this.definition = carried?.definition ?? null;
    this.continueAsNewAfter = carried?.continueAsNewAfter ?? null;
    this.workflows = carried?.workflows ?? [];
    if (!carried) run.state.transcript.append({ role: 'user', content: args.input });
  }

  /** Runs turns until the model gives its final answer, and returns that. */
  async untilFinal(): Promise<string> {
    for (;;) {
      await this.makeRoom();
      const { text, calls, final } = await this.modelTurn();
      this.run.state.transcript.append({ role: 'assistant', text, tool_calls: calls });
      if (final) return text ?? '';
      for (const message of await this.runCalls(calls)) this.run.state.transcript.append(message);
      this.run.state.transcript.trim(LIMITS.transcriptBytes);
      this.turn += 1;
    }
  }

  private async modelTurn() {
    const { state } = this.run;
    const step = state.beginStep({ kind: 'model', name: `model turn ${this.turn + 1}` });
    try {
      const response = await modelTurn.executeWithOptions({ summary: `model turn ${this.turn + 1}` }, [
        {
          run_id: state.runId,
          agent: this.args.agent,
          input: this.args.input,
          turn: this.turn,
          messages: [...state.transcript.messages],
          definition: this.definition,
        },
      ]);
      this.definition ??= response.definition ?? null;
      this.continueAsNewAfter ??= response.continue_as_new_after ?? null;
      this.workflows = response.workflows ?? this.workflows;
      step.tokens = response.tokens;
      state.endStep(step, 'completed');
      return response;
    } catch (failure) {
      if (!isCancellation(failure)) state.endStep(step, 'failed');
      throw failure;
    }
  }

  /** All calls of a turn side by side. Results come in the order of the calls, whichever ends first. */
  private async runCalls(calls: ToolCall[]): Promise<Message[]> {
    const settled = await Promise.allSettled(
      calls.map(async (call): Promise<Message> => {
        const result: Json = await runTool(
          { run: this.run, subAgents: this.subAgents, workflows: this.workflows },
          call,
        );
        return { role: 'tool', tool_call_id: call.id, tool: call.tool, result };
      }),
    );
    return settled.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
  }

  /**
   * Continues as new when it is time: between turns only, and never while a sub-agent runs, whose end the next execution
   * would not hear of. A run whose history gets far too long over that waits for its sub-agents first.
   */
  private async makeRoom(): Promise<void> {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    const limit = this.continueAsNewAfter ?? SUGGESTED_AFTER;
    const isTime = continueAsNewSuggested || (this.continueAsNewAfter !== null && historyLength >= limit);
    if (!isTime) return;
    if (this.run.state.children.unfinished > 0 && historyLength < limit * TOO_LONG) return;
    await this.subAgents.allEnded();
    await this.continueAsNew();
  }

  private async continueAsNew(): Promise<never> {
    await this.run.settled();
    const { state } = this.run;
    const carried: Carried = {
      state: state.carry(),
      effects: this.run.effects.counts,
      turn: this.turn,
      definition: this.definition,
      continueAsNewAfter: this.continueAsNewAfter,
      ...(this.workflows.length > 0 ? { workflows: this.workflows } : {}),
    };
    const snapshot = state.snapshot(MEMO_CHILDREN);
    const next = makeContinueAsNewFunc<typeof agentRun>({
      memo: memoOf(state.identity, snapshot),
      typedSearchAttributes: searchAttributesOf(state.identity, snapshot),
    });
    return next({ ...this.args, run: state.identity, carried });
  }
}
