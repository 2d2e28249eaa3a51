/** C16 of CASES.md: idle stream dropped, closed stream leaks. */
import net from 'node:net';
import { CountingClient } from '../support/counting-client';
import { failedTasks } from '../support/histories';
import { eventually } from '../support/http';
import { ProcessStack } from '../support/processes';
import { choice, freeForm, freeText, pick, script } from '../support/scripts';
import { StreamReader } from '../support/sse';
import { TestStack } from '../support/stack';

const LONG_POLL = 'GetWorkflowExecutionHistory';

describe('C16 streams that are closed', () => {
  let stack: TestStack;
  let temporal: CountingClient;
  beforeAll(async () => {
    temporal = await CountingClient.connect();
    stack = await TestStack.start({ app: { client: temporal.client } });
  });
  afterAll(async () => {
    await stack.stop();
    await temporal.close();
  });

  const connections = () =>
    new Promise<number>((resolve, reject) =>
      stack.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );

  /** Calls to Temporal while nothing happens for a while. */
  const callsAtRest = () => temporal.during(() => new Promise((resolve) => setTimeout(resolve, 2_000)));

  async function pausedRun(): Promise<string> {
    const { run_id } = await stack.api.start(script([freeForm()]));
    await stack.api.untilWaiting(run_id);
    return run_id;
  }

  test('200 streams, over one run and over many, leave no connection, no poll and no query behind', async () => {
    const runs = await Promise.all(Array.from({ length: 8 }, pausedRun));
    const one = runs[0] as string;
    const baseline = await connections();
    const readers = await Promise.all(
      Array.from({ length: 200 }, (_, k) => StreamReader.open(stack.api, k < 100 ? one : (runs[k % 8] as string))),
    );
    for (const reader of readers) await reader.until(({ types }) => types.includes('step.paused'));
    expect(readers.every(({ status }) => status === 200)).toBe(true);
    expect(await connections()).toBeGreaterThanOrEqual(200);
    // One poll a run, however many watch it, and idle watchers ask nothing.
    expect(await eventually(() => temporal.inFlight(LONG_POLL) === 8, 5)).toBe(true);
    expect(await callsAtRest()).toEqual([]);

    for (const reader of readers) reader.drop();
    expect(await eventually(async () => (await connections()) <= baseline, 5)).toBe(true);
    expect(await eventually(() => temporal.inFlight(LONG_POLL) === 0, 5)).toBe(true);
    expect(await callsAtRest()).toEqual([]);

    // And the runs are watched again as if nothing had been.
    const again = await StreamReader.open(stack.api, one);
    await stack.api.resume(one, freeText('done'));
    await again.until(({ ended }) => ended);
    expect(again.types.at(-1)).toBe('run.completed');
    expect(await failedTasks(stack.client, ...runs)).toEqual([]);
  });

  test('clients that leave before, or just after, the head of the reply leave nothing behind', async () => {
    const runId = await pausedRun();
    const baseline = await connections();
    const { port } = new URL(stack.api.url);
    const head = [
      `GET /api/platform/v1/agents/${runId}/events HTTP/1.1`,
      'host: test',
      `authorization: Bearer ${stack.api.key}`,
      'accept: text/event-stream',
    ];
    for (let k = 0; k < 60; k += 1) {
      const socket = net.connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      await new Promise((resolve) => socket.once('connect', resolve));
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      // From at once to some milliseconds later: before, during and after the look-up.
      await new Promise((resolve) => setTimeout(resolve, k % 20));
      socket.resetAndDestroy();
    }
    expect(await eventually(async () => (await connections()) <= baseline, 5)).toBe(true);
    expect(await eventually(() => temporal.inFlight(LONG_POLL) === 0, 5)).toBe(true);
    expect(await callsAtRest()).toEqual([]);
    expect(await failedTasks(stack.client, runId)).toEqual([]);
  });
});

describe('C16 streams of a process of its own', () => {
  const stack = new ProcessStack();
  beforeAll(async () => {
    await stack.startTemporal();
    await stack.startWorker();
  });
  afterAll(() => stack.stop());

  test('a run that waits for a person keeps its stream alive, and SIGTERM ends the API within 10 s', async () => {
    const { program, api } = await stack.startApi();
    const { run_id } = await api.start(script([freeForm()]));
    await api.untilWaiting(run_id);
    const reader = await StreamReader.open(api, run_id);
    await reader.until(({ types }) => types.includes('step.paused'));
    await reader.until(({ comments }) => comments >= 2, 45);
    expect(reader.ended).toBe(false);

    // Beside the stream: a request that was begun and is never ended, and a kept-alive connection.
    const { port } = new URL(api.url);
    const halfSent = net.connect(Number(port), '127.0.0.1');
    halfSent.on('error', () => undefined);
    halfSent.write(`POST /api/platform/v1/agents HTTP/1.1\r\nhost: test\r\n`);
    await api.read(run_id);

    const exit = program.terminate();
    const late = new Promise((resolve) => setTimeout(resolve, 10_000, 'still running').unref());
    expect(await Promise.race([exit, late])).toBe(0);
    expect(await eventually(() => reader.ended, 5)).toBe(true);
    halfSent.destroy();

    // The run knows nothing of it: another API picks the stream up where it was.
    const next = await stack.startApi();
    const resumed = await StreamReader.open(next.api, run_id, String(reader.ids.at(-1)));
    await next.api.resume(run_id, freeText('still here'));
    await resumed.until(({ ended }) => ended);
    expect(resumed.ids[0]).toBe((reader.ids.at(-1) ?? 0) + 1);
    const client = await stack.client();
    expect(await failedTasks(client, run_id)).toEqual([]);
    await client.connection.close();
  });

  test('a long watch of a busy run piles nothing up in the process', async () => {
    const { program, api } = await stack.startApi();
    const { run_id } = await api.start(script(Array.from({ length: 8 }, () => choice('A', 'B'))));
    const reader = await StreamReader.open(api, run_id);
    for (let k = 1; k <= 8; k += 1) {
      await api.untilWaiting(run_id, `q${k}`);
      expect((await api.resume(run_id, pick(`q${k}_o1`))).status).toBe(200);
    }
    await reader.until(({ ended }) => ended);
    expect(reader.types.at(-1)).toBe('run.completed');
    expect(await program.terminate()).toBe(0);
    // Node tells of listeners that pile up on its standard error.
    expect(program.output).not.toMatch(/MaxListenersExceeded|leak/i);
  });
});
