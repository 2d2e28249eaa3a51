/** What the people who run it see: metrics, health, logs and traces of real processes, and what watching costs. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { eventsOf } from '../support/history-facts';
import { eventually, TEST_KEY, type ApiCaller } from '../support/http';
import { metric } from '../support/metrics';
import { OtlpCollector } from '../support/otlp-collector';
import { ProcessStack, type Program } from '../support/processes';
import { choice, decline, delegate, effect, freeForm, freeText, pick, script, writeIn } from '../support/scripts';
import { StreamReader } from '../support/sse';

const QUESTION = 'zebra-question-zebra';
const ANSWER = 'zebra-answer-zebra';

describe('operations', () => {
  const stack = new ProcessStack({ LOG_LEVEL: 'trace', HOLDPOINT_METRICS_PORT: '0' });
  let worker: Program;
  let program: Program;
  let api: ApiCaller;
  let ops: { api: string; worker: string };
  beforeAll(async () => {
    await stack.startTemporal();
    worker = await stack.startWorker();
    ({ program, api } = await stack.startApi());
    const address = (of: Program) => of.printed(/metrics and health on (\S+)/);
    ops = { api: await address(program), worker: await address(worker) };
  });
  afterAll(() => stack.stop());

  const text = async (url: string) => (await fetch(url)).text();

  test('a busy session is counted, and no log, at its most verbose, holds a key or what anybody wrote', async () => {
    const asking = script([choice('A', 'B'), freeForm(QUESTION), freeForm(QUESTION), effect('paid')], QUESTION);
    const { run_id } = await api.start(asking, { metadata: { note: QUESTION } });
    await api.untilWaiting(run_id);
    expect((await api.resume(run_id, pick('q9_o9'))).status).toBe(422);
    expect((await api.resume(run_id, writeIn(ANSWER))).status).toBe(200);
    await api.untilWaiting(run_id, 'q2');
    expect((await api.resume(run_id, freeText(ANSWER), { ask_id: 'q1' })).status).toBe(409);
    const client = await stack.client();
    for (const said of ['', ANSWER])
      await client.workflow.getHandle(run_id).signal('answer', { input: freeText(said) });
    await api.untilWaiting(run_id, 'q3');
    expect((await api.resume(run_id, decline(ANSWER))).status).toBe(200);
    await api.untilEnded(run_id);
    await client.connection.close();
    const parent = await api.start(script([delegate(script([freeForm(QUESTION)]))]));
    await api.until(parent.run_id, (run) => run.children_awaiting.length === 1);
    const reader = await StreamReader.open(api, parent.run_id);
    await reader.until(({ types }) => types.includes('child_needs_human'));
    expect((await api.call('GET', `/agents/${ANSWER}%20`)).status).toBe(404);
    expect((await api.call('GET', '/agents/run_that_is_not_there')).status).toBe(404);
    expect(
      (await fetch(`${api.base}/agents?assignee=${ANSWER}`, { headers: { authorization: `Bearer ${ANSWER}` } })).status,
    ).toBe(401);
    expect((await api.call('POST', '/agents', `{"agent": "${ANSWER}`)).status).toBe(400);

    // What the workflows saw, whichever door it came through: in the worker's metrics.
    const ofWorker = () => text(`${ops.worker}/metrics`);
    expect(await eventually(async () => metric(await ofWorker(), 'holdpoint_asks_opened_total') === 4)).toBe(true);
    const counted = await ofWorker();
    expect(metric(counted, 'holdpoint_asks_opened_total', { kind: 'multiple_choice' })).toBe(1);
    expect(metric(counted, 'holdpoint_asks_answered_total', { outcome: 'answered', channel: 'http' })).toBe(1);
    expect(metric(counted, 'holdpoint_asks_answered_total', { outcome: 'answered', channel: 'signal' })).toBe(1);
    expect(metric(counted, 'holdpoint_asks_answered_total', { outcome: 'declined', channel: 'http' })).toBe(1);
    expect(metric(counted, 'holdpoint_answers_rejected_total', { code: 'invalid_input', channel: 'signal' })).toBe(1);
    expect(metric(counted, 'holdpoint_ask_time_to_answer_seconds_count')).toBe(3);
    expect(metric(counted, 'holdpoint_ask_time_to_answer_seconds_bucket', { le: '604800' })).toBe(3);
    // And the SDK's own, and the process's.
    expect(metric(counted, 'temporal_workflow_task_execution_latency_count')).toBeGreaterThan(3);
    expect(metric(counted, 'process_resident_memory_bytes')).toBeGreaterThan(1_000_000);

    // What came through the API, and what only it knows.
    const ofApi = await text(`${ops.api}/metrics`);
    expect(metric(ofApi, 'holdpoint_api_answers_total', { outcome: 'taken', channel: 'http' })).toBe(2);
    expect(metric(ofApi, 'holdpoint_api_answers_total', { outcome: 'invalid_input' })).toBe(1);
    expect(metric(ofApi, 'holdpoint_api_answers_total', { outcome: 'ask_mismatch' })).toBe(1);
    expect(metric(ofApi, 'holdpoint_api_resume_seconds_count')).toBe(4);
    expect(metric(ofApi, 'holdpoint_api_time_to_answer_seconds_count')).toBe(2);
    expect(metric(ofApi, 'holdpoint_api_streams_open', { kind: 'run' })).toBe(1);
    expect(metric(ofApi, 'holdpoint_temporal_call_seconds_count', { method: 'SignalWorkflowExecution' })).toBe(2);
    expect(metric(ofApi, 'holdpoint_temporal_call_errors_total', { code: 'NOT_FOUND' })).toBe(1);
    const pending = async () => metric(await text(`${ops.api}/metrics`), 'holdpoint_asks_pending');
    expect(await eventually(async () => (await pending()) === 1, 60)).toBe(true);
    reader.drop();
    const open = async () => metric(await text(`${ops.api}/metrics`), 'holdpoint_api_streams_open', { kind: 'run' });
    expect(await eventually(async () => (await open()) === 0, 60)).toBe(true);

    // On the API's own port they need a key, and are the same.
    const guarded = `${api.url}/metrics`;
    expect((await fetch(guarded)).status).toBe(401);
    const authorized = await fetch(guarded, { headers: { authorization: `Bearer ${TEST_KEY}` } });
    expect([authorized.status, authorized.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/plain; version=0\.0\.4/),
    ]);
    expect(metric(await authorized.text(), 'holdpoint_api_answers_total', { outcome: 'taken' })).toBe(2);

    // One line a request, with the run and the ask; nothing that anybody wrote, nowhere.
    const lines = program.output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
    const resumes = lines.filter(({ route }) => route?.endsWith('/resume'));
    expect(resumes.map(({ status, run_id: of, ask_id, key, error }) => [status, of, ask_id, key, error])).toEqual([
      [422, run_id, 'q1', 'tester', 'invalid_input'],
      [200, run_id, 'q1', 'tester', undefined],
      [409, run_id, 'q2', 'tester', 'ask_mismatch'],
      [200, run_id, 'q3', 'tester', undefined],
    ]);
    expect(lines.find(({ route, status }) => route?.endsWith('/agents') && status === 201)).toMatchObject({ run_id });
    for (const secret of [ANSWER, QUESTION, TEST_KEY]) {
      for (const written of [program.output, worker.output, counted, ofApi]) {
        expect(written).not.toContain(secret);
      }
    }
  });

  test('health of every role: alive always, ready once Temporal answers', async () => {
    for (const url of [ops.api, ops.worker, api.url]) {
      for (const path of ['/healthz', '/readyz']) {
        expect({ url, path, status: (await fetch(`${url}${path}`)).status }).toEqual({ url, path, status: 200 });
      }
    }
    expect((await fetch(`${ops.worker}/other`)).status).toBe(404);
    await stack.killTemporal();
    for (const url of [ops.api, ops.worker, api.url]) {
      const ready = await fetch(`${url}/readyz`);
      expect({ url, status: ready.status, retry: ready.headers.get('retry-after') }).toMatchObject({
        url,
        status: 503,
        retry: '2',
      });
      expect(await ready.json()).toMatchObject({ error: 'engine_unavailable' });
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    }
    // Metrics are still there; what nobody knows is not told as a number.
    expect(metric(await text(`${ops.api}/metrics`), 'holdpoint_asks_pending')).toBeNaN();
    await stack.startTemporal();
    expect(await eventually(async () => (await fetch(`${ops.worker}/readyz`)).status === 200, 60)).toBe(true);
  });

  test('200 idle watchers of 50 runs cost no workflow task, no call but a long poll a run, and under 60 MB', async () => {
    const runs: string[] = [];
    for (let k = 0; k < 50; k += 10) {
      const started = await Promise.all(Array.from({ length: 10 }, () => api.start(script([freeForm()]))));
      runs.push(...started.map(({ run_id }) => run_id));
    }
    for (const run of runs) await api.untilWaiting(run);
    const memory = async () => metric(await text(`${ops.api}/metrics`), 'process_resident_memory_bytes') ?? Number.NaN;
    // What the first streams of a process load is not what watching costs.
    const first = await StreamReader.open(api, runs[0] as string);
    await first.until(({ types }) => types.includes('step.paused'));
    first.drop();
    const before = await memory();
    const readers: StreamReader[] = [];
    for (let k = 0; k < 200; k += 1) readers.push(await StreamReader.open(api, runs[k % 50] as string));
    for (const reader of readers) await reader.until(({ types }) => types.includes('step.paused'));
    const client = await stack.client();
    const lengths = async () => Promise.all(runs.map(async (run) => (await eventsOf(client, run)).length));
    const calls = async () =>
      metric(await text(`${ops.api}/metrics`), 'holdpoint_temporal_call_seconds_count') ?? Number.NaN;
    const [events, made] = [await lengths(), await calls()];
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect(await lengths()).toEqual(events);
    // The one that counts what is pending, for the metrics themselves.
    expect((await calls()) - made).toBeLessThanOrEqual(1);
    const grownBy = ((await memory()) - before) / 1024 / 1024;
    if (process.env.HOLDPOINT_TEST_SHOW) console.log(`${Math.round(grownBy)} MB`);
    expect(grownBy).toBeLessThan(60);
    expect(metric(await text(`${ops.api}/metrics`), 'holdpoint_api_streams_open', { kind: 'run' })).toBe(200);
    for (const reader of readers) reader.drop();
    await client.connection.close();
  });
});

describe('traces', () => {
  const stack = new ProcessStack();
  const collector = new OtlpCollector();
  afterAll(async () => {
    await stack.stop();
    collector.close();
  });

  test('one trace goes from the request through the workflow to its activities, and says nothing that anybody wrote', async () => {
    const env = {
      HOLDPOINT_OTEL: '1',
      OTEL_EXPORTER_OTLP_ENDPOINT: await collector.listen(),
      OTEL_BSP_SCHEDULE_DELAY: '200',
    };
    await stack.startTemporal();
    const worker = await stack.startWorker(env);
    const { program, api } = await stack.startApi(env);
    const { run_id } = await api.start(script([freeForm(QUESTION), effect('paid')]));
    await api.untilWaiting(run_id);
    expect((await api.resume(run_id, freeText(ANSWER))).status).toBe(200);
    await api.untilEnded(run_id);
    const named = (name: string) => collector.spans.find((span) => span.name === name);
    const last = 'RunWorkflow:agentRun';
    const answered = 'POST /api/platform/v1/agents/:run_id/resume';
    // The API and the worker send theirs when it suits each.
    for (const name of [
      last,
      'RunActivity:recordEffect',
      'SignalWorkflow:answer',
      answered,
      'POST /api/platform/v1/agents',
    ]) {
      expect({ name, there: await eventually(() => named(name) !== undefined, 60) }).toEqual({ name, there: true });
    }

    // From the innermost outwards: each span's parent is there, and the outermost is the request.
    const lineOf = (name: string) => {
      const line: string[] = [];
      for (let span = named(name); span; span = collector.spans.find(({ spanId }) => spanId === span?.parentSpanId)) {
        line.push(`${span.service} ${span.name}`);
      }
      return line;
    };
    const above = ['holdpoint-api StartWorkflow:agentRun', 'holdpoint-api POST /api/platform/v1/agents'];
    expect(lineOf('RunActivity:recordEffect')).toEqual([
      'holdpoint-worker RunActivity:recordEffect',
      'holdpoint-worker StartActivity:recordEffect',
      'holdpoint-worker RunWorkflow:agentRun',
      ...above,
    ]);
    expect(
      new Set(['POST /api/platform/v1/agents', last, 'RunActivity:modelTurn'].map((name) => named(name)?.traceId)).size,
    ).toBe(1);
    const resume = named(answered);
    expect(named('SignalWorkflow:answer')).toMatchObject({ traceId: resume?.traceId, parentSpanId: resume?.spanId });

    expect(await program.terminate()).toBe(0);
    expect(await worker.terminate()).toBe(0);
    expect(collector.text).toContain(run_id);
    for (const secret of [ANSWER, QUESTION, TEST_KEY]) expect(collector.text).not.toContain(secret);
  });

  test('off, nothing of its SDK is loaded and no header is in a history', async () => {
    const program = `
      require(${JSON.stringify(path.resolve(__dirname, '../../dist/cli/main.js'))});
      const isTracing = (file) => /@opentelemetry.(sdk-trace|exporter)|interceptors-opentelemetry/.test(file);
      console.log(Object.keys(require.cache).filter(isTracing).length);
    `;
    expect(execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' }).trim()).toBe('0');
    const worker = await stack.startWorker();
    const { api } = await stack.startApi();
    const { run_id } = await api.start(script([], 'hi'));
    await api.untilEnded(run_id);
    const client = await stack.client();
    const history = await client.workflow.getHandle(run_id).fetchHistory();
    const fields = history.events?.[0]?.workflowExecutionStartedEventAttributes?.header?.fields ?? {};
    expect(Object.keys(fields)).toEqual([]);
    await client.connection.close();
    expect(await worker.terminate()).toBe(0);
  });
});
