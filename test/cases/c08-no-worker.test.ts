/** C08 of CASES.md: reading and answering a run while no worker is up. Every call has the bound of 15 s. */
import { expectInvalid, expectNotWaiting, expectStillWaiting } from '../support/checks';
import { eventually, type ApiCaller } from '../support/http';
import { ProcessStack, type Program } from '../support/processes';
import { choice, delegate, freeForm, freeText, pick, script } from '../support/scripts';

describe('C08 no worker is up', () => {
  let stack: ProcessStack;
  let api: ApiCaller;
  let worker: Program;
  beforeAll(async () => {
    stack = new ProcessStack();
    await stack.startTemporal();
    const [started, { api: caller }] = await Promise.all([stack.startWorker(), stack.startApi()]);
    worker = started;
    api = caller.bounded();
  });
  afterAll(() => stack.stop());

  const withoutWorker = async (during: () => Promise<void>): Promise<void> => {
    await worker.kill();
    try {
      await during();
    } finally {
      worker = await stack.startWorker();
    }
  };

  test('the question is read as last known, an answer is durably taken, and it is applied once a worker is back', async () => {
    const { run_id } = await api.start(script([choice('A', 'B')]));
    const before = await api.untilWaiting(run_id);

    await withoutWorker(async () => {
      await expectStillWaiting(api, before);
      expect(await api.pendingAsks(run_id)).toEqual([{ run_id, ask_id: 'q1' }]);
      await expectInvalid(api, before, pick('q1_o9'));
      const reply = await api.resume(run_id, pick('q1_o2'));
      // Nobody has judged it yet, so it is no 200; it is in the history, so it may be a 2xx.
      expect(reply.status).toBe(202);
      expect(reply.body).toMatchObject({ run_id, status: 'awaiting_input', answer: 'queued' });
    });

    expect((await api.untilEnded(run_id)).status).toBe('completed');
    expect(await api.toolResults(run_id)).toEqual([{ answer: 'B', option_id: 'q1_o2' }]);
    expectNotWaiting(await api.resume(run_id, pick('q1_o1')));
  });

  test('a question that nobody answered meanwhile is intact afterwards, and answering works once', async () => {
    const { run_id } = await api.start(script([freeForm()]));
    const before = await api.untilWaiting(run_id);
    // Twice: a worker that comes back changes nothing either.
    for (let round = 0; round < 2; round += 1) {
      await withoutWorker(() => expectStillWaiting(api, before));
      await expectStillWaiting(api, before);
    }
    // A worker that was killed is missed for a moment; once the new one tells of this run, it judges at once.
    expect(await eventually(async () => (await api.call('GET', `/agents/${run_id}/messages`)).status === 200)).toBe(
      true,
    );
    expect((await api.resume(run_id, freeText('yes'))).status).toBe(200);
    expectNotWaiting(await api.resume(run_id, freeText('again')));
    expect((await api.untilEnded(run_id)).status).toBe('completed');
    expect(await api.toolResults(run_id)).toEqual([{ answer: 'yes' }]);
  });

  test('of two answers sent meanwhile the first one counts, and the second is NOTWAITING', async () => {
    const { run_id } = await api.start(script([freeForm()]));
    await api.untilWaiting(run_id);
    await withoutWorker(async () => {
      expect((await api.resume(run_id, freeText('first'))).status).toBe(202);
      expectNotWaiting(await api.resume(run_id, freeText('second')));
    });
    await api.untilEnded(run_id);
    expect(await api.toolResults(run_id)).toEqual([{ answer: 'first' }]);
  });

  test('what only a worker can tell is a 503, what is not there is a 404, and nothing hangs', async () => {
    const ended = await api.start(script([], 'over'));
    await api.untilEnded(ended.run_id);
    const parent = await api.start(script([delegate(script([freeForm()]))]));
    const asking = await api.until(parent.run_id, (run) => run.children_awaiting.length === 1);

    await withoutWorker(async () => {
      for (const sub of ['messages', 'events', 'asks?state=all']) {
        const { status, body, headers } = await api.call('GET', `/agents/${parent.run_id}/${sub}`);
        expect({ sub, status, error: body.error }).toEqual({ sub, status: 503, error: 'engine_unavailable' });
        expect(headers.get('retry-after')).toMatch(/^\d+$/);
      }
      expect(await api.read(parent.run_id)).toMatchObject({
        status: 'running',
        children_awaiting: asking.children_awaiting,
      });
      expect(await api.read(ended.run_id)).toMatchObject({ status: 'completed', result: { text: 'over' } });
      expectNotWaiting(await api.resume(ended.run_id, freeText('late')));
      expect((await api.call('GET', '/agents/run_nobody')).status).toBe(404);
      expect((await api.call('POST', '/agents/run_nobody/resume', { input: freeText('x') })).status).toBe(404);

      // A run that starts now can be read, and begins when a worker comes.
      const young = await api.start(script([], 'begun'), { run_id: 'begun-without-a-worker' });
      expect(await api.read(young.run_id)).toMatchObject({ status: 'running', pending_input_type: null });
    });
    expect(await api.untilEnded('begun-without-a-worker')).toMatchObject({ result: { text: 'begun' } });
  });
});
