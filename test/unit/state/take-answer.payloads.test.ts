/** CONTRACT §5: anybody can send an answer signal, with anything in it. What is none is refused and leaves little behind. */
import fc from 'fast-check';
import { takeAnswer } from '../../../workflows/state/judge';
import { freeText as free } from '../../support/scripts';
import { nastyText } from '../../support/unit/arbitraries';
import { refused, untouched } from '../../support/unit/answers';
import { askOfChoices, expectGoodEvents, expectPlainJson, TestRun } from '../../support/unit/runs';

const file = { kind: 'file', filename: 'rates.pdf', media_type: null, size_bytes: 1 };

describe('what comes in', () => {
  test('a bare body, as sent by hand, is an answer', () => {
    const run = new TestRun();
    run.ask();
    expect(takeAnswer(run.state, free('by hand')).verdict).toBe('taken');
    expect(run.dataOf('ask.answered')).toMatchObject([{ answer: 'by hand', principal: null, channel: 'signal' }]);
    const bad = new TestRun();
    bad.ask();
    expect(refused(bad, { ...free('x'), zzz: 1 }).verdict).toBe('invalid_input');
  });

  test('a malformed signal is told by its own name', () => {
    const run = new TestRun();
    run.ask();
    const outcome = refused(run, { answer_id: 'mine', input: free('x'), channel: 'pigeon' });
    expect(outcome).toMatchObject({ answer_id: 'mine', verdict: 'invalid_input', issues: [{ path: 'channel' }] });
    expect(run.state.ledger.find('mine')).toStrictEqual(outcome);
  });

  test.each([
    [{ input: free('x'), zzz: 1 }],
    [{ input: free('x'), answer_id: 1 }],
    [{ input: free('x'), answer_id: '' }],
    [{ input: free('x'), ask_id: 1 }],
    [{ input: free('x'), ask_id: null }],
    [{ input: free('x'), principal: {} }],
    [{ input: free('x'), by: 'policy' }],
    [{ input: free('x'), given_by: 'policy' }],
    [{ input: free('x'), given_by: null }],
    [{ input: free('x'), attachments: null }],
    [{ input: free('x'), attachments: {} }],
    [{ input: free('x'), attachments: [file, { ...file, url: 'https://files.test/1' }] }],
    [{ input: free('x'), attachments: [{ ...file, filename: ' ' }] }],
    [{ input: free('x'), attachments: [{ ...file, filename: 'x'.repeat(256) }] }],
    [{ input: free('x'), attachments: [{ ...file, size_bytes: -1 }] }],
    [{ input: free('x'), attachments: [{ ...file, size_bytes: '82 KB' }] }],
    [{ input: free('x'), attachments: Array.from({ length: 21 }, () => file) }],
    [
      {
        input: free('x'),
        attachments: Array.from({ length: 20 }, () => ({ ...file, filename: '\u0001'.repeat(255) })),
      },
    ],
    [{ input: JSON.stringify(free('x')) }],
    [{ input: [free('x')] }],
    [{ input: { input: free('x') } }],
    [{}],
    [[free('x')]],
    ['x'],
    [null],
    [undefined],
  ])('%j is refused and the run stays paused', (payload) => {
    const run = new TestRun();
    run.ask();
    expect(refused(run, payload).verdict).toBe('invalid_input');
    expect(run.state.data.status).toBe('awaiting_input');
    expect(run.dataOf('ask.rejected')).toMatchObject([{ ask_id: 'q1', code: 'invalid_input' }]);
    expect(takeAnswer(run.state, { input: free('good') }).verdict).toBe('taken');
  });

  test('any JSON at all never throws, and never opens, moves or closes anything unless it answers', () => {
    const name = fc.constantFrom('answer_id', 'ask_id', 'input', 'principal', 'channel', 'digest', 'kind', '__proto__');
    const near = fc.array(fc.tuple(name, fc.oneof(fc.jsonValue(), nastyText, fc.constantFrom('q1', 'none', 'http'))));
    const shaped = near.map((fields): unknown =>
      JSON.parse(`{${fields.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`),
    );
    const anything = fc.oneof(
      shaped,
      fc.json().map((text): unknown => JSON.parse(text)),
    );
    fc.assert(
      fc.property(fc.boolean(), anything, (waiting, payload) => {
        const run = new TestRun();
        if (waiting) run.ask(askOfChoices());
        const before = untouched(run);
        const outcome = takeAnswer(run.state, payload);
        if (outcome.verdict === 'taken') expect(run.state.asks.pending).toBeNull();
        else expect(untouched(run)).toStrictEqual(before);
        expectGoodEvents(run.events);
        expectPlainJson(run.state.data);
      }),
      { numRuns: 1_500 },
    );
  });

  test('input nested very deep is refused like any other', () => {
    const run = new TestRun();
    run.ask();
    const deep: unknown = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    for (const input of [deep, { kind: 'free_form', text: deep }, { kind: 'decline', zzz: deep }]) {
      expect(takeAnswer(run.state, { input }).verdict).toBe('invalid_input');
    }
    expect(run.state.asks.pending?.ask_id).toBe('q1');
  });

  test('megabytes of it leave little behind', () => {
    const run = new TestRun();
    run.ask();
    const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`${i}${'x'.repeat(50)}`, 1]));
    takeAnswer(run.state, { answer_id: 'a', input: { ...free('x'), ...fields } });
    takeAnswer(run.state, { answer_id: 'b', ...fields });
    takeAnswer(run.state, { answer_id: 'c', input: free('x'.repeat(1_500_000)) });
    expect(JSON.stringify(run.state.data.outcomes).length).toBeLessThan(4_000);
    expect(JSON.stringify(run.events).length).toBeLessThan(8_000);
  });
});
