/** Runs that somebody starts with the Temporal CLI or another program, and what Temporal's Web UI shows of any run. */
import { randomUUID } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import { eventsOf } from '../support/history-facts';
import { failedTasks } from '../support/histories';
import { ApiCaller, TEST_KEYS } from '../support/http';
import { choice, delegate, effect, freeForm, freeText, pick, script } from '../support/scripts';
import { TestStack } from '../support/stack';

const HOME_KEY = 'home-key-00000000000';

/** What `__temporal_workflow_metadata` answers; the Web UI and the CLI read it. */
interface Metadata {
  definition: Record<'signalDefinitions' | 'queryDefinitions', { name: string; description?: string }[]>;
  currentDetails?: string;
}

describe('runs started by hand', () => {
  let stack: TestStack;
  let home: ApiCaller;
  beforeAll(async () => {
    const keys = [...TEST_KEYS, { name: 'home', key: HOME_KEY, workspace: 'default' }];
    stack = await TestStack.start({ app: { keys } });
    home = new ApiCaller(stack.api.url, HOME_KEY);
  });
  afterAll(() => stack.stop());

  /** `temporal workflow start --type agentRun --workflow-id … --input …`. */
  const byHand = async (...args: unknown[]) => {
    const workflowId = `by-hand-${randomUUID().slice(0, 8)}`;
    await stack.client.workflow.start('agentRun', { workflowId, taskQueue: stack.taskQueue, args });
    return workflowId;
  };
  const metadataOf = (runId: string) =>
    stack.client.workflow.getHandle(runId).query<Metadata>('__temporal_workflow_metadata');

  test('with agent and input alone it is a root run of workspace default: read, listed, answered', async () => {
    const runId = await byHand({ agent: 'scripted', input: script([freeForm(), delegate(script([]))]) });
    await home.call('GET', `/agents/${runId}`);
    const known = async () => (await home.call('GET', `/agents/${runId}`)).status === 200;
    while (!(await known())) await new Promise((resolve) => setTimeout(resolve, 25));
    expect(await home.untilWaiting(runId)).toMatchObject({
      run_id: runId,
      root_run_id: runId,
      parent_run_id: null,
      agent: 'scripted',
      on_question: 'pause',
      assignee: null,
      metadata: {},
    });
    expect((await stack.api.call('GET', `/agents/${runId}`)).status).toBe(404);
    const listed = async () => {
      const { body } = await home.call<{ runs: { run_id: string }[] }>('GET', '/agents?status=awaiting_input');
      return body.runs.some((run) => run.run_id === runId);
    };
    while (!(await listed())) await new Promise((resolve) => setTimeout(resolve, 25));
    expect((await home.resume(runId, freeText('by API'))).status).toBe(200);
    expect(await home.untilEnded(runId)).toMatchObject({ status: 'completed', result: { text: 'done' } });
    expect(await home.toolResults(runId, 'ask_a_human')).toEqual([{ answer: 'by API' }]);
    expect(await failedTasks(stack.client, runId)).toEqual([]);
  });

  test.each([
    ['nothing at all', []],
    ['null', [null]],
    ['a text', ['scripted']],
    ['a list', [[]]],
    ['no agent', [{ input: {} }]],
    ['an agent that is no text', [{ agent: 7, input: {} }]],
    ['an agent with a name too long for an attribute', [{ agent: 'a'.repeat(5_000), input: {} }]],
    ['an unknown mode', [{ agent: 'scripted', input: {}, run: { on_question: 'sometimes' } }]],
    ['ancestors that are none', [{ agent: 'scripted', input: {}, run: { ancestors: 'me' } }]],
    ['an identity that is none', [{ agent: 'scripted', input: {}, run: 'me' }]],
    ['metadata that is none', [{ agent: 'scripted', input: {}, run: { metadata: [] } }]],
  ])('a start with %s fails at once and says why, and its tasks do not', async (_what, args) => {
    const runId = await byHand(...args);
    await expect(stack.client.workflow.getHandle(runId).result()).rejects.toMatchObject({
      cause: { type: 'invalid_arguments', message: expect.stringMatching(/\w+/) },
    });
    expect(await failedTasks(stack.client, runId)).toEqual([]);
  });

  test('an agent that no worker has is a failed run with a readable code', async () => {
    const runId = await byHand({ agent: 'nobody', input: null });
    await expect(stack.client.workflow.getHandle(runId).result()).rejects.toMatchObject({
      cause: { type: 'unknown_agent' },
    });
    expect(await home.read(runId)).toMatchObject({
      status: 'failed',
      error: { code: 'unknown_agent', message: expect.stringContaining('scripted') },
    });
  });

  test('every signal and query says what it is for', async () => {
    const runId = await byHand({ agent: 'scripted', input: script([freeForm()]) });
    const { definition } = await metadataOf(runId);
    const described = (list: { name: string; description?: string }[]) =>
      list.filter(({ description }) => (description ?? '').length > 20).map(({ name }) => name);
    expect(described(definition.signalDefinitions).sort()).toEqual([
      'answer',
      'child_ask_closed',
      'child_needs_human',
      'claim',
      'release',
    ]);
    expect(described(definition.queryDefinitions)).toEqual(
      expect.arrayContaining(['run', 'events', 'asks', 'messages', 'answer_outcome']),
    );
    await stack.client.workflow.getHandle(runId).signal('answer', freeText('bye'));
  });

  test('current details show the question and how to answer it, and the state when nothing is asked', async () => {
    const { run_id } = await stack.api.start(script([delegate(script([choice('Lyon', 'Graz')]))]));
    const [child] = (await stack.api.until(run_id, (run) => run.children_awaiting.length === 1)).children_awaiting;
    const childId = child?.run_id ?? '';
    const details = (await metadataOf(childId)).currentDetails ?? '';
    for (const part of ['Which one?', '`q1_o2`: Graz', '`other`: Other', `/agents/${childId}/resume`]) {
      expect(details).toContain(part);
    }
    const [, input] = /--name answer --input '(.*)'/.exec(details) ?? [];
    expect((await metadataOf(run_id)).currentDetails).toContain(childId);
    // The command as shown works as shown.
    await stack.client.workflow.getHandle(childId).signal('answer', JSON.parse(input ?? ''));
    await stack.api.untilEnded(run_id);
    expect(await stack.api.toolResults(childId)).toEqual([{ answer: 'Lyon', option_id: 'q1_o1' }]);
    expect((await metadataOf(run_id)).currentDetails).toBe('Status: completed');
  });

  test('a run, its sub-agents and its activities carry a summary', async () => {
    const { run_id } = await stack.api.start(script([[effect('paid'), delegate(script([]))]]));
    await stack.api.untilEnded(run_id);
    const { EventType } = temporal.api.enums.v1;
    const summaries = (await eventsOf(stack.client, run_id))
      .filter(({ userMetadata }) => userMetadata?.summary)
      .map(({ eventType, userMetadata }) => [
        EventType[eventType ?? 0],
        JSON.parse(Buffer.from(userMetadata?.summary?.data ?? []).toString()),
      ]);
    expect(summaries).toEqual(
      expect.arrayContaining([
        ['EVENT_TYPE_WORKFLOW_EXECUTION_STARTED', 'agent scripted'],
        ['EVENT_TYPE_ACTIVITY_TASK_SCHEDULED', 'model turn 1'],
        ['EVENT_TYPE_ACTIVITY_TASK_SCHEDULED', 'record_effect paid'],
        ['EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED', 'sub-agent scripted'],
        ['EVENT_TYPE_ACTIVITY_TASK_SCHEDULED', 'model turn 2'],
      ]),
    );
  });

  test('a decline by raw signal reaches the agent', async () => {
    const { run_id } = await stack.api.start(script([choice('A', 'B')]));
    await stack.api.untilWaiting(run_id);
    await stack.client.workflow.getHandle(run_id).signal('answer', { kind: 'decline', reason: 'not my call' });
    await stack.api.untilEnded(run_id);
    expect(await stack.api.toolResults(run_id)).toEqual([
      { skipped: true, reason: 'human_declined', message: 'not my call' },
    ]);
    expect((await stack.api.resume(run_id, pick('q1_o1'))).status).toBe(409);
  });
});
