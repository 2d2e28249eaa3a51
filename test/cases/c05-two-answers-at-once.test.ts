/** C05 of CASES.md: two people answer at once, through two API processes. */
import { existsSync, readFileSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import { expectCleanHistories, expectNotWaiting } from '../support/checks';
import type { ApiCaller } from '../support/http';
import { ProcessStack } from '../support/processes';
import { choice, effect, freeForm, freeText, pick, script } from '../support/scripts';

const RUNS = 50;
const AT_ONCE = 2;

describe('C05 one of two answers wins', () => {
  let stack: ProcessStack;
  let apis: [ApiCaller, ApiCaller];
  let temporal: Client;
  beforeAll(async () => {
    stack = new ProcessStack();
    await stack.startTemporal();
    const [first, second] = await Promise.all([stack.startApi(), stack.startApi(), stack.startWorker()]);
    apis = [first.api.bounded(), second.api.bounded()];
    temporal = await stack.client();
  });
  afterAll(async () => {
    await temporal?.connection.close();
    await stack.stop();
  });

  const effectsOf = (runId: string): string[] =>
    (existsSync(stack.effectsFile) ? readFileSync(stack.effectsFile, 'utf8') : '')
      .split('\n')
      .filter((line) => line.startsWith(`${runId} `));

  const oneRun = async (): Promise<void> => {
    const [here, there] = apis;
    const { run_id } = await here.start(script([choice('A', 'B'), effect('paid')]));
    await there.untilWaiting(run_id);
    const replies = await Promise.all([here.resume(run_id, pick('q1_o1')), there.resume(run_id, pick('q1_o2'))]);
    // 200, or 202 on a machine too busy to judge in time: also then the other one is told that it has lost.
    const winner = replies.findIndex((reply) => reply.status === 200 || reply.status === 202);
    expectNotWaiting(replies[1 - winner]!);

    expect((await here.untilEnded(run_id)).status).toBe('completed');
    const chosen = winner === 0 ? { answer: 'A', option_id: 'q1_o1' } : { answer: 'B', option_id: 'q1_o2' };
    expect(await there.toolResults(run_id, 'ask_a_human')).toEqual([chosen]);
    expect(effectsOf(run_id)).toEqual([`${run_id} paid`]);
    await expectCleanHistories(temporal, run_id);
  };

  test(`one 2xx, one 409, the 2xx's choice reaches the agent, the effect happens once: ${RUNS} runs`, async () => {
    for (let done = 0; done < RUNS; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, oneRun));
  });

  test('the loser of one question is not taken for an answer to the next', async () => {
    const [here, there] = apis;
    for (let round = 0; round < 10; round += 1) {
      const { run_id } = await here.start(script([freeForm('First?'), freeForm('Second?')]));
      await there.untilWaiting(run_id, 'q1');
      const replies = await Promise.all([
        here.resume(run_id, freeText('here'), { ask_id: 'q1' }),
        there.resume(run_id, freeText('there'), { ask_id: 'q1' }),
      ]);
      const winner = replies.findIndex((reply) => reply.status === 200 || reply.status === 202);
      expectNotWaiting(replies[1 - winner]!);
      const asking = await here.untilWaiting(run_id, 'q2');
      expect(asking.pending_input_context?.question).toBe('Second?');
      expect((await here.resume(run_id, freeText('later'))).status).toBe(200);
      await here.untilEnded(run_id);
      expect(await here.toolResults(run_id)).toEqual([
        { answer: winner === 0 ? 'here' : 'there' },
        { answer: 'later' },
      ]);
    }
  });
});
