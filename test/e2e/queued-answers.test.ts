/** Answers that come while no worker is up: kept, and who loses hears of it at once. */
import { freeForm, freeText, script } from '../support/scripts';
import { ProcessStack, type Program } from '../support/processes';
import type { ApiCaller } from '../support/http';

describe('with no worker up', () => {
  const stack = new ProcessStack();
  let api: ApiCaller;
  let worker: Program;
  beforeAll(async () => {
    await stack.startTemporal();
    worker = await stack.startWorker();
    ({ api } = await stack.startApi());
  });
  afterAll(() => stack.stop());

  test('the first good answer is queued, later ones are told 409, and the first is what the agent gets', async () => {
    const { run_id } = await api.start(script([freeForm()]));
    await api.untilWaiting(run_id);
    await worker.kill();

    const first = await api.resume(run_id, freeText('first'));
    expect([first.status, first.body.answer, first.body.status]).toEqual([202, 'queued', 'awaiting_input']);
    const second = await api.resume(run_id, freeText('second'));
    expect([second.status, second.body.error]).toEqual([409, 'run_not_waiting']);
    expect((await api.resume(run_id, freeText(' '))).status).toBe(422);

    worker = await stack.startWorker();
    await api.untilEnded(run_id);
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual([{ answer: 'first' }]);
  });

  test('a retry under the same Idempotency-Key stays queued, is one answer, and is 200 once it was taken', async () => {
    const { run_id } = await api.start(script([freeForm()]));
    await api.untilWaiting(run_id);
    await worker.kill();
    const send = (text: string) => api.resume(run_id, freeText(text), {}, { 'idempotency-key': 'k1' });

    expect((await send('kept')).status).toBe(202);
    expect((await send('kept')).status).toBe(202);

    worker = await stack.startWorker();
    await api.untilEnded(run_id);
    expect((await send('kept')).status).toBe(200);
    expect((await send('changed')).body.error).toBe('idempotency_conflict');
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual([{ answer: 'kept' }]);
  });
});
