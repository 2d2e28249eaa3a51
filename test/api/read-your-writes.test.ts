/** CONTRACT §4: after a 2xx to a resume no read shows the answered ask, on any route, for direct and for sub-agents' asks. */
import type { RunRecord } from '../../workflows/contract';
import { DocumentedCaller } from '../support/documented';
import { choice, delegate, freeForm, freeText, pick, script, sleep } from '../support/scripts';
import { TestStack } from '../support/stack';

const ROUNDS = 8;

describe('reads right after a 200', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = await DocumentedCaller.of(stack.api);
  });
  afterAll(() => stack.stop());

  const listed = async (query: string) => {
    const { body } = await api.call<{ runs: RunRecord[] }>('GET', `/agents?limit=100&${query}`);
    return body.runs.map(({ run_id }) => run_id);
  };
  const asksOf = async (runId: string) => {
    const { body } = await api.call<{ asks: Record<string, unknown>[] }>('GET', `/agents/${runId}/asks?state=all`);
    return body.asks;
  };

  test('record, lists, asks, events and transcript know of the answer: direct ask', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { run_id } = await api.start(script([freeForm(), sleep(3_000)]));
      await api.untilWaiting(run_id);
      expect((await api.resume(run_id, freeText('yes'))).status).toBe(200);
      const [record, waiting, running, pending, all, events] = await Promise.all([
        api.read(run_id),
        listed('status=awaiting_input'),
        listed(`status=running&root_run_id=${run_id}`),
        api.pendingAsks(run_id),
        asksOf(run_id),
        api.events(run_id),
      ]);
      expect(record).toMatchObject({ status: 'running', pending_input_type: null, pending_input_context: null });
      expect(waiting).not.toContain(run_id);
      expect(running).toEqual([run_id]);
      expect(pending).toEqual([]);
      expect(all).toEqual([
        expect.objectContaining({ ask_id: 'q1', state: 'answered', answer: 'yes', principal: 'tester' }),
      ]);
      expect(events.map(({ type }) => type)).toContain('ask.answered');
    }
  });

  test('the same for a sub-agent two levels down, on its own routes and on those of every run above', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const leafScript = script([choice('A', 'B'), sleep(3_000)]);
      const { run_id: root } = await api.start(script([delegate(script([delegate(leafScript)]))]));
      const asking = await api.until(root, (run) => run.children_awaiting.length === 1);
      const leaf = asking.children_awaiting[0]?.run_id ?? '';
      const middle = (await api.read(leaf)).parent_run_id ?? '';
      await api.until(middle, (run) => run.children_awaiting.length === 1);

      expect((await api.resume(leaf, pick('q1_o1'))).status).toBe(200);
      const [records, asks, all, waiting, ofRoot, events] = await Promise.all([
        Promise.all([leaf, middle, root].map((runId) => api.read(runId))),
        Promise.all([leaf, middle, root].map((runId) => api.pendingAsks(runId))),
        Promise.all([leaf, middle, root].map(asksOf)),
        listed('status=awaiting_input'),
        listed(`status=awaiting_input&root_run_id=${root}`),
        api.events(leaf),
      ]);
      for (const record of records) {
        expect(record).toMatchObject({ status: 'running', children_awaiting: [], pending_input_context: null });
      }
      expect(asks).toEqual([[], [], []]);
      for (const list of all) {
        expect(list).toEqual([
          expect.objectContaining({ run_id: leaf, state: 'answered', answer: 'A', option_id: 'q1_o1' }),
        ]);
      }
      expect(waiting).not.toContain(leaf);
      expect(ofRoot).toEqual([]);
      expect(events.map(({ type }) => type)).toContain('ask.answered');
    }
  });

  test('answers to several of a conversation take out just those, and the others keep their order', async () => {
    const child = script([freeForm(), sleep(3_000)]);
    const { run_id: root } = await api.start(script([[1, 2, 3, 4].map(() => delegate(child))]));
    const { children_awaiting: order } = await api.until(root, (run) => run.children_awaiting.length === 4);
    expect(await api.pendingAsks(root)).toEqual(order);
    await Promise.all(
      [1, 3].map(async (place) => {
        const runId = order[place]?.run_id ?? '';
        expect((await api.resume(runId, freeText('x'))).status).toBe(200);
      }),
    );
    const rest = [order[0], order[2]];
    expect((await api.read(root)).children_awaiting).toEqual(rest);
    expect(await api.pendingAsks(root)).toEqual(rest);
  });

  test('after a cancel no list and no ask shows the run as waiting', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { run_id } = await api.start(script([freeForm()]));
      await api.untilWaiting(run_id);
      const reply = await api.call<RunRecord>('POST', `/agents/${run_id}/cancel`);
      expect(reply).toMatchObject({ status: 202, body: { pending_input_context: null } });
      expect(reply.body.status).not.toBe('awaiting_input');
      expect(await listed('status=awaiting_input')).not.toContain(run_id);
      expect(await api.pendingAsks(run_id)).toEqual([]);
      await api.untilEnded(run_id);
      expect(await listed(`status=cancelled&root_run_id=${run_id}`)).toEqual([run_id]);
      expect(await listed(`status=running&root_run_id=${run_id}`)).toEqual([]);
      expect(await asksOf(run_id)).toEqual([
        expect.objectContaining({ ask_id: 'q1', state: 'withdrawn', answer: null }),
      ]);
    }
  });
});
