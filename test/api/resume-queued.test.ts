/** CONTRACT §5: with no worker up an answer is durable all the same (202), and is taken when a worker comes. */
import { randomUUID } from 'node:crypto';
import { expectCleanHistories } from '../support/checks';
import { DocumentedCaller } from '../support/documented';
import { ownWorkspace } from '../support/http';
import { refusal, refusedAs } from '../support/refusals';
import { choice, decline, freeForm, freeText, pick, script } from '../support/scripts';
import { TestStack } from '../support/stack';

describe('answers with no worker up', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  /** One run for each thing that can happen to it while no worker is there. */
  const runs = { plain: '', keyed: '', bad: '', declined: '', cancelled: '', started: '' };
  const key = randomUUID();
  beforeAll(async () => {
    stack = await TestStack.start({ app: { keys: ownWorkspace() } });
    api = await DocumentedCaller.of(stack.api);
    for (const name of ['plain', 'keyed', 'bad', 'declined', 'cancelled'] as const) {
      runs[name] = (await api.start(script([choice('A', 'B')]))).run_id;
    }
    await Promise.all(Object.values(runs).map(async (runId) => runId && api.untilWaiting(runId)));
    await stack.stopWorker();
  });
  afterAll(() => stack.stop());

  const queue = async (runId: string, input: unknown, headers = {}) => {
    const { status, body } = await api.resume(runId, input, {}, headers);
    expect({ status, answer: body.answer, run_id: body.run_id }).toEqual({
      status: 202,
      answer: 'queued',
      run_id: runId,
    });
    return body;
  };

  test('a good answer is 202 and queued, with the state as last known', async () => {
    expect(await queue(runs.plain, pick('q1_o1'))).toMatchObject({ status: 'awaiting_input' });
    await queue(runs.declined, decline('no'));
  });

  test('a bad one is refused as ever: nobody is needed to judge it', async () => {
    for (const input of [pick('q1_o9'), freeText('x'), {}])
      expect((await api.resume(runs.bad, input)).status).toBe(422);
    const mismatch = await api.resume(runs.bad, pick('q1_o1'), { ask_id: 'q2' });
    expect(refusal('q2', mismatch)).toEqual(refusedAs('q2', 409, 'ask_mismatch'));
    expect(await stack.historyTypes(runs.bad)).not.toContain('WorkflowExecutionSignaled');
  });

  test('whoever comes second is told so, as there can be only one answer', async () => {
    const second = await api.resume(runs.plain, pick('q1_o2'));
    expect(refusal('second', second)).toEqual(refusedAs('second', 409, 'run_not_waiting'));
  });

  test('the same key and body are 202 again, the same key with another body is 409', async () => {
    const headers = { 'idempotency-key': key };
    await queue(runs.keyed, pick('q1_o2'), headers);
    await queue(runs.keyed, pick('q1_o2'), headers);
    const other = await api.resume(runs.keyed, pick('q1_o1'), {}, headers);
    expect(refusal(key, other)).toEqual(refusedAs(key, 409, 'idempotency_conflict'));
  });

  test('reads know the run, start and cancel are taken, and what only a worker knows is 503', async () => {
    expect(await api.read(runs.bad)).toMatchObject({
      status: 'awaiting_input',
      pending_input_context: { ask_id: 'q1' },
    });
    expect(await api.pendingAsks(runs.bad)).toEqual([{ run_id: runs.bad, ask_id: 'q1' }]);
    runs.started = (await api.start(script([freeForm()]))).run_id;
    expect((await api.read(runs.started)).status).toBe('running');
    const { body } = await api.call<{ runs: { run_id: string }[] }>('GET', '/agents?limit=100');
    expect(body.runs.map(({ run_id }) => run_id)).toEqual(expect.arrayContaining(Object.values(runs)));
    expect((await api.call('POST', `/agents/${runs.cancelled}/cancel`)).status).toBe(202);
    for (const path of ['/messages', '/events', '/asks?state=all']) {
      const reply = await api.call('GET', `/agents/${runs.bad}${path}`);
      expect(refusal(path, reply)).toEqual(refusedAs(path, 503, 'engine_unavailable'));
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  test('once a worker comes each answer is taken, once, and each run goes on', async () => {
    await stack.startWorker();
    const results = async (runId: string) => {
      await api.untilEnded(runId);
      return api.toolResults(runId);
    };
    expect(await results(runs.plain)).toEqual([{ answer: 'A', option_id: 'q1_o1' }]);
    expect(await results(runs.keyed)).toEqual([{ answer: 'B', option_id: 'q1_o2' }]);
    expect(await results(runs.declined)).toEqual([{ skipped: true, reason: 'human_declined', message: 'no' }]);
    expect((await api.untilEnded(runs.cancelled)).status).toBe('cancelled');
    await api.untilWaiting(runs.started);
    expect((await api.resume(runs.bad, pick('q1_o1'))).status).toBe(200);
    for (const runId of [runs.plain, runs.keyed, runs.declined]) {
      const closings = (await api.events(runId)).filter(({ type }) => /^ask\.(answered|declined)$/.test(type));
      expect(closings).toHaveLength(1);
    }
    const again = await api.resume(runs.keyed, pick('q1_o2'), {}, { 'idempotency-key': key });
    expect(again).toMatchObject({ status: 200, body: { status: 'completed' } });
    await expectCleanHistories(stack.client, ...Object.values(runs));
  });
});
