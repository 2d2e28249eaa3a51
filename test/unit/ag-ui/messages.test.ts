/** Our transcript as AG-UI's messages and events, and how ids are read. */
import { EventSchema, MessageSchema } from '@ag-ui/core/schemas';
import { interruptId, isOwnMessageId, messageId, readInterruptId } from '../../../api/ag-ui/ids';
import { interruptOf, OpenCalls } from '../../../api/ag-ui/interrupts';
import { agUiMessage, ClientHistory, eventsOf } from '../../../api/ag-ui/messages';
import type { Message, ToolCall } from '../../../workflows/contract';

const call = (id: string, tool: string, args: ToolCall['args'], more: Partial<ToolCall> = {}) => ({
  id,
  tool,
  args,
  ...more,
});
const placed = (position: number, message: Message) => ({ runId: 'run_1', position, message });

test('an interrupt id says which ask it is, and nothing else does', () => {
  expect(readInterruptId(interruptId('run_1', 'q12'))).toEqual({ run_id: 'run_1', ask_id: 'q12' });
  for (const id of [
    '',
    ':',
    'run_1',
    'run_1:',
    ':q1',
    'run_1:q',
    'run_1:q1:q2',
    'run 1:q1',
    'run_1:o1',
    `${'r'.repeat(65)}:q1`,
  ]) {
    expect({ id, read: readInterruptId(id) }).toEqual({ id, read: null });
  }
  expect(isOwnMessageId(messageId('run_1', 0))).toBe(true);
  for (const id of ['msg-1', 'run_1:q1', ':m1', 'm1', 'run_1:m']) expect(isOwnMessageId(id)).toBe(false);
});

test('messages and the events of a stream are valid, and say all of it', () => {
  const assistant = placed(1, { role: 'assistant', text: 'Hm.', tool_calls: [call('c1', 'look', { at: '"x"' })] });
  const result = placed(2, { role: 'tool', tool_call_id: 'c1', tool: 'look', result: { found: null } });
  for (const message of [agUiMessage(assistant), agUiMessage(result)]) {
    expect(MessageSchema.safeParse(message).success).toBe(true);
    if (message)
      for (const event of eventsOf(message, { subagentRunId: 'run_1' }))
        expect(EventSchema.safeParse(event).success).toBe(true);
  }
  expect(agUiMessage(assistant)).toEqual({
    id: 'run_1:m1',
    role: 'assistant',
    content: 'Hm.',
    toolCalls: [{ id: 'run_1:c1', type: 'function', function: { name: 'look', arguments: '{"at":"\\"x\\""}' } }],
  });
  expect(agUiMessage(result)).toEqual({
    id: 'run_1:m2',
    role: 'tool',
    toolCallId: 'run_1:c1',
    content: '{"found":null}',
  });
  expect(agUiMessage(placed(0, { role: 'user', content: 'do it' }))).toBeNull();
  expect(agUiMessage(placed(3, { role: 'assistant', text: null, tool_calls: [] }))).toBeNull();
  const text = agUiMessage(placed(4, { role: 'tool', tool_call_id: 'c1', tool: 'look', result: 'plain' }));
  expect(text).toMatchObject({ content: 'plain' });
});

test('what the client has whole is left out; what it has in part is put right, everything else of its own untouched', () => {
  const message = agUiMessage(placed(1, { role: 'assistant', text: 'Hello', tool_calls: [] }));
  if (!message) throw new Error('no message');
  const theirs = { id: 'u1', role: 'user' as const, content: 'hi' };
  const whole = new ClientHistory([theirs, message]);
  expect([whole.has(message, {}), whole.snapshot()]).toEqual([true, null]);
  const cut = new ClientHistory([theirs, { ...message, content: 'Hel' }]);
  expect(cut.has(message, { subagentRunId: 'run_1' })).toBe(true);
  expect(cut.snapshot()).toEqual([theirs, { ...message, subagentRunId: 'run_1' }]);
  expect(new ClientHistory([theirs]).has(message, {})).toBe(false);
});

test('an interrupt names the call that asks: ask_a_human, or the one that waits for approval', () => {
  const ask = {
    run_id: 'run_1',
    ask_id: 'q1',
    kind: 'free_form' as const,
    question: 'Which?',
    context: null,
    options: null,
    asked_at: '2026-01-01T00:00:00.000Z',
    expires_at: '2026-01-02T00:00:00.000Z',
    assignee: null,
  } as Parameters<typeof interruptOf>[0];
  const calls = new OpenCalls();
  const tool_calls = [
    call('c1', 'ask_a_human', { question: 'Other?' }),
    call('c2', 'ask_a_human', { question: 'Which?' }),
    call('c3', 'pay', {}, { needs_approval: true }),
  ];
  calls.take({ role: 'assistant', text: null, tool_calls });
  expect(interruptOf(ask, calls.list(), {})).toMatchObject({ toolCallId: 'run_1:c2', expiresAt: ask.expires_at });
  expect(interruptOf({ ...ask, question: 'May I?' }, calls.list(), {})).toMatchObject({ toolCallId: 'run_1:c3' });
  calls.take({ role: 'tool', tool_call_id: 'c3', tool: 'pay', result: null });
  expect(interruptOf({ ...ask, question: 'May I?' }, calls.list(), {})).not.toHaveProperty('toolCallId');
});
