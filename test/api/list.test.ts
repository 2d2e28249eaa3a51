/** CONTRACT §5: `GET /agents`, filters and what a list knows of runs that have just changed. */
import { randomUUID } from 'node:crypto';
import { runRecordSchema, type RunRecord } from '../../workflows/contract';
import { DocumentedCaller } from '../support/documented';
import { eventually, ownWorkspace } from '../support/http';
import { delegate, freeForm, freeText, script, sleep } from '../support/scripts';
import { TestStack } from '../support/stack';

describe('the list of runs', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  beforeAll(async () => {
    const agent = { name: 'o\'reilly \\ "agent"', description: 'quotes in its name' };
    const model = { respond: async () => ({ text: 'done', calls: [], final: true, tokens: 0 }) };
    stack = await TestStack.start({ agents: [{ ...agent, model }], app: { keys: ownWorkspace() } });
    api = await DocumentedCaller.of(stack.api);
  });
  afterAll(() => stack.stop());

  const list = async (query = '') => {
    const { status, body } = await api.call<{ runs: RunRecord[]; next_cursor: string | null }>(
      'GET',
      `/agents?${query}`,
    );
    expect(status).toBe(200);
    return body;
  };
  const ids = async (query: string) => (await list(query)).runs.map(({ run_id }) => run_id);

  test('is empty, with no further page, where there are no runs', async () => {
    expect(await list()).toEqual({ runs: [], next_cursor: null });
  });

  test('a run that was just started is in it, on top, as the record that its own address gives', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { run_id } = await api.start(script([sleep(2_000)]));
      const [first] = (await list('limit=1')).runs;
      const { active_ms: _a, ...record } = runRecordSchema.parse(await api.read(run_id));
      expect(first).toMatchObject(record);
    }
  });

  test('each filter finds what it names, alone and together with others', async () => {
    const assignee = `sam-${randomUUID()}@contoso.com`;
    const root = await api.start(script([delegate(script([freeForm()]))]), { assignee });
    const asking = await api.until(root.run_id, (run) => run.children_awaiting.length === 1);
    const child = asking.children_awaiting[0]?.run_id ?? '';
    const done = await api.start({ text: 'done' }, { assignee });
    await api.untilEnded(done.run_id);
    const quoted = await api.call<RunRecord>('POST', '/agents', {
      agent: 'o\'reilly \\ "agent"',
      input: null,
      assignee,
    });
    await api.untilEnded(quoted.body.run_id);
    const cancelled = await api.start(script([freeForm()]), { assignee });
    await api.call('POST', `/agents/${cancelled.run_id}/cancel`);
    await api.untilEnded(cancelled.run_id);
    // A bad tool call is told to the agent: its run goes on to its end.
    const clumsy = await api.start(script([{ tool: 'delegate', args: {} }]), { assignee });
    expect((await api.untilEnded(clumsy.run_id)).status).toBe('completed');

    const by = `assignee=${encodeURIComponent(assignee)}`;
    // Sub-agents are runs like any other, and inherit the assignee.
    await api.until(child, (run) => run.status === 'awaiting_input');
    const newestFirst = [clumsy, cancelled, quoted.body].map(({ run_id }) => run_id);
    expect(await ids(by)).toEqual([...newestFirst, done.run_id, child, root.run_id]);
    expect(await ids(`${by}&agent=scripted`)).toEqual([
      clumsy.run_id,
      cancelled.run_id,
      done.run_id,
      child,
      root.run_id,
    ]);
    expect(await ids(`agent=${encodeURIComponent(quoted.body.agent)}`)).toEqual([quoted.body.run_id]);
    expect(await ids(`root_run_id=${root.run_id}`)).toEqual([child, root.run_id]);
    expect(await ids(`root_run_id=${root.run_id}&status=awaiting_input`)).toEqual([child]);
    expect(await ids(`root_run_id=${root.run_id}&status=running`)).toEqual([root.run_id]);
    expect(await ids(`root_run_id=${child}`)).toEqual([]);
    expect(await ids(`${by}&status=awaiting_input`)).toEqual([child]);
    expect(await ids(`${by}&status=running`)).toEqual([root.run_id]);
    expect(await ids(`${by}&status=cancelled`)).toEqual([cancelled.run_id]);
    const completed = [clumsy, quoted.body, done].map(({ run_id }) => run_id);
    expect(await ids(`${by}&status=completed`)).toEqual(completed);
    expect(await ids(`${by}&status=failed`)).toEqual([]);
    expect(await ids(`${by}&agent=nobody`)).toEqual([]);
  });

  test('a filter by status is right at once as a run goes from one to the next', async () => {
    const { run_id } = await api.start(script([freeForm(), sleep(1_000), freeForm()]));
    const where = async () => {
      const statuses = ['running', 'awaiting_input', 'completed', 'failed', 'cancelled'];
      const found = await Promise.all(statuses.map((status) => ids(`root_run_id=${run_id}&status=${status}`)));
      return statuses.filter((_status, k) => found[k]?.includes(run_id));
    };
    await api.untilWaiting(run_id, 'q1');
    expect(await where()).toEqual(['awaiting_input']);
    expect((await api.resume(run_id, freeText('x'))).status).toBe(200);
    expect(await where()).toEqual(['running']);
    await api.untilWaiting(run_id, 'q2');
    expect(await where()).toEqual(['awaiting_input']);
    expect((await api.call('POST', `/agents/${run_id}/cancel`)).status).toBe(202);
    await api.untilEnded(run_id);
    expect(await where()).toEqual(['cancelled']);
  });

  test('a run that was terminated is listed as failed', async () => {
    const { run_id } = await api.start(script([freeForm()]));
    await api.untilWaiting(run_id);
    await stack.client.workflow.getHandle(run_id).terminate('by hand');
    expect(await ids('status=awaiting_input')).not.toContain(run_id);
    const found = async () => (await ids('status=failed&limit=100')).includes(run_id);
    expect(await eventually(found, 20)).toBe(true);
  });
});
