/** Which call an interrupt names as the one that asks. */
import { interruptOf } from '../../../api/ag-ui/interrupts';
import { askView } from '../../../api/service/asks';
import { askOf, buildQuestion, judgeAskArgs, type ToolCall } from '../../../workflows/contract';

const choice = { kind: 'multiple_choice', question: 'Which one?', options: ['A', 'B'] };
const call = (id: string, args: object, tool = 'ask_a_human') => ({ id, tool, args }) as ToolCall;

function toolCallIn(args: unknown, calls: ToolCall[]): string | undefined {
  const verdict = judgeAskArgs(args);
  if (!verdict.ok) throw new Error(verdict.message);
  const question = buildQuestion(verdict.ask, { n: 2, askedAt: '2026-11-30T00:00:00.000Z' });
  return interruptOf(askView(askOf('run_1', question, null)), calls, {}).toolCallId;
}

test('the call that asks this question is named', () => {
  expect(toolCallIn(choice, [call('c1', { kind: 'free_form', question: 'Why?' }), call('c2', choice)])).toMatch(/c2$/);
});

test('a call of the same words that could not ask is not taken for it', () => {
  expect(toolCallIn(choice, [call('c1', { ...choice, options: ['A'] }), call('c2', choice)])).toMatch(/c2$/);
  expect(toolCallIn(choice, [call('c1', { ...choice, options: ['A', 'C'] }), call('c2', choice)])).toMatch(/c2$/);
});

test('of two that ask the very same, none is named: a wrong one is worse', () => {
  expect(toolCallIn(choice, [call('c1', choice), call('c2', choice)])).toBeUndefined();
});

test('long arguments are known by the question, and a tool that waits for approval by that', () => {
  expect(toolCallIn(choice, [call('c1', { question: choice.question, options: '… (cut)' })])).toMatch(/c1$/);
  const gated = { ...call('c1', { amount: 7 }, 'pay'), needs_approval: true } as ToolCall;
  expect(toolCallIn(choice, [call('c0', {}, 'pay'), gated])).toMatch(/c1$/);
});
