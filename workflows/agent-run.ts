import { ContinueAsNew, isCancellation, makeContinueAsNewFunc, patched, workflowInfo } from '@temporalio/workflow';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ModelTurnResult } from '../activities';
import { modelTurn } from './activity-ports';
import {
  LIMITS,
  type AgentDefinition,
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
import type { RunStateData } from './state/run-data';
import { SubAgents } from './sub-agents';
import { runTool } from './tools';
import { ApprovalGate } from './tools/approval';
import { MEMO_CHILDREN, memoOf, searchAttributesOf } from './visibility';

/** Events after which a server suggests to continue as new, unless it is set up otherwise. */
const SUGGESTED_AFTER = 4_096;
/** How many times that is too long to go on: the server itself ends a run at 51,200 events. */
const TOO_LONG = 8;
/** Bytes of history that are too many to go on: the server itself ends a run at 50 MB. */
const TOO_LARGE = 20 * 1024 * 1024;

/** What an agent's loop takes with it through continue-as-new. Plain JSON. */
interface Carried {
  state: RunStateData;
  effects: EffectCounts;
  turn: number;
  definition: AgentDefinition | null;
  continueAsNewAfter: number | null;
  /** Agents that are workflows of their own, as the worker knew them when the run started; older runs have none. */
  workflows?: WorkflowAgent[];
  /** True once the model was asked to mend its final answer. */
  repaired?: boolean;
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
    const result = await loop.untilFinal();
    await loop.subAgents.allEnded();
    await run.settled();
    run.state.finish({ status: 'completed', result });
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
  private repaired: boolean;
  private readonly gate: ApprovalGate;

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
    this.repaired = carried?.repaired ?? false;
    this.gate = new ApprovalGate(run);
    if (!carried) run.state.transcript.append({ role: 'user', content: args.input });
  }

  /** Runs turns until the model gives its final answer, and returns the run's result. */
  async untilFinal(): Promise<Json> {
    for (;;) {
      await this.makeRoom();
      this.checkTurns();
      const response = await this.modelTurn();
      this.remember(response);
      if (response.final) {
        if (!this.hasToRepair(response)) return resultOf(response);
      } else {
        for (const message of await this.runCalls(response.calls)) this.run.state.transcript.append(message);
      }
      this.run.state.transcript.trim(LIMITS.transcriptBytes);
      this.turn += 1;
    }
  }

  private remember({ text, calls, reasoning }: ModelTurnResult): void {
    const thoughts = reasoning === undefined ? {} : { reasoning };
    this.run.state.transcript.append({ role: 'assistant', text, tool_calls: calls, ...thoughts });
  }

  /** A run whose model goes on and on ends with a named error. The turn that mends a final answer is not counted. */
  private checkTurns(): void {
    const most = this.definition?.max_turns;
    if (most === undefined || this.turn < most + (this.repaired ? 1 : 0)) return;
    throw ApplicationFailure.nonRetryable(`the agent was not done after ${most} model turns`, 'max_turns');
  }

  /** Sends a final answer back that does not fit the output schema: once, then the run fails. */
  private hasToRepair({ output_problem: problem }: ModelTurnResult): boolean {
    if (problem === undefined) return false;
    if (this.repaired) {
      throw ApplicationFailure.nonRetryable(
        `the final answer does not fit the output schema: ${problem}`,
        'invalid_output',
      );
    }
    this.repaired = true;
    const content = `Your final answer does not fit the output schema: ${problem}. Answer again, with the JSON value alone.`;
    this.run.state.transcript.append({ role: 'user', content });
    return true;
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
          dropped: state.transcript.dropped,
          definition: this.definition,
        },
      ]);
      this.definition = response.definition ?? this.definition;
      this.continueAsNewAfter ??= response.continue_as_new_after ?? null;
      this.workflows = response.workflows ?? this.workflows;
      state.steps.countTokens(step, Math.max(0, Math.round(response.tokens)));
      state.endStep(step, 'completed');
      return response;
    } catch (failure) {
      if (!isCancellation(failure)) state.endStep(step, 'failed');
      throw failure;
    }
  }

  /** All calls of a turn side by side. Results come in the order of the calls, whichever ends first. */
  private async runCalls(calls: ToolCall[]): Promise<Message[]> {
    const context = {
      run: this.run,
      subAgents: this.subAgents,
      workflows: this.workflows,
      agent: this.args.agent,
      definition: this.definition,
      gate: this.gate,
      callsInTurn: calls.length,
    };
    const settled = await Promise.allSettled(
      calls.map(async (call): Promise<Message> => {
        const result: Json = await runTool(context, call);
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
    const hasChildren = this.run.state.children.unfinished > 0;
    if (hasChildren && historyLength < limit * TOO_LONG && !isTooLarge()) return;
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
      repaired: this.repaired,
    };
    const snapshot = state.snapshot(MEMO_CHILDREN);
    const next = makeContinueAsNewFunc<typeof agentRun>({
      memo: memoOf(state.identity, snapshot),
      typedSearchAttributes: searchAttributesOf(state.identity, snapshot),
    });
    return next({ ...this.args, run: state.identity, carried });
  }
}

/** `{text}`, and what the agent's output schema made of it where it has one. */
function resultOf({ text, output }: ModelTurnResult): Json {
  return output === undefined ? { text: text ?? '' } : { text: text ?? '', output };
}

/** Large transcripts fill a history long before its events are many. Older runs have gone on there. */
function isTooLarge(): boolean {
  return workflowInfo().historySize >= TOO_LARGE && patched('large-histories-wait');
}
