/**
 * Paging through more asks than one look reads, on a server that is played: what visibility has on file, which may be late,
 * and what each run says of itself. The real one is in test/api/inbox.test.ts, with as many runs as it can start.
 */
import { TemporalGateway } from '../../../api/service/gateway';
import { Inbox } from '../../../api/service/inbox';
import { MEMO_KEYS, newRunSnapshot } from '../../../workflows/contract';
import { identityOf, START } from '../../support/unit/runs';

interface PlayedRun {
  runId: string;
  /** What it waits with, and since when; null when it waits with nothing. */
  ask: { id: string; at: number } | null;
  /** When it waits by what is on file; null for running. */
  filed: number | null;
  assignee?: string;
}

const nothingKnown = () => ({ touched: [], waiting: [] });
const at = (ms: number) => new Date(START + ms).toISOString();
const attribute = (value: string) => ({ data: Buffer.from(JSON.stringify(value)) });

/** A gateway that knows these runs, and nothing else of Temporal. */
class PlayedGateway extends TemporalGateway {
  described = 0;

  constructor(readonly runs: PlayedRun[]) {
    super({} as never, 'queue');
  }

  override forRequest(): TemporalGateway {
    return this;
  }

  override async find(query: string, pageSize: number, pageToken?: Uint8Array) {
    const waiting = query.includes("HoldpointStatus = 'awaiting_input'");
    const found = waiting ? this.runs.filter(({ filed }) => filed !== null) : [...this.runs].reverse();
    const from = pageToken ? Number(Buffer.from(pageToken).toString()) : 0;
    const executions = found.slice(from, from + pageSize).map(({ runId, filed, assignee }) => ({
      execution: { workflowId: runId },
      searchAttributes: {
        indexedFields: {
          HoldpointAgent: attribute('tester'),
          HoldpointStatus: attribute(filed === null ? 'running' : 'awaiting_input'),
          ...(assignee === undefined ? {} : { HoldpointAssignee: attribute(assignee) }),
          ...(filed === null ? {} : { HoldpointAskedAt: attribute(at(filed)) }),
        },
      },
    }));
    const next = from + pageSize;
    return { executions, nextPageToken: next < found.length ? Buffer.from(String(next)) : new Uint8Array() };
  }

  override async describe(runId: string) {
    this.described += 1;
    const run = this.runs.find((candidate) => candidate.runId === runId);
    if (!run) throw new Error(`no run ${runId}`);
    const assignee = run.assignee ?? null;
    const question = { kind: 'free_form', question: 'Q', context: null, options: null, expires_at: null, assignee };
    const pending = run.ask && { ...question, ask_id: run.ask.id, asked_at: at(run.ask.at) };
    const memo = {
      [MEMO_KEYS.run]: identityOf(runId, { workspace: 'acme', assignee }),
      [MEMO_KEYS.state]: { ...newRunSnapshot(at(0)), status: pending ? 'awaiting_input' : 'running', pending },
    };
    return { memo, runId: 'x', historyLength: 9, startTime: new Date(START), status: { name: 'RUNNING' } } as never;
  }
}

async function walk(inbox: Inbox, limit: number, filter = {}, between = () => {}) {
  const seen: string[] = [];
  const counts: number[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await inbox.page('acme', filter, { limit, cursor });
    expect(page.asks.length).toBeLessThanOrEqual(limit);
    seen.push(...page.asks.map(({ run_id, ask_id }) => `${run_id}/${ask_id}`));
    counts.push(page.count);
    if (page.next_cursor === null) return { seen, counts };
    cursor = page.next_cursor;
    between();
  }
}

/** Runs of which each waits since another moment, except that every tenth shares its one with the next. */
function waitingRuns(count: number): PlayedRun[] {
  return Array.from({ length: count }, (_, k) => {
    const since = k % 10 === 1 ? k - 1 : k;
    return { runId: `run_${String(k).padStart(4, '0')}`, ask: { id: 'q1', at: since }, filed: since };
  });
}
const all = (runs: PlayedRun[]) => runs.map(({ runId, ask }) => `${runId}/${ask?.id}`);

describe.each([40, 200])('pages of %i', (limit) => {
  const count = 610;

  test('show each of very many asks once, oldest first', async () => {
    const runs = waitingRuns(count);
    const { seen, counts } = await walk(new Inbox(new PlayedGateway(runs), nothingKnown), limit);
    expect(seen).toEqual(all(runs));
    expect(new Set(counts)).toEqual(new Set([count]));
  });

  test('do so for those of one person too', async () => {
    const runs = waitingRuns(count).map((run, k) => (k % 3 === 0 ? { ...run, assignee: 'sam' } : run));
    const ofSam = runs.filter(({ assignee }) => assignee === 'sam');
    const { seen, counts } = await walk(new Inbox(new PlayedGateway(runs), nothingKnown), limit, { assignee: 'sam' });
    expect(seen).toEqual(all(ofSam));
    expect(counts[0]).toBe(ofSam.length);
  });

  test('show nothing twice and skip nothing that stays, while what is on file is late and asks close and open', async () => {
    const runs = waitingRuns(count);
    // On file as waiting, but answered; on file as running, but waiting since just now.
    runs.forEach((run, k) => {
      if (k % 5 === 2) run.ask = null;
    });
    runs.push({ runId: 'run_new', ask: { id: 'q1', at: 5_000 }, filed: null });
    let answered = count;
    const closing = () => {
      answered -= 13;
      const run = runs[answered];
      if (run) run.ask = null;
    };
    const { seen } = await walk(new Inbox(new PlayedGateway(runs), nothingKnown), limit, {}, closing);
    expect(new Set(seen).size).toBe(seen.length);
    const stayed = all(runs.filter(({ ask }) => ask !== null));
    expect(seen.filter((ask) => stayed.includes(ask))).toEqual(stayed);
  });
});

test('a page of the oldest asks reads a bounded number of runs, and looks at once share their reading', async () => {
  const gateway = new PlayedGateway(waitingRuns(330));
  const inbox = new Inbox(gateway, nothingKnown);
  await inbox.page('acme', {}, { limit: 50 });
  expect(gateway.described).toBe(100);
  await Promise.all(Array.from({ length: 40 }, () => inbox.page('acme', {}, { limit: 50 })));
  // One look for the first of them, one for all that came while that was under way.
  expect(gateway.described).toBe(300);
});
