/** `GET /inbox` as JSON: what it holds, in which order, for whom, and that it is right at once. */
import type { InboxPage } from '../../api/service/inbox';
import { DocumentedCaller } from '../support/documented';
import { OTHER_KEY, ownWorkspace } from '../support/http';
import { choice, delegate, freeForm, freeText, pick, script, sleep } from '../support/scripts';
import { TestStack } from '../support/stack';

describe('the inbox', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  beforeAll(async () => {
    const agent = { name: 'asker', description: 'asks once' };
    const asks = [{ id: 'c1', tool: 'ask_a_human', args: { kind: 'free_form', question: 'Well?' } }];
    const model = {
      respond: async ({ turn }: { turn: number }) => ({
        text: 'done',
        calls: turn === 0 ? asks : [],
        final: turn > 0,
        tokens: 0,
      }),
    };
    const keys = [...ownWorkspace(), ...ownWorkspace().map((own) => ({ ...own, name: 'rival', key: OTHER_KEY }))];
    stack = await TestStack.start({ agents: [{ ...agent, model }] as never, app: { keys } });
    api = await DocumentedCaller.of(stack.api);
  });
  afterAll(() => stack.stop());

  const inbox = async (query = '', caller = api) => {
    const { status, body } = await caller.call<InboxPage>('GET', `/inbox?${query}`);
    expect(status).toBe(200);
    return body;
  };
  const ids = (page: InboxPage) => page.asks.map(({ run_id, ask_id }) => `${run_id}/${ask_id}`);
  const waiting = async (input: unknown = script([freeForm()]), more = {}) => {
    const { run_id } = await api.start(input, more);
    await api.untilWaiting(run_id);
    return run_id;
  };

  test('is empty where nothing waits', async () => {
    expect(await inbox()).toEqual({ asks: [], count: 0, next_cursor: null });
  });

  test('shows every pending ask, direct or of a sub-agent, oldest first, as the list of its run does', async () => {
    const direct = await waiting(script([choice('A', 'B'), sleep(2_000)]));
    const { run_id: root } = await api.start(script([delegate(script([freeForm('Below?'), sleep(2_000)]))]));
    const asking = await api.until(root, (run) => run.children_awaiting.length === 1);
    const below = asking.children_awaiting[0]?.run_id ?? '';
    const other = await waiting();

    const page = await inbox();
    expect(ids(page)).toEqual([`${direct}/q1`, `${below}/q1`, `${other}/q1`]);
    expect(page).toMatchObject({ count: 3, next_cursor: null });
    for (const ask of page.asks) {
      const { body } = await api.call<{ asks: object[] }>('GET', `/agents/${ask.run_id}/asks`);
      const { root_run_id, parent_run_id, agent, ...view } = ask;
      expect(body.asks).toEqual([view]);
      expect(view.claim).toBeNull();
      expect(await api.read(ask.run_id)).toMatchObject({ root_run_id, parent_run_id, agent, claim: null });
    }

    // Right at once: after a 2xx nobody sees it any more, and the others have not moved.
    expect((await api.resume(direct, pick('q1_o1'))).status).toBe(200);
    expect(ids(await inbox())).toEqual([`${below}/q1`, `${other}/q1`]);
    expect((await api.resume(below, freeText('x'))).status).toBe(200);
    expect(await inbox()).toMatchObject({ asks: [{ run_id: other }], count: 1 });
    expect((await api.call('POST', `/agents/${other}/cancel`)).status).toBe(202);
    expect(await inbox()).toEqual({ asks: [], count: 0, next_cursor: null });
  });

  test('filters by agent and assignee, and pages without a gap or a repeat while asks open and close', async () => {
    const mine = { assignee: 'sam@contoso.com' };
    const runs: string[] = [];
    for (let k = 0; k < 7; k += 1) runs.push(await waiting(script([freeForm()]), k % 2 === 0 ? mine : {}));
    const { body: asker } = await api.call<{ run_id: string }>('POST', '/agents', { agent: 'asker', input: null });
    await api.untilWaiting(asker.run_id);

    expect(ids(await inbox('agent=asker'))).toEqual([`${asker.run_id}/q1`]);
    expect(await inbox('agent=nobody')).toEqual({ asks: [], count: 0, next_cursor: null });
    const ofSam = await inbox('assignee=sam%40contoso.com&agent=scripted');
    expect(ofSam.asks.map(({ run_id }) => run_id)).toEqual([0, 2, 4, 6].map((k) => runs[k]));
    expect(ofSam.count).toBe(4);
    expect((await inbox('', api.as(OTHER_KEY))).count).toBe(0);

    const seen: string[] = [];
    let cursor: string | null = '';
    for (let page = 0; cursor !== null; page += 1) {
      const reply: InboxPage = await inbox(`limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...reply.asks.map(({ run_id }) => run_id));
      cursor = reply.next_cursor;
      expect(reply.asks.length).toBeLessThanOrEqual(2);
      if (page === 0) {
        // One that was shown, the very one the cursor is at, and one to come are answered; another one opens.
        expect(reply.count).toBe(8);
        for (const k of [0, 1, 4]) expect((await api.resume(runs[k] as string, freeText('x'))).status).toBe(200);
        runs.push(await waiting());
      }
    }
    expect(seen).toEqual([0, 1, 2, 3, 5, 6].map((k) => runs[k]).concat(asker.run_id, runs[7] as string));
    for (const runId of [...runs, asker.run_id]) await api.call('POST', `/agents/${runId}/cancel`);
  });

  test.each(['limit=0', 'limit=201', 'limit=x', 'cursor=x', 'cursor=e30', 'status=waiting', 'agent=%00'])(
    '?%s is refused as a malformed request',
    async (query) => {
      const { status, body } = await api.call('GET', `/inbox?${query}`);
      expect({ status, error: body.error }).toEqual({ status: 400, error: 'malformed_request' });
    },
  );

  test('is read with no worker up', async () => {
    const runId = await waiting();
    await stack.stopWorker();
    const page = await inbox();
    expect(ids(page)).toEqual([`${runId}/q1`]);
    await stack.startWorker();
    expect((await api.resume(runId, freeText('x'))).status).toBe(200);
  });
});
