/** SIGTERM to each process, and an API that is up before its Temporal server is. */
import http from 'node:http';
import net from 'node:net';
import { ApiCaller, eventually, TEST_KEYS } from '../support/http';
import { ProcessStack, Program } from '../support/processes';
import { freeForm, freeText, script, sleep } from '../support/scripts';
import { StreamReader } from '../support/sse';

/** CONTRACT §12: a stop takes at most this long, and §5: so does any call. */
const LIMIT_MS = 10_000;

async function freePort(): Promise<number> {
  const probe = net.createServer();
  const port = await new Promise<number>((resolve) =>
    probe.listen(0, '127.0.0.1', () => resolve((probe.address() as net.AddressInfo).port)),
  );
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

describe('a process that is told to stop', () => {
  const stack = new ProcessStack();
  beforeAll(() => stack.startTemporal());
  afterAll(() => stack.stop());

  /** SIGTERM; resolves to the exit code, or to a word when it is not gone in time. */
  const terminated = async (program: Program) =>
    Promise.race([program.terminate(), new Promise((resolve) => setTimeout(resolve, LIMIT_MS, 'still there').unref())]);

  test('the API with an idle keep-alive connection and an open stream ends with 0, and the stream is ended', async () => {
    const worker = await stack.startWorker();
    const { program, api } = await stack.startApi();
    const { run_id } = await api.start(script([freeForm()]));
    await api.untilWaiting(run_id);
    const stream = await StreamReader.open(api, run_id);
    const agent = new http.Agent({ keepAlive: true });
    await new Promise((resolve, reject) => {
      http
        .get(`${api.url}/healthz`, { agent }, (response) => response.resume().once('end', resolve))
        .once('error', reject);
    });
    expect(Object.keys(agent.freeSockets)).toHaveLength(1);

    expect(await terminated(program)).toBe(0);
    await stream.until((reader) => reader.ended);
    agent.destroy();
    await worker.kill();
  });

  test('the API with a request under way answers that one, takes no new one, and ends with 0', async () => {
    const worker = await stack.startWorker();
    const { program, api } = await stack.startApi();
    const { run_id } = await api.start(script([freeForm()]));
    await api.untilWaiting(run_id);
    // With the worker gone the answer is durable at once, and its sender waits for a verdict that does not come.
    await worker.kill();
    const resumed = api.resume(run_id, freeText('while you stop'));
    const client = await stack.client();
    const signalled = async () => {
      const { events } = await client.workflow.getHandle(run_id).fetchHistory();
      return events?.some((event) => event.workflowExecutionSignaledEventAttributes) ?? false;
    };
    expect(await eventually(signalled)).toBe(true);
    await client.connection.close();

    expect(await terminated(program)).toBe(0);
    expect((await resumed).status).toBe(202);
    await expect(fetch(`${api.url}/healthz`)).rejects.toThrow();
  });

  test('a worker ends with 0 while runs are paused, asleep or waiting for sub-agents, and they go on under the next', async () => {
    const worker = await stack.startWorker();
    const { api } = await stack.startApi();
    const { run_id: paused } = await api.start(script([freeForm()]));
    const { run_id: asleep } = await api.start(script([sleep(3_000)]));
    await api.untilWaiting(paused);

    expect(await terminated(worker)).toBe(0);
    expect((await api.read(paused)).status).toBe('awaiting_input');
    await stack.startWorker();
    expect((await api.resume(paused, freeText('go on'))).status).toBe(200);
    for (const runId of [paused, asleep]) expect((await api.untilEnded(runId)).status).toBe('completed');
  });

  test('a worker that still waits for its Temporal server ends with 0', async () => {
    const worker = Program.start(['worker'], { TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}` });
    await worker.printed(/waiting for Temporal/);
    expect(await terminated(worker)).toBe(0);
  });
});

test('an API that is up before Temporal is healthy but not ready, refuses calls with 503, and works once Temporal is there', async () => {
  const stack = new ProcessStack();
  const port = await freePort();
  const program = Program.start(['api'], {
    PORT: '0',
    TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
    HOLDPOINT_API_KEYS: JSON.stringify(TEST_KEYS),
    HOLDPOINT_SCRIPTED: '1',
  });
  try {
    const api = new ApiCaller(await program.printed(/api: listening on ([^\s,]+)/));
    expect((await fetch(`${api.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${api.url}/readyz`)).status).toBe(503);

    const start = { agent: 'scripted', input: script([freeForm()]) };
    const calls: [string, string, unknown?][] = [
      ['POST', '/agents', start],
      ['GET', '/agents'],
      ['GET', '/agents/run_0'],
      ['POST', '/agents/run_0/resume', { input: freeText('x') }],
      ['POST', '/agents/run_0/cancel'],
      ['GET', '/agents/run_0/events'],
      ['GET', '/agents/run_0/messages'],
      ['GET', '/agents/run_0/asks'],
    ];
    const refused = calls.map(async ([method, path, body]) => {
      const begun = Date.now();
      const { status, headers, body: told } = await api.call(method, path, body);
      // A bound of the contract, not a speed: no call hangs.
      expect(Date.now() - begun).toBeLessThan(LIMIT_MS);
      expect([path, status, told.error]).toEqual([path, 503, 'engine_unavailable']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    });
    await Promise.all(refused);
    // What can be judged without Temporal still is.
    expect((await new ApiCaller(api.url, 'wrong-key').call('GET', '/agents/run_0')).status).toBe(401);
    expect((await api.call('POST', '/agents', { agent: 7 })).status).toBe(422);

    await stack.startTemporal({ port });
    expect(await eventually(async () => (await fetch(`${api.url}/readyz`)).status === 200)).toBe(true);
    await stack.startWorker();
    const { run_id } = await api.start(script([freeForm()]));
    await api.untilWaiting(run_id);
    expect((await api.resume(run_id, freeText('x'))).status).toBe(200);
  } finally {
    await program.kill();
    await stack.stop();
  }
});
