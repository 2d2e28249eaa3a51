/** What followers of an inbox are told, and in which order runs are read for it. */
import { InboxBoard, type InboxEvent } from '../../../api/streams/inbox-board';
import { PollBudget } from '../../../api/streams/poll-budget';
import { RunReader } from '../../../api/streams/run-reader';
import { SharedWork } from '../../../api/service/shared-work';
import type { InboxAsk, InboxFilter, InboxRun } from '../../../api/service/inbox-asks';

const ask = (run_id: string, more: Partial<InboxAsk> = {}) =>
  ({
    run_id,
    ask_id: 'q1',
    asked_at: '2026-11-30T09:00:00.000Z',
    agent: 'a',
    assignee: null,
    claim: null,
    ...more,
  }) as InboxAsk;

function followed(filters: InboxFilter[]) {
  const board = new InboxBoard();
  const told = filters.map((filter) => {
    const events: InboxEvent[] = [];
    board.followers.add({ filter, send: (event) => events.push(event), end: () => undefined });
    return events;
  });
  return { board, told };
}
const short = (events: InboxEvent[]) =>
  events.map(
    (event) =>
      `${event.type} ${'ask' in event ? event.ask.run_id : 'run_id' in event ? event.run_id : ''} ${event.count}`,
  );

describe('the board', () => {
  test('tells each follower of what fits its filter alone, with its own count', () => {
    const { board, told } = followed([{}, { assignee: 'sam' }, { agent: 'b' }]);
    board.set('r1', ask('r1'));
    board.set('r2', ask('r2', { assignee: 'sam' }));
    board.set('r2', ask('r2', { assignee: 'sam' }));
    board.set('r2', ask('r2', { assignee: 'sam', claim: { by: 'ann', until: 'x' } }));
    board.set('r1', null);
    board.set('r1', null);
    expect(told.map(short)).toEqual([
      ['ask.opened r1 1', 'ask.opened r2 2', 'ask.changed r2 2', 'ask.closed r1 1'],
      ['ask.opened r2 1', 'ask.changed r2 1'],
      [],
    ]);
  });

  test('an ask that is for somebody else now is gone for the one and new for the other', () => {
    const { board, told } = followed([{ assignee: 'sam' }, { assignee: 'eve' }]);
    board.set('r1', ask('r1', { assignee: 'sam' }));
    board.set('r1', ask('r1', { assignee: 'eve' }));
    expect(told.map(short)).toEqual([['ask.opened r1 1', 'ask.closed r1 0'], ['ask.opened r1 1']]);
  });

  test('the next ask of a run closes the one before', () => {
    const { board, told } = followed([{}]);
    board.set('r1', ask('r1'));
    board.set('r1', ask('r1', { ask_id: 'q2' }));
    expect(told[0]?.map(({ type }) => type)).toEqual(['ask.opened', 'ask.closed', 'ask.opened']);
  });

  test('what is expected counts, and is no news when it is read', () => {
    const { board, told } = followed([{}]);
    const filed = { agent: 'a', assignee: null, askedAt: '2026-11-30T09:00:00.000Z' };
    board.expect('r1', filed);
    board.expect('r2', filed);
    board.expectBeyond([{ runId: 'r3', ...filed }]);
    expect(board.snapshot({})).toMatchObject({ asks: [], count: 3 });
    board.set('r1', ask('r1'));
    board.set('r2', null);
    expect(told[0]).toEqual([]);
    expect(board.snapshot({})).toMatchObject({ asks: [{ run_id: 'r1' }], count: 2 });
    board.set('r1', null);
    expect(short(told[0] ?? [])).toEqual(['ask.closed r1 1']);
  });

  test('a snapshot is a bounded page with a cursor for the rest', () => {
    const { board } = followed([]);
    for (let k = 0; k < 130; k += 1) board.set(`r${k}`, ask(`r${String(k).padStart(3, '0')}`));
    const snapshot = board.snapshot({}) as Extract<InboxEvent, { type: 'inbox.snapshot' }>;
    expect(snapshot.asks).toHaveLength(100);
    expect(snapshot).toMatchObject({ count: 130, next_cursor: expect.any(String) });
  });
});

describe('reading runs', () => {
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const run = (n: number) => ({ n }) as unknown as InboxRun;

  test('one that is asked for while it is being read is read once more, and no older reading counts after it', async () => {
    const ends: ((run: InboxRun | null) => void)[] = [];
    const taken: unknown[] = [];
    const reader = new RunReader(
      () => new Promise((resolve) => ends.push(resolve)),
      (_runId, read) => taken.push(read),
    );
    const mark = reader.mark();
    for (let k = 0; k < 5; k += 1) reader.read('r');
    expect(ends).toHaveLength(1);
    ends[0]?.(run(1));
    await settled();
    expect(ends).toHaveLength(2);
    reader.takeReadSince(mark, 'r', run(0));
    ends[1]?.(run(2));
    await settled();
    expect(taken).toEqual([run(1), run(2)]);
    expect(ends).toHaveLength(2);
    reader.stop();
    reader.read('r');
    expect(ends).toHaveLength(2);
  });

  test('no more than 16 are read at once', async () => {
    const ends: (() => void)[] = [];
    const reader = new RunReader(
      () => new Promise((resolve) => ends.push(() => resolve(null))),
      () => undefined,
    );
    for (let k = 0; k < 40; k += 1) reader.read(`r${k}`);
    expect(ends).toHaveLength(16);
    ends.splice(0).forEach((end) => end());
    await settled();
    expect(ends).toHaveLength(16);
    reader.stop();
  });
});

describe('shared work', () => {
  test('begins after each call, one at a time, however many call', async () => {
    const ends: (() => void)[] = [];
    const shared = new SharedWork(() => new Promise<number>((resolve) => ends.push(() => resolve(ends.length))));
    const first = shared.run();
    const later = [shared.run(), shared.run(), shared.run()];
    expect(ends).toHaveLength(1);
    ends[0]?.();
    expect(await first).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ends).toHaveLength(2);
    ends[1]?.();
    expect(await Promise.all(later)).toEqual([2, 2, 2]);
  });

  test('a failure is that of its own callers alone', async () => {
    let begun = 0;
    const shared = new SharedWork(async () => {
      begun += 1;
      if (begun === 1) throw new Error('down');
      return 'up';
    });
    const first = shared.run();
    const second = shared.run();
    await expect(first).rejects.toThrow('down');
    expect(await second).toBe('up');
  });
});

test('a process holds so many polls of a kind and no more', () => {
  const budget = new PollBudget();
  let taken = 0;
  while (budget.take('waiting')) taken += 1;
  expect(taken).toBe(100);
  expect(budget.take('running')).toBe(true);
  budget.giveBack('waiting');
  expect([budget.take('waiting'), budget.take('waiting')]).toEqual([true, false]);
});
