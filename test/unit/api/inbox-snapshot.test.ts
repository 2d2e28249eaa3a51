/** What the first event of a live inbox holds while some of what waits was not read yet. */
import type { InboxAsk } from '../../../api/service/inbox-asks';
import { InboxBoard } from '../../../api/streams/inbox-board';

const at = (second: number) => `2026-12-01T00:00:${String(second).padStart(2, '0')}.000Z`;
const ask = (second: number) =>
  ({ run_id: `run_${second}`, ask_id: 'q1', asked_at: at(second), agent: 'scripted', assignee: null }) as InboxAsk;
const filed = (second: number, agent = 'scripted') => ({ askedAt: at(second), agent, assignee: null });

function snapshotOf(board: InboxBoard, filter = {}) {
  const event = board.snapshot(filter);
  if (event.type !== 'inbox.snapshot') throw new Error('no snapshot');
  return { asks: event.asks.map(({ run_id }) => run_id), count: event.count, more: event.next_cursor !== null };
}

describe('the snapshot of an inbox', () => {
  let board: InboxBoard;
  beforeEach(() => {
    board = new InboxBoard();
    for (const second of [1, 2, 4]) board.set(`run_${second}`, ask(second));
  });

  test('all was read: nothing is left to page to', () => {
    expect(snapshotOf(board)).toEqual({ asks: ['run_1', 'run_2', 'run_4'], count: 3, more: false });
  });

  test('what was not read is paged to, and nothing is shown that it may come before', () => {
    board.expect('run_3', filed(3));
    expect(snapshotOf(board)).toEqual({ asks: ['run_1', 'run_2'], count: 4, more: true });
    board.expect('run_0', filed(0));
    expect(snapshotOf(board)).toEqual({ asks: [], count: 5, more: true });
    board.set('run_0', null);
    board.set('run_3', ask(3));
    expect(snapshotOf(board)).toEqual({ asks: ['run_1', 'run_2', 'run_3', 'run_4'], count: 4, more: false });
  });

  test('so are those beyond what is followed, but not what cannot fit the filter', () => {
    board.expectBeyond([{ runId: 'run_9', ...filed(9, 'other') }]);
    expect(snapshotOf(board)).toEqual({ asks: ['run_1', 'run_2', 'run_4'], count: 4, more: true });
    expect(snapshotOf(board, { agent: 'scripted' })).toMatchObject({ count: 3, more: false });
  });
});
