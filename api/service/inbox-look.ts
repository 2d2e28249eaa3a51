/** One look at all open runs of a workspace: which asks are pending right now. */
import { ApiError } from '../errors';
import type { TemporalGateway } from './gateway';
import { oldestFirst, readInboxRun, waitingBelow, type InboxAsk, type InboxRun } from './inbox-asks';
import { byTimeOnFile, isFiledAsWaiting, type FiledRun, type WaitingRun } from './inbox-visibility';
import { mapInParallel } from './parallel';

export interface InboxLook {
  /** Each read from the server after the look began; oldest first. */
  asks: InboxAsk[];
  /** What was read, by run; null for what is no run of the workspace. */
  read: ReadonlyMap<string, InboxRun | null>;
  /** Filed as waiting and not read, for there are too many: the youngest ones. Oldest first. */
  unread: WaitingRun[];
}

/** So many of the runs that are filed as waiting are read at each look, the oldest asks first. */
const MAX_READ_WAITING = 100;
/** And so many of those that are filed as running, the newest first. */
const MAX_READ_RUNNING = 100;
/** A look and the one after it together, each with what is on file, end within a request's time. */
const LOOK_MS = 2_500;
/** From here on nothing more is begun to be read: what was read can be told. */
const READ_MS = 1_500;

/**
 * Looks at a workspace. What visibility has on file lags and only says where to look: at runs filed as waiting, at the newest
 * filed as running, at those that `known` names, and at the sub-agents that any of these knows to wait. Each is read itself.
 * Throws `engine_unavailable`.
 */
export async function lookAtInbox(
  base: TemporalGateway,
  workspace: string,
  filed: readonly FiledRun[],
  known: { touched: readonly string[]; waiting: readonly string[] },
): Promise<InboxLook> {
  const gateway = base.forRequest(LOOK_MS);
  const stopAt = Date.now() + READ_MS;
  const waiting = filed.filter(isFiledAsWaiting).sort(byTimeOnFile);
  const running = filed.filter((run) => !isFiledAsWaiting(run)).slice(0, MAX_READ_RUNNING);
  const read = new Map<string, InboxRun | null>();
  let failure: unknown;
  const tooMany = new Set(waiting.slice(MAX_READ_WAITING).map(({ runId }) => runId));
  const onFile = [...waiting.slice(0, MAX_READ_WAITING), ...running].map(({ runId }) => runId);
  let ids = [...onFile, ...known.touched, ...known.waiting.filter((runId) => !tooMany.has(runId))];
  while (ids.length > 0) {
    const runs = await mapInParallel([...new Set(ids)], async (runId) => {
      if (read.has(runId) || Date.now() > stopAt) return null;
      try {
        const run = await readInboxRun(gateway, workspace, runId);
        read.set(runId, run);
        return run;
      } catch (error) {
        // A server that is slow for one of many has told enough with the others.
        failure ??= error;
        return null;
      }
    });
    if (failure !== undefined && (read.size === 0 || !isUnavailable(failure))) throw failure as Error;
    const below = runs.flatMap((run) => (run ? waitingBelow(run) : []));
    ids = below.filter((runId) => !read.has(runId) && !tooMany.has(runId));
    if (Date.now() > stopAt) break;
  }
  const asks = [...read.values()].map((run) => run?.ask ?? null).filter((ask) => ask !== null);
  return { asks: asks.sort(oldestFirst), read, unread: waiting.filter(({ runId }) => !read.has(runId)) };
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'engine_unavailable';
}
