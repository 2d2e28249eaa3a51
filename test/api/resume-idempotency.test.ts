/** CONTRACT §5: `Idempotency-Key` on a resume gives the first outcome again and never reaches a later ask. */
import { randomUUID } from 'node:crypto';
import { DocumentedCaller } from '../support/documented';
import { TEST_KEYS } from '../support/http';
import { refusal, refusedAs } from '../support/refusals';
import { choice, freeForm, freeText, pick, script, sleep } from '../support/scripts';
import { TestStack } from '../support/stack';

const SECOND_KEY = 'second-key-00000000';

describe('Idempotency-Key on a resume', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  let second: DocumentedCaller;
  beforeAll(async () => {
    const keys = [...TEST_KEYS, { name: 'second', key: SECOND_KEY, workspace: 'acme' }];
    stack = await TestStack.start({ app: { keys } });
    api = await DocumentedCaller.of(stack.api);
    second = api.as(SECOND_KEY);
  });
  afterAll(() => stack.stop());

  const started = async (...turns: Parameters<typeof script>[0]) => (await api.start(script(turns))).run_id;
  const waiting = async (...turns: Parameters<typeof script>[0]) => {
    const runId = await started(...turns);
    await api.untilWaiting(runId);
    return runId;
  };
  const resume = (runId: string, key: string, input: unknown, more = {}) =>
    api.resume(runId, input, more, { 'idempotency-key': key });
  const expectConflict = async (runId: string, key: string, input: unknown, more = {}) =>
    expect(refusal(input, await resume(runId, key, input, more))).toEqual(
      refusedAs(input, 409, 'idempotency_conflict'),
    );

  test('a key is one caller’s: another’s same key and body is an answer of their own', async () => {
    const runId = await waiting(freeForm('First?'), freeForm('Second?'));
    expect((await resume(runId, 'one', freeText('yes'))).status).toBe(200);
    await api.untilWaiting(runId, 'q2');
    const theirs = await second.resume(runId, freeText('yes'), {}, { 'idempotency-key': 'one' });
    expect(theirs.status).toBe(200);
    expect(await api.untilEnded(runId)).toMatchObject({ status: 'completed' });
    expect(await api.toolResults(runId)).toEqual([{ answer: 'yes' }, { answer: 'yes' }]);
  });

  test('the same key and body are 200 again after the answer was taken: while it works, asks the next one, has ended', async () => {
    const key = randomUUID();
    const runId = await waiting(freeForm('First?'), sleep(500), freeForm('Second?'));
    expect((await resume(runId, key, freeText('one'))).status).toBe(200);
    expect((await resume(runId, key, freeText('one'))).status).toBe(200);

    await api.untilWaiting(runId, 'q2');
    const again = await resume(runId, key, freeText('one'));
    expect(again).toMatchObject({ status: 200, body: { run_id: runId, status: 'awaiting_input' } });
    expect(again.body.pending_input_context).toMatchObject({ ask_id: 'q2' });

    expect((await api.resume(runId, freeText('two'))).status).toBe(200);
    await api.untilEnded(runId);
    expect(await resume(runId, key, freeText('one'))).toMatchObject({ status: 200, body: { status: 'completed' } });
    expect(await api.toolResults(runId, 'ask_a_human')).toEqual([{ answer: 'one' }, { answer: 'two' }]);
    const answers = (await api.events(runId)).filter(({ type }) => type === 'ask.answered');
    expect(answers.map(({ data }) => data.ask_id)).toEqual(['q1', 'q2']);
  });

  test('the order of keys does not make another body; the same key with another body is 409, for ever', async () => {
    const key = randomUUID();
    const runId = await waiting(choice('A', 'B'), freeForm());
    expect((await resume(runId, key, pick('q1_o1'))).status).toBe(200);
    expect((await resume(runId, key, { option_id: 'q1_o1', kind: 'multiple_choice' })).status).toBe(200);
    const expectAllConflict = async () => {
      await expectConflict(runId, key, pick('q1_o2'));
      await expectConflict(runId, key, freeText('A'));
      await expectConflict(runId, key, { ...pick('q1_o1'), other_text: null });
      await expectConflict(runId, key, pick('q1_o1'), { ask_id: 'q1' });
    };
    await api.untilWaiting(runId, 'q2');
    await expectAllConflict();
    expect((await api.read(runId)).pending_input_context?.ask_id).toBe('q2');
    expect((await api.resume(runId, freeText('x'))).status).toBe(200);
    await api.untilEnded(runId);
    await expectAllConflict();
  });

  test('a key whose answer lost stays 409, also when the run asks again', async () => {
    const key = randomUUID();
    const runId = await waiting(freeForm('First?'), sleep(500), freeForm('Second?'));
    expect((await api.resume(runId, freeText('winner'))).status).toBe(200);
    const first = await resume(runId, key, freeText('loser'));
    expect(refusal(key, first)).toEqual(refusedAs(key, 409, 'run_not_waiting'));
    await api.untilWaiting(runId, 'q2');
    const again = await resume(runId, key, freeText('loser'));
    expect(refusal(key, again)).toEqual(refusedAs(key, 409, 'run_not_waiting'));
    await expectConflict(runId, key, freeText('another'));
    expect((await api.read(runId)).pending_input_context?.ask_id).toBe('q2');
  });

  test('a key that was used before the run asked stays 409 when it asks, and its body never becomes an answer', async () => {
    const key = randomUUID();
    const runId = await started(sleep(1_500), freeForm());
    for (let round = 0; round < 2; round += 1) {
      const early = await resume(runId, key, freeText('early'));
      expect(refusal(key, early)).toEqual(refusedAs(key, 409, 'run_not_waiting'));
    }
    await api.untilWaiting(runId);
    const late = await resume(runId, key, freeText('early'));
    expect(refusal(key, late)).toEqual(refusedAs(key, 409, 'run_not_waiting'));
    expect((await resume(runId, randomUUID(), freeText('in time'))).status).toBe(200);
    await api.untilEnded(runId);
    expect(await api.toolResults(runId, 'ask_a_human')).toEqual([{ answer: 'in time' }]);
  });

  test('a body that was refused for one ask does not answer the next one under the same key', async () => {
    const key = randomUUID();
    const runId = await waiting(choice('A', 'B'), freeForm());
    expect((await resume(runId, key, freeText('meant for q1'))).status).toBe(422);
    expect((await api.resume(runId, pick('q1_o1'))).status).toBe(200);
    await api.untilWaiting(runId, 'q2');
    expect((await resume(runId, key, freeText('meant for q1'))).status).toBe(422);
    expect((await api.read(runId)).pending_input_context?.ask_id).toBe('q2');
  });

  test('a guard that did not hold is the outcome of its key, also when that ask comes', async () => {
    const key = randomUUID();
    const runId = await waiting(freeForm('First?'), freeForm('Second?'));
    const send = () => resume(runId, key, freeText('for q2'), { ask_id: 'q2' });
    expect(refusal(key, await send())).toEqual(refusedAs(key, 409, 'ask_mismatch'));
    expect((await api.resume(runId, freeText('one'))).status).toBe(200);
    await api.untilWaiting(runId, 'q2');
    expect(refusal(key, await send())).toEqual(refusedAs(key, 409, 'ask_mismatch'));
  });

  test('many requests with one key and body at once are one answer, and all of them are told so', async () => {
    for (let round = 0; round < 5; round += 1) {
      const key = randomUUID();
      const runId = await waiting(freeForm('First?'), freeForm('Second?'));
      const replies = await Promise.all(Array.from({ length: 10 }, () => resume(runId, key, freeText('once'))));
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
      const asking = await api.untilWaiting(runId, 'q2');
      expect(asking.pending_input_context?.question).toBe('Second?');
      const answered = (await api.events(runId)).filter(({ type }) => /^ask\.(answered|rejected)$/.test(type));
      expect(answered.map(({ data }) => data.answer)).toEqual(['once']);
    }
  });

  test('of two bodies at once under one key one is taken, every request with it is 200, the others are 409', async () => {
    for (let round = 0; round < 5; round += 1) {
      const key = randomUUID();
      const runId = await waiting(freeForm());
      const texts = ['a', 'b', 'a', 'b', 'a', 'b'];
      const replies = await Promise.all(texts.map((text) => resume(runId, key, freeText(text))));
      await api.untilEnded(runId);
      const [result] = (await api.toolResults(runId)) as { answer: string }[];
      expect(replies.map(({ status }) => status)).toEqual(texts.map((text) => (text === result?.answer ? 200 : 409)));
    }
  });

  test('a key is of one run: under it another run takes its own answer', async () => {
    const key = randomUUID();
    const [one, two] = [await waiting(freeForm()), await waiting(freeForm())];
    expect((await resume(one, key, freeText('first'))).status).toBe(200);
    expect((await resume(two, key, freeText('second'))).status).toBe(200);
    await api.untilEnded(two);
    expect(await api.toolResults(two)).toEqual([{ answer: 'second' }]);
  });

  test.each(['', 'k'.repeat(257), 'clé'])('a key that is none is 400 and the question stays: %j', async (key) => {
    const runId = await waiting(freeForm());
    const reply = await resume(runId, key, freeText('x'));
    expect(refusal(key, reply)).toEqual(refusedAs(key, 400, 'malformed_request'));
    expect((await api.read(runId)).status).toBe('awaiting_input');
  });
});
