/** C06 of CASES.md: an answer is sent before the run is asking. */
import { randomUUID } from 'node:crypto';
import { expectCleanHistories, expectNotWaiting } from '../support/checks';
import type { ApiCaller, Reply } from '../support/http';
import { freeForm, freeText, script, sleep } from '../support/scripts';
import { TestStack } from '../support/stack';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('C06 an answer counts only for a question that was asked', () => {
  let stack: TestStack;
  let api: ApiCaller;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = stack.api.bounded();
  });
  afterAll(() => stack.stop());

  test('of answers sent from before the start on, exactly the one that got 2xx reaches the agent', async () => {
    const runId = `early_${randomUUID()}`;
    const sent: { text: string; existed: boolean; repliedAt: number; reply: Reply }[] = [];
    let exists = false;
    let answered = false;
    const send = async (text: string): Promise<void> => {
      const existed = exists;
      const reply = await api.resume(runId, freeText(text));
      sent.push({ text, existed, repliedAt: Date.now(), reply });
      answered ||= reply.status >= 200 && reply.status < 300;
    };

    const sending: Promise<void>[] = [send('early-0')];
    const started = api.start(script([sleep(1000), freeForm()]), { run_id: runId }).then(() => (exists = true));
    for (let n = 1; !answered && n < 2000; n += 1) {
      sending.push(send(`early-${n}`));
      await pause(20);
    }
    await Promise.all([started, ...sending]);
    await api.untilEnded(runId);

    const winners = sent.filter(({ reply }) => reply.status >= 200 && reply.status < 300);
    expect(winners).toHaveLength(1);
    const [winner] = winners;
    for (const { existed, reply } of sent.filter((other) => other !== winner)) {
      if (existed || reply.status !== 404) expectNotWaiting(reply);
      else expect(reply.body.error).toBe('run_not_found');
    }
    expect(await api.toolResults(runId, 'ask_a_human')).toEqual([{ answer: winner?.text }]);

    const events = await api.events(runId);
    const opened = events.find((event) => event.type === 'ask.opened');
    const answers = events.filter((event) => event.type === 'ask.answered').map((event) => event.data.answer);
    expect(answers).toEqual([winner?.text]);
    // Server and test run on one machine, so on one clock: who was told before the question was asked did not win.
    const before = sent.filter(({ repliedAt }) => repliedAt < Date.parse(opened?.timestamp ?? ''));
    expect(before.length).toBeGreaterThan(0);
    expect(before).not.toContain(winner);
    await expectCleanHistories(stack.client, runId);
  });

  test('a bare signal that comes before the question is not kept for it', async () => {
    const { run_id } = await api.start(script([sleep(1000), freeForm()]));
    const run = stack.client.workflow.getHandle(run_id);
    await run.signal('answer', freeText('early'));
    await run.signal('answer', { input: freeText('early, for a question to come'), ask_id: 'q1' });
    await run.signal('answer', { input: freeText('early, by name'), answer_id: 'early' });

    const waiting = await api.untilWaiting(run_id);
    expect(waiting.pending_input_context?.ask_id).toBe('q1');
    expect((await api.resume(run_id, freeText('in time'))).status).toBe(200);
    await api.untilEnded(run_id);
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual([{ answer: 'in time' }]);
    await expectCleanHistories(stack.client, run_id);
  });

  test('an answer that comes between two questions is for neither', async () => {
    const { run_id } = await api.start(script([freeForm('First?'), sleep(1000), freeForm('Second?')]));
    await api.untilWaiting(run_id, 'q1');
    expect((await api.resume(run_id, freeText('first'))).status).toBe(200);
    expectNotWaiting(await api.resume(run_id, freeText('between')));
    expectNotWaiting(await api.resume(run_id, freeText('ahead'), { ask_id: 'q2' }));
    await stack.client.workflow.getHandle(run_id).signal('answer', { input: freeText('signal'), ask_id: 'q2' });

    await api.untilWaiting(run_id, 'q2');
    expect((await api.resume(run_id, freeText('second'))).status).toBe(200);
    await api.untilEnded(run_id);
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual([{ answer: 'first' }, { answer: 'second' }]);
    await expectCleanHistories(stack.client, run_id);
  });
});
