/** Signals come from any program, the Temporal CLI and the Web UI: no payload of any kind wedges a run. */
import { decline, freeForm, freeText, script } from '../support/scripts';
import { failedTasks } from '../support/histories';
import { jsonPayload, payload, sendRaw } from '../support/raw-signals';
import { TestStack } from '../support/stack';

const NO_PAYLOADS: ReturnType<typeof payload>[] = [];

/** What a signal may bring that is no answer: one entry is the payloads of one signal. */
const GARBAGE: [string, ReturnType<typeof payload>[]][] = [
  ['no payload', NO_PAYLOADS],
  ...([null, true, 42, 'text', [], {}, [[1]], { input: 'x' }, { input: null }, { kind: 'free_form' }] as const).map(
    (value): [string, ReturnType<typeof payload>[]] => [`JSON ${JSON.stringify(value)}`, [jsonPayload(value)]],
  ),
  ['a prototype', [payload('json/plain', '{"__proto__":{"kind":"free_form","text":"x"}}')]],
  ['an answer id of another type', [jsonPayload({ answer_id: 7, input: freeText('x') })]],
  ['JSON that is none', [payload('json/plain', '{"input":')]],
  ['JSON nested very deep', [payload('json/plain', '['.repeat(50_000) + ']'.repeat(50_000))]],
  ['bytes that are no UTF-8', [payload('json/plain', Uint8Array.of(0xff, 0xfe, 0x00))]],
  ['an empty payload of JSON', [payload('json/plain', '')]],
  ['no data', [payload('json/plain', null)]],
  ['an unknown encoding', [payload('binary/encrypted', 'secret')]],
  ['no encoding', [payload(null, '{}')]],
  ['raw bytes', [payload('binary/plain', 'x')]],
  ['null', [payload('binary/null', null)]],
  ['a protobuf', [payload('json/protobuf', '{}')]],
  ['several payloads, the second unreadable', [jsonPayload({ input: null }), payload('binary/encrypted', 'x')]],
  ['thirty unreadable payloads', Array.from({ length: 30 }, () => payload('what/ever', 'x'))],
];

describe('raw signals', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start()));
  afterAll(() => stack.stop());

  /** A paused run, in the middle of everything that can be sent to it. */
  const paused = async () => {
    const { run_id } = await stack.api.start(script([freeForm()]));
    await stack.api.untilWaiting(run_id);
    return run_id;
  };

  test.each([
    ['as the API sends it', { input: freeText('yes'), ask_id: 'q1' }],
    ['as a bare body', freeText('yes')],
  ])('an answer %s is taken', async (_form, value) => {
    const runId = await paused();
    await sendRaw(stack.client, runId, 'answer', [jsonPayload(value)]);
    await stack.api.untilEnded(runId);
    expect(await stack.api.toolResults(runId)).toEqual([{ answer: 'yes' }]);
    const answered = (await stack.api.events(runId)).find((event) => event.type === 'ask.answered');
    expect(answered?.data).toMatchObject({ by: 'human', channel: 'signal', principal: null });
  });

  test('a decline with more arguments behind it is taken', async () => {
    const runId = await paused();
    await sendRaw(stack.client, runId, 'answer', [jsonPayload({ input: decline('no') }), jsonPayload(1)]);
    await stack.api.untilEnded(runId);
    expect(await stack.api.toolResults(runId)).toEqual([{ skipped: true, reason: 'human_declined', message: 'no' }]);
  });

  test('an answer that cannot be read is an ask.rejected event each, and the right one is still taken', async () => {
    const runId = await paused();
    for (const [, payloads] of GARBAGE) await sendRaw(stack.client, runId, 'answer', payloads);
    const rejected = (await stack.api.events(runId)).filter((event) => event.type === 'ask.rejected');
    expect(rejected).toHaveLength(GARBAGE.length);
    for (const { data } of rejected) expect(data).toMatchObject({ ask_id: 'q1', code: 'invalid_input' });
    expect((await stack.api.resume(runId, freeText('at last'))).status).toBe(200);
    await stack.api.untilEnded(runId);
    expect(await stack.api.toolResults(runId)).toEqual([{ answer: 'at last' }]);
    expect(await failedTasks(stack.client, runId)).toEqual([]);
  });

  test.each(['child_needs_human', 'child_ask_closed'])('garbage as %s changes nothing', async (signal) => {
    const runId = await paused();
    const before = await stack.api.events(runId);
    for (const [, payloads] of GARBAGE) await sendRaw(stack.client, runId, signal, payloads);
    expect(await stack.api.events(runId)).toEqual(before);
    expect((await stack.api.read(runId)).children_awaiting).toEqual([]);
    expect((await stack.api.resume(runId, freeText('x'))).status).toBe(200);
    await stack.api.untilEnded(runId);
    expect(await failedTasks(stack.client, runId)).toEqual([]);
  });

  test('forged frames of any size fit: neither the memo nor a page of events can burst', async () => {
    const runId = await paused();
    // Eight of them are more than the 2 MB of a memo; all together still fit one page of the history.
    const long = (k: number) => `${k}${'x'.repeat(280_000)}`;
    const question = {
      ...{ ask_id: 'q1', kind: 'free_form', question: 'Forged?', context: null, options: null },
      ...{ asked_at: '2026-01-01T00:00:00.000Z', expires_at: null, assignee: null },
    };
    const frame = { child_run_id: 'run_forged', question, timestamp: question.asked_at, ancestors: [runId] };
    for (const forged of [
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((k) => ({ ...frame, child_run_id: long(k) })),
      { ...frame, question: { ...question, ask_id: long(9) } },
      { ...frame, question: { ...question, question: long(9) } },
      { ...frame, ancestors: [long(9), runId] },
    ]) {
      await sendRaw(stack.client, runId, 'child_needs_human', [jsonPayload(forged)]);
      // Taken up one by one: the server itself gives up a task during which more than 2 MB of signals come.
      await stack.api.events(runId);
    }
    const closing = { outcome: 'declined', closed_at: question.asked_at, answer: null, option_id: null };
    const close = { child_run_id: 'run_forged', ask_id: 'q1', outcome: 'declined' };
    const message = { message: long(9), principal: null, channel: null, by: null };
    await sendRaw(stack.client, runId, 'child_ask_closed', [
      jsonPayload({ ...close, closing: { ...closing, ...message } }),
    ]);
    expect((await stack.api.read(runId)).status).toBe('awaiting_input');
    expect((await stack.api.events(runId)).filter((event) => event.type.startsWith('child_'))).toEqual([]);
    expect((await stack.api.resume(runId, freeText('x'))).status).toBe(200);
    expect((await stack.api.untilEnded(runId)).status).toBe('completed');
    expect(await failedTasks(stack.client, runId)).toEqual([]);
  });

  test('a burst of signals, more than a server takes during one task by default, fails no task on the one that comes with us', async () => {
    const runId = await paused();
    const garbage = (k: number) => [jsonPayload({ k, text: 'x'.repeat(20_000) })];
    await Promise.all(
      Array.from({ length: 150 }, (_none, k) => sendRaw(stack.client, runId, 'child_needs_human', garbage(k))),
    );
    expect((await stack.api.resume(runId, freeText('x'))).status).toBe(200);
    expect((await stack.api.untilEnded(runId)).status).toBe('completed');
    expect(await failedTasks(stack.client, runId)).toEqual([]);
  });

  test('signals and queries that a run does not know are nothing to it', async () => {
    const runId = await paused();
    await sendRaw(stack.client, runId, 'no_such_signal', [payload('what/ever', 'x')]);
    await sendRaw(stack.client, runId, '__temporal_no_such', [jsonPayload(1)]);
    await sendRaw(stack.client, runId, 'constructor', [jsonPayload(1)]);
    await expect(stack.client.workflow.getHandle(runId).query('no_such_query')).rejects.toThrow(/no_such_query/);
    for (const args of [['x'], [null], [{ after: {}, limit: 'many' }], [{ after: -7, limit: -7 }], [[]], [1, 2]]) {
      const page = await stack.client.workflow
        .getHandle(runId)
        .query<{ events: unknown[] }, unknown[]>('events', ...args);
      expect(page.events.length).toBeGreaterThan(0);
    }
    expect((await stack.api.resume(runId, freeText('x'))).status).toBe(200);
    expect((await stack.api.untilEnded(runId)).status).toBe('completed');
    expect(await failedTasks(stack.client, runId)).toEqual([]);
  });
});
