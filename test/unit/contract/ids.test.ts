/** CONTRACT §1: how runs, asks and options are named. */
import { askId, isRunId, optionId, runIdFromUuid } from '../../../workflows/contract';

test.each(['a', 'A-Z_9', 'run_0123456789abcdef0123', '-', '_', 'x'.repeat(64), '__proto__'])(
  '%j can name a run',
  (id) => {
    expect(isRunId(id)).toBe(true);
  },
);

test.each(['', 'x'.repeat(65), 'a/b', 'a b', 'a\n', '\na', 'ä', '😀', '..', 'a.b', '%00', 'a\u0000', 'a%2Fb'])(
  '%j cannot name a run',
  (id) => expect(isRunId(id)).toBe(false),
);

test('a run id made here is run_ and at least 20 of 0-9 a-z, the same for the same UUID', () => {
  const id = runIdFromUuid('3F2504E0-4F89-41D3-9A0C-0305E82C3301');
  expect(id).toMatch(/^run_[0-9a-z]{20,}$/);
  expect(id).toBe(runIdFromUuid('3f2504e0-4f89-41d3-9a0c-0305e82c3301'));
  expect(isRunId(id)).toBe(true);
});

test('asks are q1, q2, … and their options q1_o1, q1_o2, …', () => {
  expect([askId(1), askId(12)]).toEqual(['q1', 'q12']);
  expect([optionId('q1', 1), optionId('q12', 6)]).toEqual(['q1_o1', 'q12_o6']);
});
