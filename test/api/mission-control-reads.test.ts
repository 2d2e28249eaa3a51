/** CONTRACT §7: what Mission Control reads, who may, and what it gets while no worker is up. C08, C20, C21. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DocumentedCaller } from '../support/documented';
import { OTHER_KEY, TEST_KEYS, eventually } from '../support/http';
import { MissionControl, waitingStep } from '../support/mission-control';
import { choice, delegate, freeForm, freeText, script, sleep } from '../support/scripts';
import { snippetWith } from '../support/snippets';
import { TestStack } from '../support/stack';

const COLLEAGUE = 'colleague-key-0000000';
const READ_ONLY = 'read-only-key-0000000';
const FILES = '\n\n[Attached file: rates.pdf (file, 82 KB)]';
/** The body of the seed, but for its ids. */
const SEED = {
  message: `Approved. Use the March exchange rate.${FILES}`,
  attachments: [
    { kind: 'file', filename: 'rates.pdf', mediaType: 'application/pdf', sizeBytes: 84213, foundryFileId: null },
  ],
};

describe('Agent Mission Control', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  let amc: MissionControl;
  beforeAll(async () => {
    const readOnly = { name: 'reader', key: READ_ONLY, workspace: 'acme', scopes: ['read' as const] };
    const colleague = { name: 'colleague', key: COLLEAGUE, workspace: 'acme' };
    stack = await TestStack.start({ app: { keys: [...TEST_KEYS, readOnly, colleague] } });
    api = await DocumentedCaller.of(stack.api);
    amc = new MissionControl(stack.api, api);
  });
  afterAll(() => stack.stop());

  /** A run that waits with this ask, and goes on for a while afterwards. */
  const waitingWith = async (ask = freeForm(), more: Record<string, unknown> = {}) => {
    const { run_id } = await api.start(script([ask, sleep(600)]), more);
    const { stepId } = await amc.untilWaiting(run_id);
    return { run_id, stepId };
  };

  test('keys, scopes and strange ids are as everywhere', async () => {
    const { run_id } = await waitingWith();
    const calls = (id: string): [method: string, path: string, body?: unknown][] => [
      ['GET', `/runs/${id}/status`],
      ['GET', `/runs/${id}/events`],
      ['POST', `/runs/${id}/messages`, { message: 'x' }],
    ];
    const by = (key: string) => new MissionControl(api.as(key));
    for (const [method, path, body] of calls(run_id)) {
      const stranger = await by(OTHER_KEY).call(method, path, body);
      const unknown = await amc.call(method, path.replace(run_id, 'run_nobody'), body);
      expect(stranger).toMatchObject({ status: 404, body: { error: 'run_not_found' } });
      expect(stranger.body).toEqual(unknown.body);
      const noKey = await fetch(`${api.url}${path}`, { method, ...(body ? { body: '{' } : {}) });
      expect(noKey.status).toBe(401);
      expect((await by(READ_ONLY).call(method, path, body)).status).toBe(method === 'GET' ? 200 : 403);
    }
    const strange: [id: string, statuses: number[]][] = [
      ...['a%2Fb', '%00', '%25', '%F0%9F%98%80', '__proto__', 'x'.repeat(101)].map((id): [string, number[]] => [
        id,
        [404],
      ]),
      ...['%zz', '%E0%A4%A'].map((id): [string, number[]] => [id, [400]]),
      ['x'.repeat(5_000), [404, 414]],
    ];
    for (const [id, statuses] of strange) {
      for (const [method, path, body] of calls(id))
        expect(statuses).toContain((await amc.call(method, path, body)).status);
    }
    expect((await amc.status(run_id)).status).toBe('human_intervention');
  });

  test('events are those of the run, as a page and as a stream, in its own spelling; a pause is there at once', async () => {
    const { run_id } = await api.start(script([choice('A', 'B')], 'done_text'));
    const stream = await amc.stream(run_id);
    await stream.until((reader) => reader.types.includes('step.paused'));
    expect(waitingStep(await amc.status(run_id))).toMatchObject({ stepId: 'q1' });
    expect((await amc.message(run_id, 'b', { ...SEED, message: 'b' })).status).toBe(200);
    await stream.until((reader) => reader.ended);

    const { body: page } = await amc.call<{ events: Record<string, unknown>[] }>('GET', `/runs/${run_id}/events`);
    const frames = stream.frames as unknown as { id: string; event: string; data: Record<string, unknown> }[];
    expect(frames.map((frame) => frame.data)).toEqual(page.events);
    expect(frames.map((frame) => [frame.id, frame.event])).toEqual(
      page.events.map(({ id, type }) => [`${String(id)}`, type]),
    );
    const own = await api.events(run_id);
    expect(page).toMatchObject({ orchestratorRunId: run_id, firstEventId: 1, lastEventId: own.length, hasMore: false });
    expect(page.events.map(({ id, type, timestamp }) => ({ id, type, timestamp }))).toEqual(
      own.map(({ id, type, timestamp }) => ({ id, type, timestamp })),
    );
    const dataOf = (type: string) => page.events.find((event) => event.type === type)?.data;
    expect(dataOf('step.paused')).toEqual({ stepId: 'q1', name: 'ask_a_human', status: 'waiting' });
    expect(dataOf('ask.opened')).toMatchObject({ askId: 'q1', question: { askId: 'q1', askedAt: expect.any(String) } });
    expect(dataOf('ask.answered')).toMatchObject({
      optionId: 'q1_o2',
      attachments: [{ mediaType: 'application/pdf' }],
    });
    expect(dataOf('run.completed')).toEqual({ result: { text: 'done_text' } });

    const resumed = await amc.stream(run_id, '3');
    await resumed.until((reader) => reader.ended);
    expect(resumed.ids).toEqual(own.slice(3).map(({ id }) => id));
    const { body: part } = await amc.call<typeof page>('GET', `/runs/${run_id}/events?after=2&limit=2`);
    expect(part).toMatchObject({ events: [{ id: 3 }, { id: 4 }], hasMore: true });
  });

  test('the calls of the docs work as printed', async () => {
    const { run_id } = await waitingWith();
    const env = { PATH: process.env.PATH, HOLDPOINT_URL: api.url, KEY: api.key, RUN: run_id };
    const snippet = snippetWith('docs/mission-control.md', 'sh', '/messages');
    const { stdout } = await promisify(execFile)('bash', ['-ec', snippet], { env });
    const [before, after] = stdout.trim().split('\n');
    expect(JSON.parse(before ?? '')).toMatchObject({ status: 'human_intervention' });
    expect(JSON.parse(after ?? '')).toMatchObject({ orchestratorRunId: run_id, status: 'running' });
  });

  // The last one: it takes the worker away.
  test('with no worker up the status still has the question, a message is durably taken, and nothing hangs', async () => {
    const polled = await waitingWith();
    const known = await amc.status(polled.run_id);
    // Read through the API alone, so that this process has never heard of its steps.
    const { run_id: unread } = await api.start(script([choice('A', 'B')]));
    await api.untilWaiting(unread);
    const { run_id: parent } = await api.start(script([sleep(1), delegate(script([freeForm('below?')]))]));
    await api.until(parent, (run) => run.children_awaiting.length === 1);
    const ended = await api.start(script([], 'over'));
    await api.untilEnded(ended.run_id);
    const { events } = (
      await amc.call<{ events: { type: string; data: { stepId?: string; name?: string } }[] }>(
        'GET',
        `/runs/${parent}/events`,
      )
    ).body;
    const delegation = events.find(({ data }) => data.name?.startsWith('delegate'))?.data.stepId;

    await stack.stopWorker();
    expect(await amc.status(polled.run_id)).toEqual(known);
    const bare = await amc.status(unread);
    expect(bare).toMatchObject({ status: 'human_intervention', currentStep: 1, totalSteps: 1 });
    expect(bare.steps[0]).toMatchObject({ stepId: 'q1', delivered: expect.stringContaining('Which one?') });
    // The step that a message has to name is the same as ever.
    expect(waitingStep(await amc.status(parent))).toMatchObject({ stepId: delegation, delivered: 'below?' });
    expect(await amc.status(ended.run_id)).toMatchObject({ status: 'completed', totalSteps: 0 });
    const conflict = await amc.message(parent, 'x', { stepId: 'q1' });
    expect(conflict).toMatchObject({ status: 409, body: { error: 'step_not_waiting' } });
    const [first, below] = await Promise.all([
      amc.message(unread, 'b', { stepId: 'q1' }),
      amc.message(parent, 'taken', { stepId: delegation }),
    ]);
    expect([first.status, below.status]).toEqual([202, 202]);
    expect(await amc.message(unread, 'a', { stepId: 'q1' })).toMatchObject({ status: 409 });

    await stack.startWorker();
    for (const run of [unread, parent]) expect((await api.untilEnded(run)).status).toBe('completed');
    expect(await api.toolResults(unread, 'ask_a_human')).toEqual([{ answer: 'B', option_id: 'q1_o2' }]);
    expect(await eventually(async () => (await amc.status(parent)).steps.length > 2)).toBe(true);
    expect(waitingStep(await amc.status(polled.run_id))?.stepId).toBe('q1');
    expect((await api.resume(polled.run_id, freeText('at last'))).status).toBe(200);
    expect((await amc.status(polled.run_id)).status).not.toBe('human_intervention');
  });
});
