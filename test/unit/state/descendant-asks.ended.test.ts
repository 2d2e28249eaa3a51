/** CONTRACT §3: what a sub-agent that ended still asked is withdrawn. Cases C10, C12. */
import { closedUnanswered } from '../../../workflows/contract';
import { at, Family } from '../../support/unit/families';
import { expectGoodEvents } from '../../support/unit/runs';

describe('when a sub-agent ends', () => {
  const failed = { status: 'failed', result: null, error: { code: 'boom', message: 'no' } } as const;

  test('everything it and the runs below it still ask is withdrawn, here and further up', () => {
    const run = new Family();
    const c1 = run.startChild('c1');
    run.startChild('c2');
    run.opens('c1', 0);
    run.opens('g1', 1, { between: ['c1'] });
    run.opens('c2', 2);
    run.opens('gg1', 3, { between: ['g1', 'c1'] });
    run.tick(5_000);
    const before = run.events.length;
    const revision = run.state.revision;
    run.state.childEnded(c1, failed);
    expect(run.waiting).toEqual(['c2/q1']);
    expect(run.types(before)).toEqual(['child_ask_closed', 'child_ask_closed', 'child_ask_closed', 'child.failed', 'step.failed']); // prettier-ignore
    expect(run.state.outbox).toMatchObject(
      ['c1', 'g1', 'gg1'].map((run_id) => ({
        kind: 'closed',
        run_id,
        ask_id: 'q1',
        closing: { outcome: 'withdrawn' },
      })),
    );
    expect(run.state.pageOfAsks('all', 0).asks.map((ask) => ask.state)).toEqual(['withdrawn', 'withdrawn', 'pending', 'withdrawn']); // prettier-ignore
    expect(run.state.revision).toBeGreaterThan(revision);
    expectGoodEvents(run.events);
  });

  test('what is still on its way from there is ignored, now and after continue-as-new', () => {
    const run = new Family();
    run.state.childEnded(run.startChild('c1'), failed);
    const before = run.events.length;
    run.opens('c1', 0);
    run.opens('g1', 0, { between: ['c1'] });
    run.continueAsNew();
    run.opens('c1', 0);
    run.opens('g1', 0, { between: ['c1'] });
    run.closes('g1');
    expect(run.waiting).toEqual([]);
    expect(run.types(before)).toEqual([]);
  });

  test('its withdrawal that arrives afterwards changes nothing', () => {
    const run = new Family();
    const c1 = run.startChild('c1');
    run.opens('c1', 0);
    run.state.childEnded(c1, failed);
    const before = structuredClone(run.state.data);
    run.closes('c1', 1, closedUnanswered('withdrawn', at(50)));
    expect(run.state.data).toStrictEqual(before);
  });

  test.each([
    ['completed' as const, null, ['child.completed', 'step.completed']],
    ['failed' as const, { code: 'boom', message: 'no' }, ['child.failed', 'step.failed']],
    ['cancelled' as const, { code: 'cancelled', message: 'was cancelled' }, ['child.failed', 'step.failed']],
  ])('%s is told, and its step ends', (status, error, types) => {
    const run = new Family();
    const child = run.startChild('c1');
    const before = run.events.length;
    run.state.childEnded(child, { status, result: error === null ? { text: 'done' } : null, error });
    expect(run.types(before)).toEqual(types);
    expect(run.state.children.unfinished).toBe(0);
    expect(run.state.steps.find(child.step_id)?.status).toBe(status);
    expectGoodEvents(run.events);
  });
});
