/** Many answers to one ask, from two API processes: one wins, every other one is told why, bad ones leave no trace. */
import type { ApiCaller, Reply } from '../support/http';
import { ProcessStack } from '../support/processes';
import { choice, effect, freeForm, freeText, pick, script, writeIn } from '../support/scripts';

const ROUNDS = 20;
const ANSWERS = 60;

/** Bad in every way that a body can be bad for a multiple-choice ask. */
const BAD = [
  writeIn(' '),
  pick('q2_o1'),
  pick('q1_o9'),
  pick('__proto__'),
  freeText('A'),
  { kind: 'multiple_choice' },
  { ...pick('q1_o1'), more: true },
  writeIn('a'.repeat(4_001)),
  { kind: 'Multiple_Choice', option_id: 'q1_o1' },
  'q1_o1',
];

describe('many answers to one ask', () => {
  const stack = new ProcessStack();
  let apis: ApiCaller[];

  beforeAll(async () => {
    await stack.startTemporal();
    await stack.startWorker();
    apis = [(await stack.startApi()).api, (await stack.startApi()).api];
  });
  afterAll(() => stack.stop());

  /** All at once, good and bad in turn, half of each kind to each API. `more` goes into every body. */
  async function answerAtOnce(runId: string, more: Record<string, unknown>) {
    const sent = Array.from({ length: ANSWERS }, (_each, n) => {
      const bad = n % 2 === 1;
      const input = bad ? BAD[Math.floor(n / 2) % BAD.length] : writeIn(`answer ${n}`);
      const api = apis[Math.floor(n / 2) % 2] as ApiCaller;
      return api.resume(runId, input, more).then((reply) => ({ bad, reply, answer: `answer ${n}` }));
    });
    return Promise.all(sent);
  }

  const told = (reply: Reply) => `${reply.status} ${String(reply.body.error)}`;

  test(`${ANSWERS} at once, half of them bad: one 200, each bad one 422 or too late, each good loser 409, ${ROUNDS} times`, async () => {
    const [api] = apis as [ApiCaller];
    for (let round = 0; round < ROUNDS; round += 1) {
      // Every other run asks again at once: its second question must not be answered by what was meant for the first.
      const asksAgain = round % 2 === 1;
      const turns = [effect('before'), choice('A', 'B'), ...(asksAgain ? [freeForm('and now?')] : []), effect('after')];
      const { run_id } = await api.start(script(turns));
      await api.untilWaiting(run_id);

      const all = await answerAtOnce(run_id, asksAgain ? { ask_id: 'q1' } : {});
      const winners = all.filter(({ reply }) => reply.status === 200);
      expect(winners).toHaveLength(1);
      expect(winners[0]?.bad).toBe(false);
      const tooLate = ['409 run_not_waiting', '409 ask_mismatch'];
      for (const { bad, reply } of all) {
        if (reply.status === 200) continue;
        expect(bad ? ['422 invalid_input', ...tooLate] : tooLate).toContain(told(reply));
        if (reply.status === 422) expect(reply.body.issues).not.toEqual([]);
      }

      if (asksAgain) {
        await api.untilWaiting(run_id, 'q2');
        expect((await api.resume(run_id, freeText('the second'))).status).toBe(200);
      }
      expect((await api.untilEnded(run_id)).status).toBe('completed');
      const [first, second] = await api.toolResults(run_id, 'ask_a_human');
      expect(first).toEqual({ answer: winners[0]?.answer, option_id: 'other' });
      expect(second).toEqual(asksAgain ? { answer: 'the second' } : undefined);
      const answered = (await api.events(run_id)).filter((event) => event.type === 'ask.answered');
      expect(answered).toHaveLength(asksAgain ? 2 : 1);
      const effects = stack.effects().filter((line) => line.startsWith(`${run_id} `));
      expect(effects).toEqual([`${run_id} before`, `${run_id} after`]);
    }
  });

  test('2,200 bad answers to one paused run are 422, add no event to its history, and a good one is then taken', async () => {
    const [api] = apis as [ApiCaller];
    const client = await stack.client();
    const { run_id } = await api.start(script([choice('A', 'B')]));
    const paused = await api.untilWaiting(run_id);
    const describe = () => client.workflow.getHandle(run_id).describe();
    // The run has written down that it waits; nothing of it is on its way any more.
    const before = (await describe()).historyLength;

    const statuses = new Map<number, number>();
    const senders = Array.from({ length: 20 }, async (_sender, s) => {
      for (let n = 0; n < 110; n += 1) {
        const reply = await (apis[n % 2] as ApiCaller).resume(run_id, BAD[(s + n) % BAD.length]);
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      }
    });
    await Promise.all(senders);

    expect([...statuses]).toEqual([[422, 2_200]]);
    expect((await describe()).historyLength).toBe(before);
    const { active_ms: _a, waiting_ms: _w, ...record } = await api.read(run_id);
    const { active_ms: _a0, waiting_ms: _w0, ...recordBefore } = paused;
    expect(record).toEqual(recordBefore);
    expect((await api.resume(run_id, pick('q1_o1'))).status).toBe(200);
    await api.untilEnded(run_id);
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual([{ answer: 'A', option_id: 'q1_o1' }]);
    await client.connection.close();
  });
});
