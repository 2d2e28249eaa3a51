/** CONTRACT §5: `POST /agents/{id}/resume`, its guard, its replies, and how a person declines. */
import { runRecordSchema } from '../../workflows/contract';
import { expectNotWaiting, NOTHING_PENDING } from '../support/checks';
import { DocumentedCaller } from '../support/documented';
import { refusal, refusedAs } from '../support/refusals';
import { choice, decline, freeForm, freeText, pick, script, sleep, writeIn } from '../support/scripts';
import { TestStack } from '../support/stack';

describe('resuming a run', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = await DocumentedCaller.of(stack.api);
  });
  afterAll(() => stack.stop());

  const waitingWith = async (...asks: Parameters<typeof script>[0]) => {
    const { run_id } = await api.start(script(asks));
    return api.untilWaiting(run_id);
  };

  test('is 200 with the record after the answer was taken, waiting time and all', async () => {
    const before = await waitingWith(freeForm(), sleep(3_000));
    const reply = await api.resume(before.run_id, freeText('  the answer\n'));
    expect(reply.status).toBe(200);
    const record = runRecordSchema.parse(reply.body);
    expect(record).toMatchObject({ ...NOTHING_PENDING, run_id: before.run_id, status: 'running' });
    expect(record.waiting_ms).toBeGreaterThan(0);
    expect(Date.parse(record.updated_at)).toBeGreaterThanOrEqual(Date.parse(before.updated_at));
    const ended = await api.untilEnded(before.run_id);
    // The wait is over: nothing is added to it any more.
    expect(ended.waiting_ms).toBe(record.waiting_ms);
    expect(ended.active_ms + ended.waiting_ms).toBe(Date.parse(ended.ended_at ?? '') - Date.parse(ended.created_at));
  });

  test('ask_id guards the answer: the pending one is taken, every other is 409 ask_mismatch and changes nothing', async () => {
    const { run_id } = await waitingWith(freeForm('First?'), freeForm('Second?'));
    for (const ask_id of ['q2', 'q0', 'Q1', 'q1 ', 'none', '', '__proto__']) {
      const reply = await api.resume(run_id, freeText('x'), { ask_id });
      expect(refusal(ask_id, reply)).toEqual(refusedAs(ask_id, 409, 'ask_mismatch'));
    }
    expect((await api.resume(run_id, freeText('one'), { ask_id: 'q1' })).status).toBe(200);
    await api.untilWaiting(run_id, 'q2');
    const late = await api.resume(run_id, freeText('late'), { ask_id: 'q1' });
    expect(refusal('q1', late)).toEqual(refusedAs('q1', 409, 'ask_mismatch'));
    expect(late.body.message).toContain('q2');
    expect((await api.resume(run_id, freeText('two'), { ask_id: 'q2' })).status).toBe(200);
    await api.untilEnded(run_id);
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual([{ answer: 'one' }, { answer: 'two' }]);
  });

  test('an option id of one ask is unknown in the next', async () => {
    const { run_id } = await waitingWith(choice('A', 'B'), choice('A', 'B'));
    expect((await api.resume(run_id, pick('q1_o1'))).status).toBe(200);
    await api.untilWaiting(run_id, 'q2');
    expect((await api.resume(run_id, pick('q1_o1'))).status).toBe(422);
    expect((await api.resume(run_id, pick('q2_o1'))).status).toBe(200);
  });

  test('a run that does not wait is 409, whatever the body says about an ask', async () => {
    const running = await api.start(script([sleep(3_000)]));
    const ended = await api.untilEnded((await api.start({})).run_id);
    for (const { run_id } of [running, ended]) {
      for (const more of [{}, { ask_id: 'q1' }]) {
        for (const input of [freeText('x'), pick('q1_o1'), decline(), { zzz: 1 }, null]) {
          const reply = await api.resume(run_id, input, more);
          expect(refusal(input, reply)).toEqual(refusedAs(input, 409, 'run_not_waiting'));
        }
      }
    }
  });

  test('an answered question takes no second answer', async () => {
    const { run_id } = await waitingWith(freeForm(), sleep(1_000));
    expect((await api.resume(run_id, freeText('first'))).status).toBe(200);
    expectNotWaiting(await api.resume(run_id, freeText('second')));
    expectNotWaiting(await api.resume(run_id, freeText('first')));
    await api.untilEnded(run_id);
    expectNotWaiting(await api.resume(run_id, freeText('third')));
    expect(await api.toolResults(run_id)).toContainEqual({ answer: 'first' });
  });

  test.each([
    ['no reason', decline(), {}],
    ['an empty reason', decline(''), {}],
    ['a reason that nobody can see', decline(' \u200b\t'), {}],
    ['a reason', decline('  Ask legal first. 😀\n'), { message: 'Ask legal first. 😀' }],
    ['the longest reason', decline('😀'.repeat(4_000)), { message: '😀'.repeat(4_000) }],
  ])('a person may decline with %s, for either kind of question', async (_name, input, message) => {
    for (const ask of [freeForm(), choice('A', 'B')]) {
      const { run_id } = await waitingWith(ask);
      expect((await api.resume(run_id, input)).status).toBe(200);
      expect((await api.untilEnded(run_id)).status).toBe('completed');
      expect(await api.toolResults(run_id)).toEqual([{ skipped: true, reason: 'human_declined', ...message }]);
      const events = await api.events(run_id);
      expect(events.find(({ type }) => type === 'ask.declined')?.data).toEqual({
        ask_id: 'q1',
        message: 'message' in message ? message.message : null,
        principal: 'tester',
        channel: 'http',
        by: 'human',
      });
      expect(events.map(({ type }) => type)).not.toContain('ask.answered');
    }
  });

  test.each([undefined, null, '', ' \u200b'])(
    'an option may come with an other_text that says nothing: %j',
    async (text) => {
      const { run_id } = await waitingWith(choice('A', 'B'));
      expect((await api.resume(run_id, { ...pick('q1_o2'), other_text: text })).status).toBe(200);
      await api.untilEnded(run_id);
      expect(await api.toolResults(run_id)).toEqual([{ answer: 'B', option_id: 'q1_o2' }]);
    },
  );

  test.each(['a', '😀', '\u0000a', 'e\u0301'])(
    'a write-in of 4000 characters reaches the agent whole: %j',
    async (unit) => {
      const text = unit.repeat(4_000 / [...unit].length);
      const { run_id } = await waitingWith(choice('A', 'B'));
      expect((await api.resume(run_id, writeIn(text))).status).toBe(200);
      await api.untilEnded(run_id);
      expect(await api.toolResults(run_id)).toEqual([{ answer: text, option_id: 'other' }]);
    },
  );

  test('200 tells the very next question when the run asks it at once', async () => {
    const { run_id } = await waitingWith(freeForm('First?'), freeForm('Second?'));
    const { status, body } = await api.resume(run_id, freeText('x'));
    // Either not asked yet, or asked: never the one that was answered.
    expect(status).toBe(200);
    expect((body.pending_input_context as { ask_id: string } | null)?.ask_id).not.toBe('q1');
    expect((await api.untilWaiting(run_id, 'q2')).pending_input_context?.question).toBe('Second?');
  });
});
