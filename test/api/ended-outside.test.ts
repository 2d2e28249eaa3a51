/**
 * CONTRACT §3 and §6: a run that was terminated or timed out could not write its own end. Its ask is withdrawn and it has
 * failed all the same, on every route, and its stream says so.
 */
import { randomUUID } from 'node:crypto';
import { runEventSchema, WORKFLOW_TYPE, type EventPage, type RunRecord } from '../../workflows/contract';
import { expectNotWaiting, NOTHING_PENDING, openSteps } from '../support/checks';
import { DocumentedCaller } from '../support/documented';
import { eventually } from '../support/http';
import { delegate, freeForm, freeText, script, sleep } from '../support/scripts';
import { StreamReader } from '../support/sse';
import { TestStack } from '../support/stack';

describe('a run that was ended from outside', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = await DocumentedCaller.of(stack.api);
  });
  afterAll(() => stack.stop());

  const terminate = async (input: unknown, waits: boolean) => {
    const { run_id } = await api.start(input);
    const stream = await StreamReader.open(stack.api, run_id);
    if (waits) await api.untilWaiting(run_id);
    await stream.until(({ types }) => types.includes(waits ? 'step.paused' : 'step.started'));
    await stack.client.workflow.getHandle(run_id).terminate('by hand');
    return { run_id, stream };
  };
  /** Started by hand with a time limit, as another program would. */
  const timeOut = async () => {
    const run_id = `late_${randomUUID()}`;
    const run = { workspace: 'acme' };
    await stack.client.workflow.start(WORKFLOW_TYPE, {
      workflowId: run_id,
      taskQueue: stack.taskQueue,
      workflowExecutionTimeout: '4 seconds',
      args: [{ agent: 'scripted', input: script([freeForm()]), run }],
    });
    const known = async () => (await api.call('GET', `/agents/${run_id}`)).status === 200;
    expect(await eventually(known)).toBe(true);
    const stream = await StreamReader.open(stack.api, run_id);
    await api.untilWaiting(run_id);
    return { run_id, stream };
  };

  const expectEnded = async (run_id: string, stream: StreamReader, code: string, askId: string | null) => {
    const record = await api.untilEnded(run_id);
    expect(record).toMatchObject({
      status: 'failed',
      error: { code, message: expect.any(String) },
      ...NOTHING_PENDING,
    });
    expect(record.ended_at).not.toBeNull();
    expect(record.active_ms + record.waiting_ms).toBe(
      Date.parse(record.ended_at ?? '') - Date.parse(record.created_at),
    );

    await stream.until(({ ended }) => ended);
    const events = await api.events(run_id);
    // On the stream and in the page alike, with ids that go on.
    expect(stream.frames.map(({ data }) => data)).toEqual(events);
    expect(events.map(({ id }) => id)).toEqual(events.map((_event, index) => index + 1));
    for (const event of events) expect(runEventSchema.safeParse(event).success).toBe(true);
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => /^run\./.test(type))).toEqual(['run.started', 'run.failed']);
    expect(types.at(-1)).toBe('run.failed');
    expect(events.at(-1)?.data).toEqual({ error: record.error });
    const withdrawn = events.filter(({ type }) => type === 'ask.withdrawn').map(({ data }) => data.ask_id);
    expect(withdrawn).toEqual(askId === null ? [] : [askId]);
    if (askId !== null) expect(openSteps(events)).not.toContain(askId);

    // Pages of any size agree, and each cursor leads on to the end, once.
    for (const limit of [1, 3]) {
      const found: unknown[] = [];
      for (let after = 0, more = true; more;) {
        const path = `/agents/${run_id}/events?after=${after}&limit=${limit}`;
        const { body } = await api.call<EventPage>('GET', path);
        expect(body.events.length).toBeLessThanOrEqual(limit);
        expect(body.last_event_id).toBe(events.length);
        found.push(...body.events);
        after = body.events.at(-1)?.id ?? after;
        more = body.has_more;
        expect({ limit, found: found.length, more }).toEqual({ limit, found: after, more: after < events.length });
      }
      expect({ limit, found }).toEqual({ limit, found: events });
    }
    const behind = await api.call<EventPage>('GET', `/agents/${run_id}/events?after=${events.length}&limit=1`);
    expect(behind.body).toMatchObject({ events: [], has_more: false });
    const ahead = await api.call<EventPage>('GET', `/agents/${run_id}/events?after=${events.length + 1}`);
    expect(ahead.body.events[0]?.type).toBe('stream.reset');
    expect(ahead.body.events.slice(1)).toEqual(events);
    const resumed = await StreamReader.open(stack.api, run_id, String(events.length - 1));
    await resumed.until(({ ended }) => ended);
    expect(resumed.frames.map(({ data }) => data)).toEqual(events.slice(-1));
    const over = { accept: 'text/event-stream', 'last-event-id': String(events.length) };
    expect((await api.call('GET', `/agents/${run_id}/events`, undefined, over)).status).toBe(204);
    expectNotWaiting(await api.resume(run_id, freeText('too late')));
    expect((await api.call('POST', `/agents/${run_id}/cancel`)).body).toMatchObject({ status: 'failed' });
    expect(await api.pendingAsks(run_id)).toEqual([]);
    const { body } = await api.call<{ asks: { ask_id: string; state: string }[] }>(
      'GET',
      `/agents/${run_id}/asks?state=all`,
    );
    expect(body.asks.map(({ ask_id, state }) => [ask_id, state])).toEqual(askId === null ? [] : [[askId, 'withdrawn']]);
  };

  test('terminated while it waits', async () => {
    const { run_id, stream } = await terminate(script([freeForm()]), true);
    await expectEnded(run_id, stream, 'terminated', 'q1');
  });

  test('terminated while it works', async () => {
    const { run_id, stream } = await terminate(script([sleep(60_000)]), false);
    await expectEnded(run_id, stream, 'terminated', null);
  });

  test('timed out while it waits', async () => {
    const { run_id, stream } = await timeOut();
    await expectEnded(run_id, stream, 'timed_out', 'q1');
  });

  test("a sub-agent that was terminated is a tool error to its caller, and its ask is gone from the caller's lists", async () => {
    const { run_id: root } = await api.start(script([delegate(script([freeForm()]))]));
    const { children_awaiting } = await api.until(root, (run) => run.children_awaiting.length === 1);
    const child = children_awaiting[0]?.run_id ?? '';
    await stack.client.workflow.getHandle(child).terminate('by hand');
    // At once, and not only when the caller has heard.
    expect((await api.read(root)).children_awaiting).toEqual([]);
    expect(await api.pendingAsks(root)).toEqual([]);
    expect((await api.untilEnded(root)).status).toBe('completed');
    const [result] = (await api.toolResults(root, 'delegate')) as { error?: unknown }[];
    expect(result).toMatchObject({ error: expect.anything() });
    const types = (await api.events(root)).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['child_needs_human', 'child_ask_closed', 'child.failed']));
  });

  test('when a caller is terminated its sub-agents are cancelled, and every ask of the conversation is withdrawn', async () => {
    const { run_id: root } = await api.start(script([[delegate(script([freeForm()])), freeForm()]]));
    const { children_awaiting } = await api.until(root, (run) => run.children_awaiting.length === 1);
    const child = children_awaiting[0]?.run_id ?? '';
    await api.untilWaiting(root);
    await stack.client.workflow.getHandle(root).terminate('by hand');
    expect((await api.untilEnded(child)).status).toBe('cancelled');
    expect(await api.pendingAsks(root)).toEqual([]);
    const { body } = await api.call<{ asks: { state: string }[] }>('GET', `/agents/${root}/asks?state=all`);
    expect(body.asks.map(({ state }) => state)).toEqual(['withdrawn', 'withdrawn']);
    const { body: list } = await api.call<{ runs: RunRecord[] }>(
      'GET',
      `/agents?root_run_id=${root}&status=awaiting_input`,
    );
    expect(list.runs).toEqual([]);
  });

  test('terminated before any worker had come: there is an end to read, and nothing that hangs', async () => {
    await stack.stopWorker();
    const { run_id } = await api.start(script([freeForm()]));
    await stack.client.workflow.getHandle(run_id).terminate('by hand');
    await stack.startWorker();
    expect(await api.read(run_id)).toMatchObject({ status: 'failed', error: { code: 'terminated' } });
    const events = await api.events(run_id);
    expect(events.map(({ id, type }) => [id, type])).toEqual([[1, 'run.failed']]);
    const stream = await StreamReader.open(stack.api, run_id);
    await stream.until(({ ended }) => ended);
    expect(stream.frames.map(({ data }) => data)).toEqual(events);
    for (const path of ['/messages', '/asks', '/asks?state=all']) {
      expect((await api.call('GET', `/agents/${run_id}${path}`)).status).toBe(200);
    }
  });
});
