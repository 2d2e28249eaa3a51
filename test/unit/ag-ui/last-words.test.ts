import type { FollowedRun } from '../../../api/ag-ui/followed-run';
import { LastWords } from '../../../api/ag-ui/last-words';

/** What is looked at of a followed run. */
const followed = (runId: string, news: string[] = [], more: { end?: object; gone?: boolean } = {}) =>
  ({
    view: { runId, end: more.end ?? null },
    news: news.map((child_run_id) => ({ type: 'child.completed', data: { child_run_id } })),
    gone: more.gone ?? false,
  }) as unknown as FollowedRun;
const of = (...runs: FollowedRun[]) => {
  const again: number[] = [];
  const words = new LastWords(new Map(runs.map((run) => [run.view.runId, run])), (ms) => again.push(ms));
  return { words, again };
};

describe('the words of a caller stay behind those of its sub-agent', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test('that has not told its end', () => {
    const caller = followed('run_a', ['run_b']);
    expect(of(caller, followed('run_b')).words.isAhead(caller)).toBe(true);
    expect(of(caller, followed('run_b', ['run_c'], { end: {} })).words.isAhead(caller)).toBe(true);
    expect(of(caller, followed('run_b', [], { end: {} })).words.isAhead(caller)).toBe(false);
  });

  test('and not of one that nobody can read any more, or that is not followed', () => {
    const caller = followed('run_a', ['run_b']);
    expect(of(caller, followed('run_b', [], { gone: true })).words.isAhead(caller)).toBe(false);
    expect(of(caller).words.isAhead(caller)).toBe(false);
    const idle = followed('run_a');
    expect(of(idle, followed('run_b')).words.isAhead(idle)).toBe(false);
  });

  test('for a moment, and it asks to be called again after it', () => {
    const caller = followed('run_a', ['run_b']);
    const { words, again } = of(caller, followed('run_b'));
    expect([words.isAhead(caller), words.isAhead(caller)]).toEqual([true, true]);
    expect(again).toHaveLength(1);
    jest.setSystemTime(Date.now() + (again[0] ?? 0));
    expect(words.isAhead(caller)).toBe(false);
  });
});
