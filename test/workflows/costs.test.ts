/** What a run costs, in things that can be counted: history events, workflow tasks, calls to Temporal, signals. */
import { CountingClient } from '../support/counting-client';
import { eventsOf, signalsOf, workflowTasksOf } from '../support/history-facts';
import { eventually } from '../support/http';
import { MissionControl } from '../support/mission-control';
import { choice, delegate, freeForm, freeText, pick, script } from '../support/scripts';
import { StreamReader } from '../support/sse';
import { TestStack } from '../support/stack';

describe('costs', () => {
  let counting: CountingClient;
  let stack: TestStack;
  beforeAll(async () => {
    counting = await CountingClient.connect();
    stack = await TestStack.start({ app: { client: counting.client } });
  });
  afterAll(async () => {
    await stack.stop();
    await counting.close();
  });

  const paused = async () => {
    const { run_id } = await stack.api.start(script([choice('A', 'B')]));
    await stack.api.untilWaiting(run_id);
    return run_id;
  };

  test('a run with one ask has at most 26 history events and 4 workflow tasks', async () => {
    const runId = await paused();
    expect((await stack.api.resume(runId, pick('q1_o1'))).status).toBe(200);
    expect((await stack.api.untilEnded(runId)).status).toBe('completed');
    expect((await eventsOf(stack.client, runId)).length).toBeLessThanOrEqual(26);
    expect(await workflowTasksOf(stack.client, runId)).toBeLessThanOrEqual(4);
  });

  test('reading a paused run is one call to Temporal, and no worker hears of it', async () => {
    const runId = await paused();
    const before = await eventsOf(stack.client, runId);
    const calls = await counting.during(async () => {
      for (let k = 0; k < 10; k += 1) await stack.api.read(runId);
    });
    expect(calls).toEqual(Array.from({ length: 10 }, () => 'DescribeWorkflowExecution'));
    expect(await eventsOf(stack.client, runId)).toHaveLength(before.length);
  });

  test('Mission Control polling a run that waits is one call, two when a sub-agent asks, and no worker hears of it', async () => {
    const amc = new MissionControl(stack.api);
    const runId = await paused();
    const { run_id: parent } = await stack.api.start(script([delegate(script([freeForm()]))]));
    for (const run of [runId, parent]) await amc.untilWaiting(run);
    // What is not over yet when it is first seen to wait, such as the end of a workflow task, is over by now.
    for (const run of [runId, parent]) await amc.status(run);
    const calls = await counting.during(async () => {
      for (let k = 0; k < 5; k += 1) {
        expect((await amc.status(runId)).totalSteps).toBe(2);
        expect((await amc.status(parent)).totalSteps).toBe(2);
      }
    });
    expect(calls).toEqual(Array.from({ length: 15 }, () => 'DescribeWorkflowExecution'));
  });

  test('a resume is at most three calls to Temporal: describe, signal, verdict', async () => {
    const runId = await paused();
    const calls = await counting.during(async () => {
      expect((await stack.api.resume(runId, pick('q1_o2'))).status).toBe(200);
    });
    expect(calls).toEqual(['DescribeWorkflowExecution', 'SignalWorkflowExecution', 'QueryWorkflow']);
  });

  test('a refused answer is one call to Temporal and adds nothing to the history', async () => {
    const runId = await paused();
    const before = await eventsOf(stack.client, runId);
    const calls = await counting.during(async () => {
      expect((await stack.api.resume(runId, pick('q9_o9'))).status).toBe(422);
    });
    expect(calls).toEqual(['DescribeWorkflowExecution']);
    expect(await eventsOf(stack.client, runId)).toHaveLength(before.length);
  });

  test('a claim is three calls to Temporal, five events and one workflow task; the answer after it costs what it did', async () => {
    const runId = await paused();
    const before = (await eventsOf(stack.client, runId)).length;
    const tasks = await workflowTasksOf(stack.client, runId);
    const calls = await counting.during(async () => {
      const reply = await stack.api.call('POST', `/agents/${runId}/claim`, { ask_id: 'q1' });
      expect(reply.status).toBe(200);
    });
    expect(calls).toEqual(['DescribeWorkflowExecution', 'SignalWorkflowExecution', 'QueryWorkflow']);
    expect((await eventsOf(stack.client, runId)).length - before).toBeLessThanOrEqual(5);
    expect((await workflowTasksOf(stack.client, runId)) - tasks).toBe(1);
    const answering = await counting.during(async () => {
      expect((await stack.api.resume(runId, pick('q1_o2'))).status).toBe(200);
    });
    expect(answering).toEqual(['DescribeWorkflowExecution', 'SignalWorkflowExecution', 'QueryWorkflow']);
  });

  test('watchers of a run share one long poll, and idle ones wake no worker', async () => {
    const runId = await paused();
    const polls = (calls: string[]) => calls.filter((call) => call === 'GetWorkflowExecutionHistory').length;
    const first = await StreamReader.open(stack.api, runId);
    await first.until((reader) => reader.types.includes('step.paused'));
    // The long poll that now waits for news is the last one until there is some.
    await eventually(() => polls(counting.calls) >= 2);
    const watchers: StreamReader[] = [first];
    const joining = await counting.during(async () => {
      for (let k = 0; k < 20; k += 1) {
        const watcher = await StreamReader.open(stack.api, runId);
        watchers.push(watcher);
        await watcher.until((reader) => reader.types.includes('step.paused'));
      }
    });
    expect(polls(joining)).toBeLessThanOrEqual(1);

    const before = await eventsOf(stack.client, runId);
    const idle = await counting.during(() => new Promise((resolve) => setTimeout(resolve, 3_000)));
    expect(idle.filter((call) => call !== 'GetWorkflowExecutionHistory')).toEqual([]);
    expect(polls(idle)).toBeLessThanOrEqual(1);
    expect(await eventsOf(stack.client, runId)).toHaveLength(before.length);

    const tasks = await workflowTasksOf(stack.client, runId);
    const news = await counting.during(async () => {
      expect((await stack.api.resume(runId, pick('q1_o1'))).status).toBe(200);
      for (const watcher of watchers) await watcher.until((reader) => reader.ended);
    });
    // One question to the workflow for each of its steps and the verdict, not one for each of 21 watchers.
    const steps = (await workflowTasksOf(stack.client, runId)) - tasks;
    expect(news.filter((call) => call === 'QueryWorkflow').length).toBeLessThanOrEqual(2 + 2 * steps);
    for (const watcher of watchers) expect(watcher.ids).toEqual(first.ids);
    expect(first.types.at(-1)).toBe('run.completed');
  });

  test("a sub-agent's ask is one signal to each run above it, and its close another one", async () => {
    const { run_id: root } = await stack.api.start(
      script([delegate(script([delegate(script([delegate(script([freeForm()]))]))]))]),
    );
    const { children_awaiting } = await stack.api.until(root, (run) => run.children_awaiting.length === 1);
    const asker = children_awaiting[0]?.run_id ?? '';
    const line = [root];
    for (let runId = asker; runId !== root;) {
      const { parent_run_id } = await stack.api.read(runId);
      if (parent_run_id !== root) line.push(parent_run_id ?? '');
      runId = parent_run_id ?? root;
    }
    expect(line).toHaveLength(3);
    for (const runId of line) {
      await stack.api.until(runId, (run) => run.children_awaiting.length === 1);
      expect(await signalsOf(stack.client, runId)).toEqual(['child_needs_human']);
    }
    expect((await stack.api.resume(asker, freeText('yes'))).status).toBe(200);
    expect((await stack.api.untilEnded(root)).status).toBe('completed');
    for (const runId of line) {
      expect(await signalsOf(stack.client, runId)).toEqual(['child_needs_human', 'child_ask_closed']);
    }
    expect(await signalsOf(stack.client, asker)).toEqual(['answer']);
  });
});
