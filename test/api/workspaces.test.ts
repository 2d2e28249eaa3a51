/** CONTRACT §5 and §11: another workspace's run, and a workflow that is not a run, are 404 like any unknown id. */
import { randomUUID } from 'node:crypto';
import type { RunRecord } from '../../workflows/contract';
import { DocumentedCaller } from '../support/documented';
import { OTHER_KEY } from '../support/http';
import { delegate, freeForm, freeText, script } from '../support/scripts';
import { TestStack } from '../support/stack';

describe('what is not yours is not there', () => {
  let stack: TestStack;
  let mine: DocumentedCaller;
  let rival: DocumentedCaller;
  let root: string;
  let child: string;
  let ended: string;
  beforeAll(async () => {
    stack = await TestStack.start();
    mine = await DocumentedCaller.of(stack.api);
    rival = mine.as(OTHER_KEY);
    root = (await mine.start(script([[delegate(script([freeForm()])), freeForm()]]))).run_id;
    await mine.untilWaiting(root);
    const { children_awaiting } = await mine.until(root, (run) => run.children_awaiting.length === 1);
    child = children_awaiting[0]?.run_id ?? '';
    ended = (await mine.start({})).run_id;
    await mine.untilEnded(ended);
  });
  afterAll(() => stack.stop());

  /** Every call that names a run, good and bad ones. */
  const calls = (id: string): [string, string, unknown, Record<string, string>][] => [
    ['GET', `/agents/${id}`, undefined, {}],
    ['GET', `/agents/${id}/events`, undefined, {}],
    ['GET', `/agents/${id}/events?after=1&limit=1`, undefined, {}],
    ['GET', `/agents/${id}/events`, undefined, { accept: 'text/event-stream' }],
    ['GET', `/agents/${id}/events`, undefined, { accept: 'text/event-stream', 'last-event-id': '3' }],
    ['GET', `/agents/${id}/messages`, undefined, {}],
    ['GET', `/agents/${id}/asks`, undefined, {}],
    ['GET', `/agents/${id}/asks?state=all`, undefined, {}],
    ['POST', `/agents/${id}/resume`, { input: freeText('stolen') }, {}],
    ['POST', `/agents/${id}/resume`, { input: freeText('stolen'), ask_id: 'q1' }, { 'idempotency-key': randomUUID() }],
    ['POST', `/agents/${id}/resume`, { input: { zzz: 1 } }, {}],
    ['POST', `/agents/${id}/cancel`, undefined, {}],
  ];
  const headersOf = (headers: Headers) => [...headers.keys()].filter((name) => !/^(date|x-ratelimit.*)$/.test(name));

  /** Each call gets the very reply that an id which never was gets: status, header names, body to the byte. */
  const expectUnknown = async (caller: DocumentedCaller, id: string) => {
    const never = calls(`run_${randomUUID().replace(/-/g, '')}`);
    for (const [index, [method, path, body, headers]] of calls(id).entries()) {
      const reply = await caller.call(method, path, body, headers);
      const unknown = await caller.call(method, never[index]?.[1] ?? '', body, headers);
      expect({ path, status: reply.status, text: reply.text, headers: headersOf(reply.headers) }).toEqual({
        path,
        status: 404,
        text: unknown.text,
        headers: headersOf(unknown.headers),
      });
      expect(reply.body.error).toBe('run_not_found');
    }
  };
  /** The history does not know that anybody asked. */
  const untouched = async (id: string) => {
    const types = await stack.historyTypes(id);
    expect(types).not.toContain('WorkflowExecutionSignaled');
    expect(types).not.toContain('WorkflowExecutionCancelRequested');
    return types;
  };

  test.each([
    ['a waiting run', () => root],
    ['its sub-agent', () => child],
    ['a run that has ended', () => ended],
  ])("another workspace's run is an unknown one on every route: %s", async (_name, id) => {
    await expectUnknown(rival, id());
    expect((await mine.read(id())).run_id).toBe(id());
  });

  test('and nothing has reached it: both still wait for their own people', async () => {
    await untouched(child);
    const records = await Promise.all([root, child].map((id) => mine.read(id)));
    expect(records.map(({ status }) => status)).toEqual(['awaiting_input', 'awaiting_input']);
    expect(await mine.pendingAsks(root)).toHaveLength(2);
  });

  test('no list of another workspace shows it, whatever is filtered by', async () => {
    for (const filter of ['', `root_run_id=${root}`, 'status=awaiting_input', 'agent=scripted', 'status=completed']) {
      const { body } = await rival.call<{ runs: RunRecord[] }>('GET', `/agents?limit=100&${filter}`);
      const ids = body.runs.map(({ run_id }) => run_id);
      expect(ids.filter((id) => [root, child, ended].includes(id))).toEqual([]);
    }
    const own = (await rival.start({ text: 'mine' })).run_id;
    const { body } = await rival.call<{ runs: RunRecord[] }>('GET', '/agents?limit=100');
    expect(body.runs.map(({ run_id }) => run_id)).toContain(own);
  });

  test('a workflow that is not a run is an unknown one on every route, and is never signalled', async () => {
    const before: [string, string[]][] = [];
    const options = { taskQueue: `nobody-${randomUUID()}` };
    // One of another program, one that looks like ours by its id, one with a memo of its own, one that has ended.
    const memos: Record<string, unknown>[] = [{}, {}, { holdpoint_run: 'x', other: 1 }, {}];
    const ids = [
      `foreign_${randomUUID()}`,
      `run_${randomUUID().replace(/-/g, '')}`,
      `memo_${randomUUID()}`,
      `gone_${randomUUID()}`,
    ];
    for (const [index, workflowId] of ids.entries()) {
      const handle = await stack.client.workflow.start('foreign', { ...options, workflowId, memo: memos[index] ?? {} });
      if (workflowId.startsWith('gone')) await handle.terminate('over');
      before.push([workflowId, await stack.historyTypes(workflowId)]);
    }
    for (const [id, types] of before) {
      await expectUnknown(mine, id);
      expect({ id, types: await stack.historyTypes(id) }).toEqual({ id, types });
    }
    const { body } = await mine.call<{ runs: RunRecord[] }>('GET', '/agents?limit=100');
    expect(body.runs.filter(({ run_id }) => ids.includes(run_id))).toEqual([]);
    for (const id of ids.slice(0, 3)) await stack.client.workflow.getHandle(id).terminate();
  });

  test('ids that the server itself would choke on are unknown runs', async () => {
    for (const id of ['a'.repeat(1_001), '😀', 'a b', '-', '_', 'temporal-sys-scheduler', 'A'.repeat(64)]) {
      const { status, body } = await mine.call('GET', `/agents/${encodeURIComponent(id)}`);
      expect({ id, status, error: body.error }).toEqual({ id, status: 404, error: 'run_not_found' });
    }
  });
});
