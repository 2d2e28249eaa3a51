/** CONTRACT §5: pages of `GET /agents`, newest first, by cursor: every run once, whatever happens in between. */
import type { RunRecord } from '../../workflows/contract';
import { DocumentedCaller } from '../support/documented';
import { ownWorkspace } from '../support/http';
import { choice, freeForm, freeText, pick, script, sleep } from '../support/scripts';
import { TestStack } from '../support/stack';

const RUNS = 23;

describe('pages of the list', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  afterEach(() => stack.stop());
  /** A workspace of its own for each test: what a list holds is counted. */
  beforeEach(async () => {
    stack = await TestStack.start({ continueAsNewAfter: 12, app: { keys: ownWorkspace() } });
    api = await DocumentedCaller.of(stack.api);
  });

  const page = async (limit: number, cursor: string | null, more = '') => {
    const after = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/agents?limit=${limit}${after}${more}`;
    const { status, body } = await api.call<{ runs: RunRecord[]; next_cursor: string | null }>('GET', path);
    expect(status).toBe(200);
    expect(body.runs.length).toBeLessThanOrEqual(limit);
    return body;
  };
  /** All pages from a cursor on; `between` happens after each. */
  const walk = async (limit: number, between?: () => Promise<unknown>, more = '') => {
    const runs: RunRecord[] = [];
    let cursor: string | null = null;
    for (let pages = 1; ; pages += 1) {
      const { runs: found, next_cursor } = await page(limit, cursor, more);
      runs.push(...found);
      if (next_cursor === null) return { ids: runs.map(({ run_id }) => run_id), runs, pages };
      expect(found).toHaveLength(limit);
      expect(pages).toBeLessThan(50);
      cursor = next_cursor;
      await between?.();
    }
  };
  const newestFirst = (runs: RunRecord[]) => {
    const times = runs.map(({ created_at }) => created_at);
    expect(times).toEqual([...times].sort().reverse());
  };
  const startMany = async (count: number) => {
    const started: string[] = [];
    for (let k = 0; k < count; k += 1) started.unshift((await api.start(script([freeForm()]))).run_id);
    return started;
  };

  test('hold every run once, newest first, however large a page is', async () => {
    const started = await startMany(RUNS);
    for (const limit of [1, 5, 7, 22, 23, 24, 100]) {
      const { ids, runs, pages } = await walk(limit);
      expect({ limit, ids }).toEqual({ limit, ids: started });
      newestFirst(runs);
      expect(pages).toBe(Math.ceil(RUNS / limit));
    }
    // 20 where nothing is said.
    const { body } = await api.call<{ runs: RunRecord[] }>('GET', '/agents');
    expect(body.runs.map(({ run_id }) => run_id)).toEqual(started.slice(0, 20));
  });

  test('hold every run of many that were started at once, a moment ago', async () => {
    const started = await Promise.all(Array.from({ length: RUNS }, () => api.start(script([freeForm()]))));
    const { ids, runs } = await walk(4);
    expect([...ids].sort()).toEqual(started.map(({ run_id }) => run_id).sort());
    newestFirst(runs);
  });

  test('go on where they were while runs are added, answered and cancelled', async () => {
    const started = await startMany(RUNS);
    let turn = 0;
    const { ids } = await walk(4, async () => {
      turn += 1;
      await api.start({});
      const touched = started[(turn * 3) % RUNS] ?? '';
      await api.untilWaiting(touched).catch(() => undefined);
      if (turn % 2 === 0) await api.call('POST', `/agents/${touched}/cancel`);
      else await api.resume(touched, freeText('x'));
    });
    expect(ids).toEqual(started);
  });

  test('hold each run once when some of them have continued as new', async () => {
    const rounds = Array.from({ length: 4 }, () => choice('A', 'B'));
    const long = (await api.start(script([...rounds, freeForm()]))).run_id;
    const others = await startMany(6);
    for (let k = 1; k <= rounds.length; k += 1) {
      await api.untilWaiting(long, `q${k}`);
      expect((await api.resume(long, pick(`q${k}_o1`))).status).toBe(200);
    }
    await api.untilWaiting(long, 'q5');
    const chain = await stack.client.workflow.getHandle(long).describe();
    const first = (await api.read(long)).created_at;
    // Its newest execution is younger than all the others: the list must not go by that alone.
    expect(chain.startTime.toISOString() > first).toBe(true);
    for (const touched of others.slice(2, 4)) {
      await api.untilWaiting(touched);
      await api.resume(touched, freeText('x'));
    }
    for (const limit of [1, 2, 3, 100]) {
      const { ids } = await walk(limit);
      expect({ limit, ids: [...ids].sort() }).toEqual({ limit, ids: [long, ...others].sort() });
    }
  });

  test('of a filtered list are full, although a filter leaves most runs out', async () => {
    const wanted: string[] = [];
    for (let k = 0; k < 8; k += 1) {
      await api.untilEnded((await api.start({})).run_id);
      const { run_id } = await api.start(script([sleep(60_000)]));
      wanted.unshift(run_id);
    }
    const { ids, pages } = await walk(3, undefined, '&status=running');
    expect({ ids, pages }).toEqual({ ids: wanted, pages: 3 });
  });

  test('end with a cursor that leads nowhere new: behind the last run there is an empty page', async () => {
    const [newest] = await startMany(2);
    const { next_cursor } = await page(1, null);
    expect(next_cursor).not.toBeNull();
    const rest = await page(1, next_cursor);
    expect(rest.next_cursor).toBeNull();
    expect(rest.runs).toHaveLength(1);
    expect(rest.runs[0]?.run_id).not.toBe(newest);
    // The same cursor gives the same page again.
    expect((await page(1, next_cursor)).runs[0]?.run_id).toBe(rest.runs[0]?.run_id);
  });
});
