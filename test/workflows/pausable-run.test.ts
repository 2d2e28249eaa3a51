/** Workflows of a team's own, made runs by `pausableRun`: everything that a run is, and nothing of theirs changed. */
import { WorkflowFailedError } from '@temporalio/client';
import { startMemo } from '../../workflows/contract';
import { freeForm, freeText, pick, script, writeIn, delegate } from '../support/scripts';
import { eventually } from '../support/http';
import { historyTypes } from '../support/stack';
import { bundleOf, LIBRARY_KEYS, LibraryStack } from '../support/library/stack';

describe('pausableRun', () => {
  let stack: LibraryStack;
  beforeAll(async () => {
    stack = await LibraryStack.start(await bundleOf(require.resolve('../support/library/workflows')));
  });
  afterAll(() => stack.stop());
  const types = async (runId: string) => (await stack.api.events(runId)).map(({ type }) => type);
  const noFailedTasks = async (runId: string) =>
    expect(await historyTypes(stack.client, runId)).not.toContain('WorkflowTaskFailed');

  test("a workflow that a team's own client starts is read, answered and listed like any run", async () => {
    const runId = await stack.begin('approveInvoice', [{ id: 'INV-1', amount: 21 }]);
    const waiting = await stack.api.untilWaiting(runId);
    expect(waiting).toMatchObject({
      run_id: runId,
      root_run_id: runId,
      parent_run_id: null,
      agent: 'approveInvoice',
      on_question: 'pause',
      assignee: 'INV-1@contoso.com',
      metadata: { team: 'billing' },
      pending_input_type: 'ask_human',
      pending_input_context: {
        ask_id: 'q1',
        question: 'Approve INV-1 over 42?',
        context: 'From **billing**.',
        options: [
          { id: 'q1_o1', label: 'Approve' },
          { id: 'q1_o2', label: 'Reject' },
          { id: 'other', label: 'Other' },
        ],
      },
    });
    expect((await stack.api.resume(runId, pick('q2_o1'))).status).toBe(422);
    expect((await stack.api.resume(runId, pick('q1_o1'))).status).toBe(200);
    const expected = { outcome: 'Approve', option_id: 'q1_o1', total: 42 };
    // What a team's client gets is what the function returned, and no more.
    expect(await stack.result(runId)).toEqual(expected);
    expect(await stack.api.untilEnded(runId)).toMatchObject({ status: 'completed', result: expected, error: null });
    expect(await types(runId)).toEqual([
      'run.started',
      'step.started',
      'step.completed',
      'app.invoice.fetched',
      'step.started',
      'ask.opened',
      'step.paused',
      'ask.answered',
      'step.completed',
      'run.completed',
    ]);
    const events = await stack.api.events(runId);
    expect(events[1]?.data).toEqual({ step_id: 'fetch', name: 'Fetch invoice', status: 'running' });
    expect(events[3]?.data).toEqual({ total: 42 });
    expect(await stack.api.toolResults(runId)).toEqual([{ answer: 'Approve', option_id: 'q1_o1' }]);
    const listed = async () => {
      const { body } = await stack.api.call<{ runs: { run_id: string }[] }>('GET', '/agents?agent=approveInvoice');
      return body.runs.some((run) => run.run_id === runId);
    };
    expect(await eventually(listed)).toBe(true);
    await noFailedTasks(runId);
  });

  test('its starter may say who it is for, in the memo; another workspace sees nothing of it', async () => {
    const memo = startMemo({ workspace: 'rival', assignee: 'kim@rival.com', metadata: { a: 1 } });
    const runId = await stack.begin('approveInvoice', [{ id: 'INV-2', amount: 1 }], { memo });
    const rival = new (stack.api.constructor as new (...args: unknown[]) => typeof stack.api)(
      stack.api.url,
      LIBRARY_KEYS[1]?.key,
    );
    const seen = async () => (await rival.call('GET', `/agents/${runId}`)).body.status === 'awaiting_input';
    expect(await eventually(seen)).toBe(true);
    expect(await rival.read(runId)).toMatchObject({ assignee: 'kim@rival.com', metadata: { a: 1 } });
    expect((await stack.api.call('GET', `/agents/${runId}`)).status).toBe(404);
    expect((await stack.api.resume(runId, pick('q1_o1'))).status).toBe(404);
    expect((await rival.resume(runId, writeIn('ask finance'))).status).toBe(200);
    expect(await stack.result(runId)).toEqual({ outcome: 'ask finance', option_id: 'other', total: 2 });
  });

  test('a malformed memo is a failed workflow with a readable message, not one that is tried for ever', async () => {
    const memo = startMemo({ on_question: 'maybe' as 'auto' });
    const runId = await stack.begin('asks', [{}], { memo });
    await expect(stack.result(runId)).rejects.toMatchObject({ cause: { type: 'invalid_arguments' } });
    await noFailedTasks(runId);
  });

  test('on_question is honoured, and arguments of unknown shape are judged', async () => {
    const ask = { kind: 'free_form', question: 'Well?' };
    const results = { none: { error: 'no_human_in_loop' }, auto: { skipped: true, reason: 'on_question_auto' } };
    for (const mode of ['none', 'auto'] as const) {
      const runId = await stack.begin('asks', [ask], { memo: startMemo({ on_question: mode }) });
      expect(await stack.result(runId)).toEqual(results[mode]);
      expect(await stack.api.read(runId)).toMatchObject({ status: 'completed', on_question: mode });
    }
    expect(await stack.result(await stack.begin('asks', [{ kind: 'free_form', question: ' ' }]))).toMatchObject({
      error: 'invalid_question',
    });
  });

  test('POST /agents starts it under the name of an agent, in the workspace of the key', async () => {
    const reply = await stack.api.call('POST', '/agents', {
      agent: 'invoices',
      input: { id: 'INV-3', amount: 3 },
      assignee: 'sam@contoso.com',
    });
    expect(reply.status).toBe(201);
    const runId = String(reply.body.run_id);
    expect(await stack.api.untilWaiting(runId)).toMatchObject({ agent: 'invoices', assignee: 'sam@contoso.com' });
    expect((await stack.api.resume(runId, pick('q1_o2'))).status).toBe(200);
    expect((await stack.api.untilEnded(runId)).result).toMatchObject({ outcome: 'Reject', total: 6 });
  });

  test('questions climb from an agent and from a workflow to the workflow that delegated to both', async () => {
    const agentInput = script([delegate(script([freeForm('Deep?')]))]);
    const runId = await stack.begin('coordinator', [{ agentInput, invoice: { id: 'INV-4', amount: 2 } }]);
    const waiting = await stack.api.until(
      runId,
      (run) => run.status === 'awaiting_input' && run.children_awaiting.length === 2,
    );
    const asks = await stack.api.call<{ asks: { run_id: string; question: string }[] }>('GET', `/agents/${runId}/asks`);
    expect(asks.body.asks.map(({ question }) => question).sort()).toEqual([
      'And you?',
      'Approve INV-4 over 4?',
      'Deep?',
    ]);
    for (const { run_id, question } of asks.body.asks) {
      expect((await stack.api.read(run_id)).root_run_id).toBe(runId);
      const answer = question.startsWith('Approve') ? pick('q1_o1') : freeText('yes');
      expect((await stack.api.resume(run_id, answer)).status).toBe(200);
    }
    expect(waiting.children_awaiting).toHaveLength(2);
    const ended = await stack.api.untilEnded(runId);
    expect(ended.result).toMatchObject({
      agent: { result: { text: 'done' } },
      own: { answer: 'yes' },
      invoice: { result: { outcome: 'Approve', total: 4 } },
    });
    const seen = await types(runId);
    expect(seen.filter((type) => type === 'child_needs_human')).toHaveLength(2);
    expect(seen.filter((type) => type === 'child.completed')).toHaveLength(2);
  });

  test('an agent delegates to a workflow, whose question is seen at the agent', async () => {
    const { run_id } = await stack.api.start(
      script([{ tool: 'delegate', args: { agent: 'invoices', input: { id: 'INV-5', amount: 5 } } }]),
    );
    const [child] = (await stack.api.until(run_id, (run) => run.children_awaiting.length === 1)).children_awaiting;
    expect(await stack.api.read(child?.run_id ?? '')).toMatchObject({ agent: 'invoices', parent_run_id: run_id });
    expect((await stack.api.resume(child?.run_id ?? '', pick('q1_o1'))).status).toBe(200);
    await stack.api.untilEnded(run_id);
    expect(await stack.api.toolResults(run_id)).toEqual([
      { child_run_id: child?.run_id, result: { outcome: 'Approve', option_id: 'q1_o1', total: 10 } },
    ]);
  });

  test("a team's own signals and queries work beside; continue-as-new keeps the run, its asks and its events", async () => {
    const runId = await stack.begin('ownHandlers', []);
    await stack.api.untilWaiting(runId, 'q1');
    const handle = stack.client.workflow.getHandle(runId);
    expect((await stack.api.resume(runId, freeText('one'))).status).toBe(200);
    await stack.api.untilWaiting(runId, 'q2');
    const before = await stack.api.events(runId);
    expect(before.map(({ id }) => id)).toEqual(before.map((_event, at) => at + 1));
    expect(before.map(({ type }) => type)).toContain('app.round.over');
    expect((await stack.api.resume(runId, freeText('two'))).status).toBe(200);
    await handle.signal('note', 'hello');
    expect(await handle.query('notes')).toEqual(['hello']);
    const ended = await stack.api.untilEnded(runId);
    expect(ended.result).toMatchObject({ round: 2, answer: { answer: 'two' }, notes: ['hello'], late: 'too late' });
    const all = await stack.api.call<{ asks: { ask_id: string; state: string }[] }>(
      'GET',
      `/agents/${runId}/asks?state=all`,
    );
    expect(all.body.asks.map(({ ask_id, state }) => [ask_id, state])).toEqual([
      ['q1', 'answered'],
      ['q2', 'answered'],
      ['q3', 'withdrawn'],
    ]);
    await noFailedTasks(runId);
  });

  describe('its end', () => {
    const begun = (how: string) => stack.begin('ends', [how]);

    test.each([
      ['fails', 'broke', 'no money left'],
      ['step fails', 'refused', 'card refused'],
      ['bad event', 'invalid_event', expect.stringContaining('dotted words')],
    ])('%s: the record tells it, and its client gets the failure as it was thrown', async (how, code, message) => {
      const runId = await begun(how);
      const failure = await stack.result(runId).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(WorkflowFailedError);
      expect((failure as WorkflowFailedError).cause).toMatchObject({ type: code, message });
      expect(await stack.api.read(runId)).toMatchObject({ status: 'failed', error: { code, message } });
      expect((await types(runId)).at(-1)).toBe('run.failed');
      await noFailedTasks(runId);
    });

    test('cancelled while it waits for a person, and within a step', async () => {
      for (const how of ['asks', 'waits']) {
        const runId = await begun(how);
        const event = how === 'asks' ? 'step.paused' : 'step.started';
        await eventually(async () => (await types(runId)).includes(event));
        expect((await stack.api.call('POST', `/agents/${runId}/cancel`)).status).toBe(202);
        expect(await stack.api.untilEnded(runId)).toMatchObject({ status: 'cancelled', pending_input_context: null });
        const { status } = await stack.client.workflow.getHandle(runId).describe();
        expect(status.name).toBe('CANCELLED');
        expect((await types(runId)).at(-1)).toBe('run.cancelled');
        if (how === 'asks') expect(await types(runId)).toContain('ask.withdrawn');
      }
    });

    test('a workflow that makes up for its cancellation completes with what it did', async () => {
      const runId = await begun('compensates');
      await stack.api.untilWaiting(runId);
      await stack.client.workflow.getHandle(runId).cancel();
      expect(await stack.result(runId)).toBe(42);
      expect(await stack.api.untilEnded(runId)).toMatchObject({ status: 'completed', result: 42 });
      expect(await types(runId)).toContain('ask.withdrawn');
    });

    test('a large result is whole for its client and cut in the record; none at all is null', async () => {
      const large = await begun('large');
      expect(await stack.result(large)).toHaveLength(600_000);
      expect((await stack.api.untilEnded(large)).result).toMatchObject({ cut: true });
      const nothing = await begun('nothing');
      expect((await stack.api.untilEnded(nothing)).result).toBeNull();
    });
  });

  test('steps of one id are told apart, and events of its own are bounded', async () => {
    const runId = await stack.begin('loops', []);
    expect(await stack.result(runId)).toBe(runId);
    const events = await stack.api.events(runId);
    const steps = events.filter(({ type }) => type === 'step.started').map(({ data }) => data.step_id);
    expect(steps).toEqual(['check', 'check-2', 'check-3']);
    const own = events.find(({ type }) => type === 'app.big');
    expect(own?.data).toMatchObject({ cut: true, note: expect.stringContaining('bytes') });
    expect(JSON.stringify(own).length).toBeLessThan(20_000);
  });
});
