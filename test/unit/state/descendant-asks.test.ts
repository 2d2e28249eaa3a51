/** CONTRACT §3: asks from below, oldest first. Cases C11, C13, C14. */
import fc from 'fast-check';
import { closedUnanswered } from '../../../workflows/contract';
import { takeAnswer } from '../../../workflows/state/judge';
import { answered, at, Family, questionOf } from '../../support/unit/families';
import { expectGoodEvents } from '../../support/unit/runs';

describe('the order of pending asks', () => {
  test('is that of asking, not of starting; answering one out of turn leaves the others where they are', () => {
    const run = new Family();
    ['c1', 'c2', 'c3'].forEach((id) => run.startChild(id));
    run.opens('c3', 0);
    run.opens('c1', 300);
    run.opens('c2', 600);
    expect(run.waiting).toEqual(['c3/q1', 'c1/q1', 'c2/q1']);
    run.closes('c1');
    expect(run.waiting).toEqual(['c3/q1', 'c2/q1']);
    expect(run.listed).toEqual(['c3/q1', 'c2/q1']);
    expect(run.dataOf('child_needs_human').map((data) => (data as { child_run_id: string }).child_run_id)).toEqual(['c3', 'c1', 'c2']); // prettier-ignore
  });

  test('of one instant is that of arrival', () => {
    const run = new Family();
    for (const id of ['b', 'c', 'a']) run.opens(id, 500);
    run.opens('late', 400);
    run.opens('d', 500);
    expect(run.waiting).toEqual(['late/q1', 'b/q1', 'c/q1', 'a/q1', 'd/q1']);
  });

  test('is first come first served for any arrival, and no reading or carrying moves one', () => {
    const asks = fc.array(fc.nat(4), { maxLength: 20 });
    fc.assert(
      fc.property(asks, fc.array(fc.nat(19)), (times, closed) => {
        const run = new Family();
        times.forEach((time, i) => run.opens(`c${i}`, time));
        const ordered = times.map((time, i) => ({ time, i })).sort((a, b) => a.time - b.time || a.i - b.i);
        expect(run.waiting).toEqual(ordered.map(({ i }) => `c${i}/q1`));
        closed.forEach((i) => run.closes(`c${i}`));
        run.continueAsNew();
        const left = ordered.filter(({ i }) => !closed.includes(i)).map(({ i }) => `c${i}/q1`);
        expect(run.waiting).toEqual(left);
        expect(run.listed).toEqual(left);
        expectGoodEvents(run.events);
      }),
      { numRuns: 300 },
    );
  });

  test("puts this run's own ask among the others by time", () => {
    const run = new Family();
    run.opens('old', -7_200_000);
    run.ask();
    run.opens('young', 0);
    expect(run.listed).toEqual(['old/q1', 'run_root/q1', 'young/q1']);
    expect(run.waiting).toEqual(['old/q1', 'young/q1']);
  });
});

describe("a sub-agent's ask", () => {
  test('is told once, exactly as the seed says, and the run goes on', () => {
    const run = new Family();
    run.startChild('c1');
    const before = run.events.length;
    run.opens('c1', 0);
    expect(run.types(before)).toEqual(['child_needs_human']);
    expect(run.dataOf('child_needs_human')).toStrictEqual([
      { child_run_id: 'c1', question: questionOf(0), timestamp: at(0) },
    ]);
    expect(run.state.data.status).toBe('running');
    expect(run.state.asks.pending).toBeNull();
    expect(run.state.snapshot()).toMatchObject({ pending: null, children_awaiting: [{ run_id: 'c1', ask_id: 'q1' }] });
  });

  test('told twice is one ask, also when it is closed already', () => {
    const run = new Family();
    run.opens('c1', 0);
    run.opens('c1', 0);
    run.closes('c1');
    run.closes('c1');
    run.opens('c1', 0);
    expect(run.types()).toEqual(['child_needs_human', 'child_ask_closed']);
    expect(run.waiting).toEqual([]);
  });

  test('whose close came first never opens, and its next ask does', () => {
    const run = new Family();
    run.closes('c1');
    expect(run.types()).toEqual([]);
    run.opens('c1', 0);
    expect(run.types()).toEqual([]);
    expect(run.waiting).toEqual([]);
    run.opens('c1', 100, { n: 2 });
    expect(run.waiting).toEqual(['c1/q2']);
  });

  test('whose close came first is remembered through continue-as-new', () => {
    const run = new Family();
    run.closes('c1');
    run.continueAsNew();
    run.opens('c1', 0);
    expect(run.waiting).toEqual([]);
  });

  test('with the same ask id as another run is another ask', () => {
    const run = new Family();
    run.opens('c1', 0);
    run.opens('c2', 1);
    run.closes('c2');
    expect(run.waiting).toEqual(['c1/q1']);
  });

  test('does not answer this run, nor does its answer', () => {
    const run = new Family();
    run.ask();
    run.opens('c1', 0);
    run.closes('c1', 1, answered('for c1'));
    expect(run.state.asks.pending?.ask_id).toBe('q1');
    expect(run.state.data.status).toBe('awaiting_input');
    expect(takeAnswer(run.state, { input: { kind: 'free_form', text: 'for me' } }).verdict).toBe('taken');
    expect(run.state.asks.takeResult('q1')).toStrictEqual({ answer: 'for me' });
  });

  test('is listed with how it ended, its option id and who it was', () => {
    const run = new Family();
    run.opens('c1', 0);
    run.opens('c2', 1);
    run.opens('c3', 2);
    run.closes('c1', 1, answered('Q3'));
    run.closes('c2', 1, closedUnanswered('withdrawn', at(50)));
    expect(run.state.pageOfAsks('all', 0).asks).toMatchObject([
      { run_id: 'c1', state: 'answered', closing: { answer: 'Q3', principal: 'ops' } },
      { run_id: 'c2', state: 'withdrawn', closing: { answer: null, by: null } },
      { run_id: 'c3', state: 'pending', closing: null },
    ]);
    expect(run.dataOf('child_ask_closed')).toStrictEqual([
      { child_run_id: 'c1', ask_id: 'q1', outcome: 'answered' },
      { child_run_id: 'c2', ask_id: 'q1', outcome: 'withdrawn' },
    ]);
  });
});

describe('through which sub-agent an ask came', () => {
  test.each([
    ['c1', [], 'c1', ['c1']],
    ['g1', ['c1'], 'c1', ['g1', 'c1']],
    ['gg1', ['g1', 'c1'], 'c1', ['gg1', 'g1', 'c1']],
  ])('%s below %j came through %s', (asker, between, via, branch) => {
    const run = new Family();
    run.opens(asker, 0, { between });
    expect(run.state.descendants.pending).toMatchObject([{ run_id: asker, via_run_id: via, branch }]);
  });

  test('a forged list that does not name this run counts for the asker alone', () => {
    const run = new Family();
    const question = questionOf(0);
    run.state.childNeedsHuman({ child_run_id: 'c1', question, timestamp: at(0), ancestors: ['someone', 'else'] });
    expect(run.state.descendants.pending).toMatchObject([{ via_run_id: 'c1', branch: ['c1'] }]);
  });
});

test('a thousand sub-agents that ask are all listed, in order, page by page', () => {
  const run = new Family();
  for (let i = 0; i < 1_500; i += 1) run.opens(`c${i}`, i);
  expect(run.state.snapshot(200)).toMatchObject({ more_children_awaiting: true });
  expect(run.state.snapshot(200).children_awaiting).toHaveLength(200);
  expect(run.state.snapshot()).toMatchObject({ more_children_awaiting: false });
  expect(run.state.snapshot().children_awaiting).toHaveLength(1_500);
  const got: string[] = [];
  for (let from = 0, more = true; more;) {
    const page = run.state.pageOfAsks('pending', from);
    expect(page).toMatchObject({ from, total: 1_500 });
    got.push(...page.asks.map((ask) => ask.run_id));
    from += page.asks.length;
    more = page.has_more;
  }
  expect(got).toEqual(Array.from({ length: 1_500 }, (_, i) => `c${i}`));
});

test.each([-1, NaN, 1.5, Infinity, 99])('a list from the position %d never fails', (from) => {
  const run = new Family();
  run.opens('c1', 0);
  run.opens('c2', 1);
  const { asks } = run.state.pageOfAsks('all', from);
  expect(asks.every((ask) => ask.state === 'pending')).toBe(true);
});
