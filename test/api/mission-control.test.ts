/** CONTRACT §7 and the seed "Ask a person mid-run": messages, assignee, refusals, endings, events. C07, C08, C10. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expectCleanHistories } from '../support/checks';
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
  const family = async () => {
    const { run_id: parent } = await api.start(script([delegate(script([freeForm('child?'), sleep(600)]))]));
    const step = await amc.untilWaiting(parent, 'child?');
    const child = (await api.read(parent)).children_awaiting[0]?.run_id ?? '';
    return { parent, child, step };
  };

  test('the body of the seed is taken as it stands: the text for the agent, names and sizes on the answer, no file', async () => {
    const { run_id, stepId } = await waitingWith();
    const reply = await amc.message(run_id, SEED.message, { ...SEED, orchestratorRunId: run_id, stepId });
    expect(reply).toMatchObject({ status: 200, body: { orchestratorRunId: run_id, status: 'running' } });
    const attachments = [{ kind: 'file', filename: 'rates.pdf', media_type: 'application/pdf', size_bytes: 84_213 }];
    await api.untilEnded(run_id);
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual([{ answer: SEED.message }]);
    const { body } = await api.call<{ asks: unknown[] }>('GET', `/agents/${run_id}/asks?state=all`);
    const told = { principal: 'tester', channel: 'mission_control', by: 'human', attachments };
    expect(body.asks).toEqual([expect.objectContaining({ ...told, state: 'answered', given_by: null })]);
    const answered = (await api.events(run_id)).find((event) => event.type === 'ask.answered');
    expect(answered?.data).toEqual({ ask_id: 'q1', answer: SEED.message, ...told });
  });

  test.each([
    ['a label above a file', `approve${FILES}`, { answer: 'Approve', option_id: 'q1_o1' }],
    ['anything else', `Neither.${FILES}`, { answer: `Neither.${FILES}`, option_id: 'other' }],
  ])('to a choice, %s', async (_name, message, result) => {
    const { run_id } = await waitingWith(choice('Approve', 'Reject'));
    // Neither ids nor attachments have to be sent; null is as good as left out, and what is not known is let be.
    const rest = { orchestratorRunId: null, stepId: null, attachments: null, zzz: { new: true } };
    expect((await amc.message(run_id, message, rest)).status).toBe(200);
    await api.untilEnded(run_id);
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual([result]);
  });

  test('the assignee is told while there is one, of a sub-agent’s question too, and else left out', async () => {
    const email = 'sam@contoso.com';
    const { run_id } = await api.start(script([delegate(script([freeForm()]))]), { assignee: email });
    await amc.untilWaiting(run_id);
    expect(await amc.status(run_id)).toMatchObject({ status: 'human_intervention', assigneeRef: email });
    const { body } = await amc.message(run_id, 'yes');
    expect(body.assigneeRef).toBe(email);
    await api.untilEnded(run_id);
    expect((await amc.status(run_id)).assigneeRef).toBe(email);
    const nobody = await waitingWith();
    expect(Object.keys(await amc.status(nobody.run_id))).not.toContain('assigneeRef');
  });

  test('a message that is no answer records nothing, and sending again works', async () => {
    const { run_id, stepId } = await waitingWith(choice('A', 'B'));
    const before = await stack.historyTypes(run_id);
    const status = await amc.status(run_id);
    const file = { kind: 'file', filename: 'a.pdf', mediaType: null, sizeBytes: 1 };
    const refused: [Record<string, unknown>, path: string][] = [
      [{ message: '' }, 'message'],
      [{ message: undefined }, 'message'],
      [{ message: ' \u200b\n' }, 'message'],
      [{ message: FILES, attachments: [file] }, 'message'],
      [{ message: 'Other' }, 'message'],
      [{ message: '😀'.repeat(4_001) }, 'message'],
      [{ message: 42 }, 'message'],
      [{ message: null }, 'message'],
      [{ message: ['A'] }, 'message'],
      [{ message: 'A', stepId: 1 }, 'stepId'],
      [{ message: 'A', orchestratorRunId: 'run_another' }, 'orchestratorRunId'],
      [{ message: 'A', attachments: {} }, 'attachments'],
      [{ message: 'A', attachments: Array.from({ length: 21 }, () => file) }, 'attachments'],
      [{ message: 'A', attachments: [file, { ...file, filename: ' ' }] }, 'attachments.1.filename'],
      [{ message: 'A', attachments: [{ ...file, filename: 'x'.repeat(256) }] }, 'attachments.0.filename'],
      [{ message: 'A', attachments: [{ ...file, sizeBytes: '82 KB' }] }, 'attachments.0.sizeBytes'],
      [{ message: 'A', attachments: [{ ...file, mediaType: 'x'.repeat(128) }] }, 'attachments.0.mediaType'],
      [{ message: 'A', attachments: [{ filename: undefined }] }, 'attachments.0.filename'],
    ];
    for (const [body, path] of refused) {
      const reply = await amc.call('POST', `/runs/${run_id}/messages`, { stepId, ...body });
      const issues = [expect.objectContaining({ path })];
      expect({ sent: body, status: reply.status, body: reply.body }).toEqual({
        sent: body,
        status: 422,
        body: { error: 'invalid_input', message: expect.any(String), issues },
      });
    }
    for (const body of ['[]', '"A"', 'null', '{']) {
      const reply = await amc.call('POST', `/runs/${run_id}/messages`, body);
      expect([400, 422]).toContain(reply.status);
    }
    expect(await amc.status(run_id)).toEqual(status);
    expect(await stack.historyTypes(run_id)).toEqual(before);
    // 4,000 characters are fine, whatever they take.
    const longest = '😀'.repeat(4_000);
    expect((await amc.message(run_id, longest, { stepId })).status).toBe(200);
    await api.untilEnded(run_id);
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual([{ answer: longest, option_id: 'other' }]);
  });

  test('of two identical messages one is taken, at once or one after the other, direct or to a sub-agent', async () => {
    const direct = await waitingWith();
    const { parent, step } = await family();
    for (const [run, stepId] of [
      [direct.run_id, direct.stepId],
      [parent, step.stepId],
    ] as const) {
      const replies = await Promise.all([amc.message(run, 'same', { stepId }), amc.message(run, 'same', { stepId })]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
      const late = await amc.message(run, 'same', { stepId });
      expect(late).toMatchObject({ status: 409, body: { error: expect.stringMatching(/^(run|step)_not_waiting$/) } });
      await api.untilEnded(run);
    }
  });

  test('whichever door an answer comes through, the status is rid of the question at once, and of the next one it is not', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { parent, child, step } = await family();
      expect(step).toMatchObject({ name: 'delegate scripted', delivered: 'child?' });
      // The sub-agent is a run like any other: seen from it, it asks itself.
      expect(waitingStep(await amc.status(child))).toMatchObject({ stepId: 'q1', delivered: 'child?' });
      const door = round % 2 === 0 ? api.resume(child, freeText('yes')) : amc.message(child, 'yes');
      expect((await door).status).toBe(200);
      const [above, itself] = await Promise.all([amc.status(parent), amc.status(child)]);
      expect([above.status, itself.status]).toEqual(['running', 'running']);
      await api.untilEnded(parent);
      expect([(await amc.status(parent)).status, (await amc.status(child)).status]).toEqual(['completed', 'completed']);
      await expectCleanHistories(stack.client, parent, child);
    }
  });

  test('a run that is cancelled while anybody asks waits no more on the next poll', async () => {
    const direct = await waitingWith();
    const { parent, child, step } = await family();
    for (const [run, stepId] of [
      [direct.run_id, direct.stepId],
      [parent, step.stepId],
    ] as const) {
      expect((await api.call('POST', `/agents/${run}/cancel`)).status).toBe(202);
      expect(['running', 'cancelled']).toContain((await amc.status(run)).status);
      const late = await amc.message(run, 'too late', { stepId });
      expect(late).toMatchObject({ status: 409, body: { error: 'run_not_waiting' } });
      await api.untilEnded(run);
      const ended = await amc.status(run);
      expect(ended.status).toBe('cancelled');
      expect(ended.steps.find((other) => other.stepId === stepId)).toMatchObject({ status: 'cancelled' });
    }
    expect((await amc.status(child)).status).toBe('cancelled');
    const terminated = await waitingWith();
    await stack.client.workflow.getHandle(terminated.run_id).terminate();
    const ended = await amc.status(terminated.run_id);
    expect(ended).toMatchObject({ status: 'failed' });
    expect(ended.steps.at(-1)).toMatchObject({ stepId: 'q1', status: 'cancelled' });
  });

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

  test('a question that a colleague holds is 409 claimed, and shows on', async () => {
    const { run_id } = await waitingWith();
    expect((await api.as(COLLEAGUE).call('POST', `/agents/${run_id}/claim`, { ask_id: 'q1' })).status).toBe(200);
    expect(await amc.message(run_id, 'mine')).toMatchObject({ status: 409, body: { error: 'claimed' } });
    expect((await amc.status(run_id)).status).toBe('human_intervention');
    expect((await new MissionControl(api.as(COLLEAGUE)).message(run_id, 'mine')).status).toBe(200);
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
    const env = { PATH: process.env.PATH, API: api.url, KEY: api.key, RUN: run_id };
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
