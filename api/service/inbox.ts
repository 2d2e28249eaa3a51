/** `GET /inbox`: pending asks of all runs of a workspace, oldest first. */
import { z } from 'zod';
import { jsonBytes, LIMITS } from '../../workflows/contract';
import { engineUnavailable } from '../errors';
import { readCursor, writeCursor } from './cursor';
import type { TemporalGateway } from './gateway';
import { fitsInbox, oldestFirst, readInboxRun, type InboxAsk, type InboxFilter, type InboxPlace } from './inbox-asks';
import { lookAtInbox, type InboxLook } from './inbox-look';
import { filedRuns, type FiledRun, type WaitingRun } from './inbox-visibility';
import { mapInParallel } from './parallel';
import { SharedWork } from './shared-work';

export interface InboxPage {
  asks: InboxAsk[];
  /** Pending asks that match, on all pages. */
  count: number;
  next_cursor: string | null;
}

const cursorSchema = z.strictObject({ asked_at: z.string().max(64), run_id: z.string().max(1_000) });

/** What is on file is not asked for again before it is this old. */
const FILE_AGE_MS = 300;
/** So long a look waits for it. */
const FILE_MS = 2_000;
/** And so long it may take, for the looks to come. */
const SLOW_FILE_MS = 9_000;
/** What visibility had on file so lately still tells where to look, while it is slow. */
const OLD_FILE_MS = 30_000;

/** The inboxes of all workspaces, as this process reads them. */
export class Inbox {
  private readonly onFile = new Map<string, { at: number; runs: FiledRun[] }>();
  private readonly reading = new Map<string, Promise<FiledRun[]>>();
  private readonly looks = new Map<string, SharedWork<InboxLook>>();

  constructor(
    private readonly gateway: TemporalGateway,
    /** Runs of a workspace that this process has reason to look at, whatever visibility says. */
    private readonly known: (workspace: string) => Parameters<typeof lookAtInbox>[3],
  ) {}

  /**
   * One page. A cursor is the place of the last ask that was shown, so asks that open or close in between move nothing.
   * A page has fewer than `limit` when the next ones are too large or closed a moment ago: `next_cursor` tells the end.
   */
  async page(
    workspace: string,
    filter: InboxFilter,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<InboxPage> {
    const after = page.cursor === undefined ? undefined : readCursor(cursorSchema, page.cursor);
    const gateway = this.gateway.forRequest();
    const look = await this.look(workspace);
    const asks = look.asks.filter((ask) => fitsInbox(ask, filter));
    const unread = look.unread.filter((run) => mayFit(run, filter));
    const count = asks.length + unread.length;
    const isAfter = (place: InboxPlace) => !after || oldestFirst(place, after) > 0;

    const read = asks.filter(isAfter);
    const unreadAfter = unread.filter((run) => isAfter(placeOf(run)));
    const [first] = unreadAfter;
    const inTurn = first ? read.filter((ask) => oldestFirst(ask, placeOf(first)) < 0) : read;
    if (!first || inTurn.length > page.limit) return pageOf(inTurn, page.limit, count, undefined);

    // Far behind: what comes next is read for this page alone. Nothing is shown that something unread may come before.
    const next = unreadAfter.slice(0, page.limit + 1);
    const end = next.length < unreadAfter.length ? placeOf(next.at(-1) as WaitingRun) : undefined;
    const runs = await mapInParallel(next, ({ runId }) => readInboxRun(gateway, workspace, runId));
    const found = runs.map((run) => run?.ask ?? null).filter((ask) => ask !== null && fitsInbox(ask, filter));
    const known = [...read, ...(found as InboxAsk[])].filter(
      (ask) => isAfter(ask) && (!end || oldestFirst(ask, end) <= 0),
    );
    return pageOf(known.sort(oldestFirst), page.limit, count, end);
  }

  /** A look that began after this call; shared by all who ask for one meanwhile. Throws `engine_unavailable`. */
  look(workspace: string): Promise<InboxLook> {
    let look = this.looks.get(workspace);
    if (!look) {
      look = new SharedWork(async () => {
        const filed = await this.filed(workspace);
        return lookAtInbox(this.gateway, workspace, filed, this.known(workspace));
      });
      this.looks.set(workspace, look);
    }
    return look.run();
  }

  /**
   * What is on file, read anew at most some times a second: it lags anyway, and Temporal takes ten such calls a second. With
   * hundreds of runs on a busy server it takes seconds: then what was read before tells where to look.
   */
  private async filed(workspace: string): Promise<FiledRun[]> {
    const kept = this.onFile.get(workspace);
    const age = Date.now() - (kept?.at ?? 0);
    if (kept && age < FILE_AGE_MS) return kept.runs;
    const read = this.reading.get(workspace) ?? this.readFile(workspace);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, FILE_MS, null)));
    const runs = await Promise.race([read, late]).finally(() => clearTimeout(timer));
    if (runs) return runs;
    if (kept && age < OLD_FILE_MS) return kept.runs;
    throw engineUnavailable();
  }

  private readFile(workspace: string): Promise<FiledRun[]> {
    const at = Date.now();
    const read = filedRuns(this.gateway.forRequest(SLOW_FILE_MS), workspace);
    this.reading.set(workspace, read);
    const keep = (runs: FiledRun[]) => void this.onFile.set(workspace, { at, runs });
    const done = () => void this.reading.delete(workspace);
    // Who waits for it is told of a failure; when nobody does any more it is not a matter of anybody's.
    read.then(keep, () => undefined).finally(done);
    return read;
  }
}

/** The first asks that fit a page, at least one; behind the last of them, or else at `more`, the next page begins. */
export function pageOf(asks: InboxAsk[], limit: number, count: number, more: InboxPlace | undefined): InboxPage {
  const shown = firstThatFit(asks, limit);
  const last = shown.length < asks.length ? shown.at(-1) : more;
  const next_cursor = last ? writeCursor({ asked_at: last.asked_at, run_id: last.run_id }) : null;
  return { asks: shown, count, next_cursor };
}

/** The first asks, at most `limit` of them and about 1 MiB of JSON, but at least one. */
function firstThatFit(asks: readonly InboxAsk[], limit: number): InboxAsk[] {
  let bytes = 0;
  const tooMany = asks.slice(0, limit).findIndex((ask, place) => {
    bytes += jsonBytes(ask);
    return place > 0 && bytes > LIMITS.pageBytes;
  });
  return asks.slice(0, tooMany < 0 ? limit : tooMany);
}

function placeOf(run: WaitingRun): InboxPlace {
  return { asked_at: run.askedAt, run_id: run.runId };
}

/** Whether a run that was not read may have an ask that fits: what is on file of its agent never changes. */
export function mayFit(run: Pick<FiledRun, 'agent' | 'assignee'>, filter: InboxFilter): boolean {
  return (
    (filter.agent === undefined || run.agent === filter.agent) &&
    (filter.assignee === undefined || run.assignee === filter.assignee)
  );
}
