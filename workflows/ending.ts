/** How a run ends before its work is done: what an agent's loop and a team's own workflow have in common. */
import type { RunError } from './contract';
import type { Run } from './open-run';
import type { SubAgents } from './sub-agents';

/**
 * Withdraws the question, cancels the sub-agents, waits for all of it to be over, and closes the record: as failed, or
 * as cancelled when `error` is null. What the workflow throws then is its own business.
 */
export async function endEarly(run: Run, subAgents: SubAgents, error: RunError | null): Promise<void> {
  run.state.withdrawAsk();
  await subAgents.cancelAll();
  await run.settled();
  run.state.finish(error === null ? { status: 'cancelled' } : { status: 'failed', error });
  run.publish();
}
