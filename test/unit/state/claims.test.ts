/** Claims as a run judges them: one holder, until its time, and nobody else's answer meanwhile. */
import { takeClaim, takeRelease } from '../../../workflows/state/claims';
import { takeAnswer } from '../../../workflows/state/judge';
import { durationMs, liveClaim } from '../../../workflows/contract';
import { expectGoodEvents, expectPlainJson, START, TestRun } from '../../support/unit/runs';

const MINUTE = 60_000;
const free = (text: string) => ({ kind: 'free_form', text });
const at = (ms: number) => new Date(START + ms).toISOString();

function asking(): TestRun {
  const run = new TestRun();
  run.ask();
  return run;
}
const held = (run: TestRun) => run.state.snapshot().claim ?? null;

test.each([
  ['15m', 15 * MINUTE],
  ['90s', 90_000],
  ['500ms', 500],
  ['3d', 3 * 24 * 60 * MINUTE],
  ['0s', 0],
  ['15', null],
  ['m', null],
  ['-1m', null],
  ['1.5h', null],
  ['1h30m', null],
  [' 15m', null],
  ['15M', null],
  ['1234567890s', null],
])('the duration %j is %j ms', (text, ms) => expect(durationMs(text)).toBe(ms));

describe('a claim', () => {
  test('is the first one’s, for 15 minutes unless it says otherwise', () => {
    const run = asking();
    const until = at(15 * MINUTE);
    expect(takeClaim(run.state, { claim_id: 'a', ask_id: 'q1', principal: 'ann' })).toStrictEqual({
      claim_id: 'a',
      verdict: 'taken',
      claim: { ask_id: 'q1', by: 'ann', until },
    });
    expect(held(run)).toStrictEqual({ ask_id: 'q1', by: 'ann', until });
    expect(run.dataOf('ask.claimed')).toStrictEqual([{ ask_id: 'q1', by: 'ann', until }]);
    expect(takeClaim(run.state, { claim_id: 'b', principal: 'bob', for: '1h' })).toMatchObject({ verdict: 'claimed' });
    expect(held(run)?.by).toBe('ann');
    // What is pending is what it was: the question itself says nothing of claims.
    expect(Object.keys(run.state.snapshot().pending ?? {})).not.toContain('claim');
    expectGoodEvents(run.events);
    expectPlainJson(run.state.snapshot());
  });

  test('is prolonged from now on by its holder, and free for anybody at its last moment', () => {
    const run = asking();
    takeClaim(run.state, { principal: 'ann', for: '1m' });
    run.tick(30_000);
    takeClaim(run.state, { principal: 'ann', for: '1m' });
    expect(held(run)?.until).toBe(at(90_000));
    run.tick(59_999);
    expect(takeClaim(run.state, { principal: 'bob' }).verdict).toBe('claimed');
    run.tick(1);
    expect(run.state.liveClaim).toBeNull();
    expect(takeClaim(run.state, { principal: 'bob' }).verdict).toBe('taken');
    expect(held(run)?.by).toBe('bob');
  });

  test('is released by its holder alone; what nobody holds is released already', () => {
    const run = asking();
    expect(takeRelease(run.state, { principal: 'bob' }).verdict).toBe('taken');
    expect(run.dataOf('ask.released')).toEqual([]);
    takeClaim(run.state, { principal: 'ann' });
    expect(takeRelease(run.state, { principal: 'bob' })).toMatchObject({ verdict: 'claimed', claim: { by: 'ann' } });
    expect(takeRelease(run.state, { principal: 'ann', ask_id: 'q1' })).toMatchObject({ verdict: 'taken', claim: null });
    expect(held(run)).toBeNull();
    expect(run.dataOf('ask.released')).toStrictEqual([{ ask_id: 'q1', by: 'ann' }]);
    expect(takeClaim(run.state, { principal: 'bob' }).verdict).toBe('taken');
  });

  test('repeated under its id is one claim, even when it is over by then', () => {
    const run = asking();
    const first = takeClaim(run.state, { claim_id: 'a', principal: 'ann', for: '1s' });
    run.tick(5_000);
    const before = structuredClone(run.state.data);
    expect(takeClaim(run.state, { claim_id: 'a', principal: 'ann', for: '1s' })).toStrictEqual(first);
    expect(run.state.data).toStrictEqual(before);
  });

  test('is refused for another ask, with nothing pending, and when its form is wrong', () => {
    const run = new TestRun();
    expect(takeClaim(run.state, { principal: 'ann' }).verdict).toBe('run_not_waiting');
    run.ask();
    expect(takeClaim(run.state, { principal: 'ann', ask_id: 'q2' }).verdict).toBe('ask_mismatch');
    const malformed = [
      undefined,
      null,
      'ann',
      [],
      {},
      { principal: null },
      { principal: '' },
      { principal: 'x'.repeat(201) },
      { principal: 'ann', for: 15 },
      { principal: 'ann', for: '0s' },
      { principal: 'ann', for: '25h' },
      { principal: 'ann', until: 'x' },
      { principal: 'ann', ask_id: 1 },
    ];
    for (const payload of malformed) {
      expect({ payload, verdict: takeClaim(run.state, payload).verdict }).toEqual({
        payload,
        verdict: 'invalid_input',
      });
    }
    expect(takeClaim(run.state, { claim_id: 'mine', principal: 1 })).toMatchObject({ claim_id: 'mine' });
    expect(run.state.claims.find('mine')?.verdict).toBe('invalid_input');
    expect(held(run)).toBeNull();
    expect(run.dataOf('ask.claimed')).toEqual([]);
  });

  test('is known after continue-as-new, and a state without claims of an older release goes on', () => {
    const run = asking();
    const outcome = takeClaim(run.state, { claim_id: 'a', principal: 'ann' });
    run.continueAsNew();
    expect(held(run)?.by).toBe('ann');
    expect(takeClaim(run.state, { claim_id: 'a', principal: 'ann' })).toStrictEqual(outcome);
    delete run.state.data.claims;
    run.continueAsNew();
    expect(held(run)).toBeNull();
    expect(takeClaim(run.state, { principal: 'bob' }).verdict).toBe('taken');
  });

  test('ends with its ask: the next one is free', () => {
    const run = asking();
    takeClaim(run.state, { principal: 'ann' });
    expect(takeAnswer(run.state, { input: free('x'), principal: 'ann' }).verdict).toBe('taken');
    expect(held(run)).toBeNull();
    run.ask();
    expect(takeAnswer(run.state, { input: free('y'), principal: 'bob' }).verdict).toBe('taken');
    expect(liveClaim({ ask_id: 'q1', by: 'ann', until: at(1e9) }, { ask_id: 'q2' }, at(0))).toBeNull();
  });

  test('by very many leaves little behind', () => {
    const run = asking();
    for (let k = 0; k < 500; k += 1) takeClaim(run.state, { claim_id: `c${k}`, principal: `p${k}` });
    expect(run.state.data.claims?.outcomes).toHaveLength(100);
    expect(run.state.claims.find('c499')?.verdict).toBe('claimed');
    expect(run.dataOf('ask.claimed')).toHaveLength(1);
  });
});

describe('answers while an ask is claimed', () => {
  test.each([
    ['another principal', { principal: 'bob' }],
    ['nobody by name', {}],
    ['a principal of null', { principal: null }],
  ])('of %s are refused, declines too, and told in an event', (_who, by) => {
    const run = asking();
    takeClaim(run.state, { principal: 'ann' });
    for (const input of [free('x'), { kind: 'decline' }, { kind: 'nonsense' }]) {
      expect(takeAnswer(run.state, { input, ...by }).verdict).toBe('claimed');
    }
    expect(run.dataOf('ask.rejected')).toMatchObject([{ code: 'claimed' }, { code: 'claimed' }, { code: 'claimed' }]);
    expect(run.state.data.status).toBe('awaiting_input');
    expectGoodEvents(run.events);
    run.tick(15 * MINUTE);
    expect(takeAnswer(run.state, { input: free('late'), ...by }).verdict).toBe('taken');
  });

  test('of the holder are judged as ever', () => {
    const run = asking();
    takeClaim(run.state, { principal: 'ann' });
    expect(takeAnswer(run.state, { input: free(''), principal: 'ann' }).verdict).toBe('invalid_input');
    expect(takeAnswer(run.state, { input: free('x'), principal: 'ann' }).verdict).toBe('taken');
  });

  test('a policy, a cancel and the end of the run close it whoever holds it', () => {
    const run = asking();
    takeClaim(run.state, { principal: 'ann' });
    run.state.finish({ status: 'cancelled' });
    expect(held(run)).toBeNull();
    expect(run.types()).toContain('ask.withdrawn');
  });
});
