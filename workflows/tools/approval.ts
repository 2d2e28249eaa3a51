/** The approval gate in a run: one call at a time is put to a person, in the order of the calls. */
import { condition } from '@temporalio/workflow';
import { checkToolArgs } from '../activity-ports';
import {
  approvalAsk,
  approvalDecision,
  type JsonObject,
  type ToolCall,
  type ToolDefinition,
  type ToolError,
} from '../contract';
import type { Run } from '../open-run';
import { ask } from './ask';

export type Approval = { approved: true; edited: JsonObject | null } | { refused: ToolError };

/**
 * Calls that wait for a person, first come first asked. A run has one pending ask: a call waits until the one before it
 * is decided and no question of the agent's own is open. So an `ask_a_human` of the same turn always goes first.
 */
export class ApprovalGate {
  private line: Promise<unknown> = Promise.resolve();

  constructor(private readonly run: Run) {}

  /** Resolves when a person has decided, or nobody will. Rejects only when the run is cancelled. */
  async decision(agent: string, tool: ToolDefinition, call: ToolCall): Promise<Approval> {
    const mine = this.line.then(() => this.decide(agent, tool, call));
    this.line = mine.catch(() => undefined);
    return mine;
  }

  private async decide(agent: string, tool: ToolDefinition, call: ToolCall): Promise<Approval> {
    const { name, description } = tool;
    let problem: string | null = null;
    for (;;) {
      await condition(() => this.run.state.asks.pending === null);
      const args = approvalAsk({ agent, tool: name, description, args: call.args, problem });
      const outcome = await ask(this.run, args, { name: `approve ${name}`, approval: true });
      // Somebody else's question came in between: wait for its end and ask again.
      if ('refused' in outcome && 'error' in outcome.refused && outcome.refused.error === 'ask_in_flight') continue;
      const decision = approvalDecision('result' in outcome ? outcome.result : outcome.refused);
      if (decision.kind === 'refused') return { refused: decision.error };
      if (decision.kind === 'approved') return { approved: true, edited: null };
      // Edited arguments that do not fit are told to the person, who may write them again.
      ({ problem } = await checkToolArgs({ agent, tool, args: decision.args }));
      if (problem === null) return { approved: true, edited: decision.args };
    }
  }
}
