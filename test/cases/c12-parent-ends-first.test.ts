/** C12 of CASES.md: the parent closes while a sub-agent waits. */
import type { Client } from '@temporalio/client';
import { expectCleanHistories, expectNotWaiting, expectStillWaiting, NOTHING_PENDING } from '../support/checks';
import { eventually, type ApiCaller } from '../support/http';
import { ProcessStack, type Program } from '../support/processes';
import { delegate, freeForm, freeText, script, sleep } from '../support/scripts';

describe('C12 a run does not end over a sub-agent that waits', () => {
  let stack: ProcessStack;
  let worker: Program;
  let api: ApiCaller;
  let temporal: Client;
  beforeAll(async () => {
    stack = new ProcessStack();
    await stack.startTemporal();
    const [started, { api: caller }] = await Promise.all([stack.startWorker(), stack.startApi()]);
    worker = started;
    api = caller.bounded();
    temporal = await stack.client();
  });
  afterAll(async () => {
    await temporal?.connection.close();
    await stack.stop();
  });

  const inBackground = (input: unknown) => delegate(input, { background: true });
  /** Resolves when the run has had its last model turn, so that nothing but its sub-agents keeps it. */
  const untilLastWord = async (runId: string, turns: number): Promise<void> => {
    const spoken = await eventually(async () => {
      const { body } = await api.call<{ messages: { role: string }[] }>('GET', `/agents/${runId}/messages`);
      return body.messages.filter((message) => message.role === 'assistant').length === turns;
    });
    expect(spoken).toBe(true);
  };
  const waitingBelow = async (runId: string, count = 1): Promise<string[]> =>
    (await api.until(runId, (run) => run.children_awaiting.length === count)).children_awaiting.map(
      (ask) => ask.run_id,
    );

  test("the parent's script ends, the child still waits, and its answer completes both", async () => {
    const parent = await api.start(script([inBackground(script([freeForm()], 'child'))], 'parent'));
    const [child = ''] = await waitingBelow(parent.run_id);
    await untilLastWord(parent.run_id, 2);
    const before = await api.read(child);

    expect((await api.read(parent.run_id)).status).toBe('running');
    await expectStillWaiting(api, before);
    expect((await api.resume(child, freeText('go on'))).status).toBe(200);
    expect(await api.untilEnded(child)).toMatchObject({ status: 'completed', result: { text: 'child' } });
    expect(await api.untilEnded(parent.run_id)).toMatchObject({ status: 'completed', result: { text: 'parent' } });
    expect(await api.toolResults(child)).toEqual([{ answer: 'go on' }]);
    await expectCleanHistories(temporal, parent.run_id, child);
  });

  test('nor over a grandchild that waits below a child which has had its last word', async () => {
    const middle = script([inBackground(script([freeForm()], 'grandchild'))], 'child');
    const parent = await api.start(script([inBackground(middle)], 'parent'));
    const [asker = ''] = await waitingBelow(parent.run_id);
    await untilLastWord(parent.run_id, 2);
    const { parent_run_id } = await api.read(asker);
    await untilLastWord(parent_run_id ?? '', 2);

    for (const runId of [parent.run_id, parent_run_id ?? '']) expect((await api.read(runId)).status).toBe('running');
    expect((await api.resume(asker, freeText('go on'))).status).toBe(200);
    for (const runId of [asker, parent_run_id ?? '', parent.run_id]) {
      expect((await api.untilEnded(runId)).status).toBe('completed');
    }
  });

  test('nor over the second of two: the last answer ends it', async () => {
    const asks = script([freeForm()]);
    const parent = await api.start(script([[inBackground(asks), inBackground(asks)]]));
    const [first = '', second = ''] = await waitingBelow(parent.run_id, 2);
    await untilLastWord(parent.run_id, 2);
    expect((await api.resume(first, freeText('one'))).status).toBe(200);
    expect((await api.untilEnded(first)).status).toBe('completed');
    expect(await waitingBelow(parent.run_id)).toEqual([second]);
    expect((await api.read(parent.run_id)).status).toBe('running');
    expect((await api.resume(second, freeText('two'))).status).toBe(200);
    expect((await api.untilEnded(parent.run_id)).status).toBe('completed');
  });

  test('a worker that is killed meanwhile changes nothing', async () => {
    const parent = await api.start(script([inBackground(script([freeForm()]))]));
    const [child = ''] = await waitingBelow(parent.run_id);
    await untilLastWord(parent.run_id, 2);
    const before = await api.read(child);
    await worker.kill();
    worker = await stack.startWorker();
    await expectStillWaiting(api, before);
    expect((await api.read(parent.run_id)).status).toBe('running');
    expect([200, 202]).toContain((await api.resume(child, freeText('go on'))).status);
    expect((await api.untilEnded(parent.run_id)).status).toBe('completed');
    expect((await api.read(child)).status).toBe('completed');
  });

  test('a parent that fails ends its child, whose question is withdrawn and not left dangling', async () => {
    // A model that breaks in its second turn.
    const broken = { turns: [{ calls: [inBackground(script([freeForm()])), sleep(1000)] }, { calls: tooManyCalls }] };
    const parent = await api.start(broken);
    const [child = ''] = await waitingBelow(parent.run_id);
    expect((await api.untilEnded(parent.run_id)).status).toBe('failed');
    expect(await api.read(child)).toMatchObject({ status: 'cancelled', ...NOTHING_PENDING });
    expectNotWaiting(await api.resume(child, freeText('too late')));
    expect(await api.pendingAsks(parent.run_id)).toEqual([]);
    await expectCleanHistories(temporal, parent.run_id, child);
  });
});

/** More than a model may call in one turn: the run fails. */
const tooManyCalls = Array.from({ length: 300 }, () => sleep(1));
