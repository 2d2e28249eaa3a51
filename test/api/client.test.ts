/** `holdpoint/client` against the real API: each call, each failure as its class, and what a bad network must not do. */
import {
  AskMismatchError,
  ClaimedError,
  ForbiddenError,
  HoldpointClient,
  IdempotencyConflictError,
  InvalidInputError,
  MalformedRequestError,
  NotFoundError,
  NotWaitingError,
  RunExistsError,
  RunNotFoundError,
  UnauthorizedError,
  type Ask,
  type EventPage,
  type HoldpointError,
  type InboxAsk,
  type InboxEvent,
  type MessagePage,
  type MissionControlStatus,
  type RunList,
} from '../../client';
import type { MissionRunStatus } from '../../api/mission-control/schemas';
import type { AskView } from '../../api/service/asks';
import type { InboxAsk as ApisInboxAsk } from '../../api/service/inbox-asks';
import { FlakyProxy } from '../support/flaky-proxy';
import { eventually, OTHER_KEY, TEST_KEY, TEST_KEYS } from '../support/http';
import { choice, freeForm, freeText, pick, script } from '../support/scripts';
import { TestStack } from '../support/stack';

const READER_KEY = 'reader-key-0000000000';
const SECOND_KEY = 'second-key-0000000000';

// What the API's own view of an ask is assignable to, so that the two cannot drift apart unseen.
type Same<A, B> = A extends B ? (B extends A ? true : never) : never;
const askIsTheApis: Same<Ask, AskView> = true;
const inboxAskIsTheApis: Same<InboxAsk, ApisInboxAsk> = true;
const statusIsTheApis: Same<MissionControlStatus, MissionRunStatus> = true;

describe('the client', () => {
  let stack: TestStack;
  let client: HoldpointClient;
  beforeAll(async () => {
    const reader = { name: 'reader', key: READER_KEY, workspace: 'acme', scopes: ['read' as const] };
    const second = { name: 'second', key: SECOND_KEY, workspace: 'acme' };
    stack = await TestStack.start({ app: { keys: [...TEST_KEYS, reader, second] } });
    client = new HoldpointClient({ url: stack.api.url, key: TEST_KEY });
  });
  afterAll(() => stack.stop());

  const start = async (...turns: Parameters<typeof script>[0]) =>
    (await client.start({ agent: 'scripted', input: script(turns) })).run_id;
  const waiting = async (...turns: Parameters<typeof script>[0]) => {
    const runId = await start(...turns);
    await stack.api.untilWaiting(runId);
    return runId;
  };
  const failure = async (call: Promise<unknown>): Promise<HoldpointError> =>
    call.then(
      () => Promise.reject(new Error('it did not fail')),
      (error: HoldpointError) => error,
    );

  test('starts, reads, lists, answers, and tells what was said', async () => {
    expect([askIsTheApis, inboxAskIsTheApis, statusIsTheApis]).toEqual([true, true, true]);
    const started = await client.start({
      agent: 'scripted',
      input: script([choice('Yes', 'No'), freeForm()]),
      assignee: 'sam@contoso.com',
      metadata: { ticket: 7 },
    });
    const runId = started.run_id;
    expect(started).toMatchObject({ agent: 'scripted', assignee: 'sam@contoso.com', metadata: { ticket: 7 } });
    await stack.api.untilWaiting(runId);
    const record = await client.get(runId);
    const { waiting_ms: _running, ...read } = await stack.api.read(runId);
    expect(record).toMatchObject(read);
    const { runs }: RunList = await client.list({ assignee: 'sam@contoso.com', status: 'awaiting_input', limit: 5 });
    expect(runs.map((run) => run.run_id)).toContain(runId);

    const [ask] = await client.asks(runId);
    expect(ask).toMatchObject({ run_id: runId, ask_id: 'q1', state: 'pending', question: 'Which one?' });
    const answered = await client.resume(runId, { kind: 'multiple_choice', option_id: 'q1_o2' }, { askId: 'q1' });
    expect(answered.pending_input_context?.ask_id).not.toBe('q1');
    await stack.api.untilWaiting(runId, 'q2');
    await client.resume(runId, { kind: 'decline', reason: 'not mine to say' });
    await stack.api.untilEnded(runId);

    const all = await client.asks(runId, { state: 'all' });
    expect(all.map(({ state, answer, message }) => ({ state, answer, message }))).toEqual([
      { state: 'answered', answer: 'No', message: null },
      { state: 'declined', answer: null, message: 'not mine to say' },
    ]);
    const messages: MessagePage = await client.messages(runId, { from: 1, limit: 2 });
    expect(messages).toMatchObject({ run_id: runId, from: 1, has_more: true });
    const events: EventPage = await client.events(runId, { after: 1, limit: 3 });
    expect(events.events.map((event) => event.id)).toEqual([2, 3, 4]);
  });

  test('cancels', async () => {
    const runId = await waiting(freeForm());
    expect(await client.cancel(runId)).toMatchObject({ run_id: runId, pending_input_context: null });
    expect((await stack.api.untilEnded(runId)).status).toBe('cancelled');
  });

  test('each refusal is an error of its class, with code, status and issues, and changes nothing', async () => {
    const runId = await waiting(freeForm());
    const as = (key: string) => new HoldpointClient({ url: stack.api.url, key });
    const cases: [() => Promise<unknown>, new (...args: never[]) => HoldpointError, string, number][] = [
      [() => client.get('run_unknown00000000000000'), RunNotFoundError, 'run_not_found', 404],
      [() => as(OTHER_KEY).get(runId), RunNotFoundError, 'run_not_found', 404],
      [() => as('nobody').get(runId), UnauthorizedError, 'unauthorized', 401],
      [() => as(READER_KEY).resume(runId, { kind: 'decline' }), ForbiddenError, 'forbidden', 403],
      [() => client.resume(runId, { kind: 'free_form', text: ' ' }), InvalidInputError, 'invalid_input', 422],
      [() => client.resume(runId, freeText('x') as never, { askId: 'q2' }), AskMismatchError, 'ask_mismatch', 409],
      [() => client.start({ agent: 'nobody', input: {} }), InvalidInputError, 'invalid_input', 422],
      [() => client.start({ agent: 'scripted', input: script([]), run_id: runId }), RunExistsError, 'run_exists', 409],
      [() => client.list({ cursor: 'nonsense' }), MalformedRequestError, 'malformed_request', 400],
      [() => client.get(''), MalformedRequestError, 'malformed_request', 0],
      [() => client.get('..'), MalformedRequestError, 'malformed_request', 0],
      [() => client.get('a/b'), RunNotFoundError, 'run_not_found', 404],
    ];
    for (const [call, errorClass, code, status] of cases) {
      const error = await failure(call());
      expect({ code: error.code, status: error.status }).toEqual({ code, status });
      expect(error).toBeInstanceOf(errorClass);
      expect(error.message).not.toBe('');
    }
    const invalid = await failure(client.resume(runId, { kind: 'free_form', text: '' }));
    expect(invalid.issues).toEqual([{ path: 'input.text', code: 'blank', message: expect.any(String) }]);
    await client.resume(runId, { kind: 'free_form', text: 'good' });
    expect(await failure(client.resume(runId, { kind: 'free_form', text: 'late' }))).toBeInstanceOf(NotWaitingError);
    await stack.api.untilEnded(runId);
    expect(await stack.api.toolResults(runId)).toEqual([{ answer: 'good' }]);
    for await (const _ of client.watch(runId, { after: 10_000_000 })) break;
    const stream = client.watch('run_unknown00000000000000');
    expect(await failure(stream.next())).toBeInstanceOf(NotFoundError);
  });

  test('the same idempotency key is one wish, and another body under it a conflict', async () => {
    const request = { agent: 'scripted', input: script([freeForm()]) };
    const key = { idempotencyKey: `mine-${Date.now()}` };
    const [one, two] = await Promise.all([client.start(request, key), client.start(request, key)]);
    expect(two.run_id).toBe(one.run_id);
    expect(await failure(client.start({ ...request, assignee: 'a' }, key))).toBeInstanceOf(IdempotencyConflictError);
    // Without one, two calls are two wishes.
    expect((await client.start(request)).run_id).not.toBe((await client.start(request)).run_id);
  });

  test('the address may be given with a slash, or with the path of the API', async () => {
    const runId = await waiting(freeForm());
    for (const suffix of ['/', '/api/platform/v1', '/api/platform/v1/']) {
      const other = new HoldpointClient({ url: `${stack.api.url}${suffix}`, key: TEST_KEY });
      expect((await other.get(runId)).run_id).toBe(runId);
    }
  });

  test('definitions are the agents there are, each with what it takes', async () => {
    const definitions = await client.definitions();
    const scripted = definitions.find(({ name }) => name === 'scripted');
    expect(scripted).toMatchObject({ description: expect.any(String), input_schema: expect.any(Object), model: null });
  });

  test('the inbox lists what waits, tells live of what opens, changes and closes, and heals', async () => {
    const proxy = await FlakyProxy.start(stack.api.url);
    const assignee = `inbox-${Date.now()}`;
    const abort = new AbortController();
    const seen: InboxEvent[] = [];
    const watched = (async () => {
      const flaky = new HoldpointClient({ url: proxy.url, key: TEST_KEY });
      for await (const event of flaky.watchInbox({ assignee, signal: abort.signal })) seen.push(event);
    })();
    const shows = (type: InboxEvent['type']) => eventually(() => seen.some((event) => event.type === type));
    expect(await shows('inbox.snapshot')).toBe(true);
    expect(seen[0]).toMatchObject({ data: { asks: [], count: 0 } });
    const { run_id } = await client.start({ agent: 'scripted', input: script([freeForm()]), assignee });
    expect(await shows('ask.opened')).toBe(true);
    expect((await client.inbox({ assignee })).asks).toMatchObject([{ run_id, ask_id: 'q1', agent: 'scripted' }]);
    await client.claim(run_id, { ask_id: 'q1', for: '5m' });
    expect(await shows('ask.changed')).toBe(true);
    proxy.drop();
    // A new connection begins with what there is now.
    expect(await eventually(() => seen.filter((event) => event.type === 'inbox.snapshot').length === 2)).toBe(true);
    expect(seen.at(-1)).toMatchObject({ data: { asks: [{ run_id, claim: { by: 'tester' } }], count: 1 } });
    await client.resume(run_id, { kind: 'free_form', text: 'x' });
    expect(await shows('ask.closed')).toBe(true);
    expect(seen.at(-1)).toMatchObject({ data: { run_id, ask_id: 'q1', count: 0 } });
    abort.abort();
    await watched;
    await proxy.close();
  });

  test('an ask that is claimed is its holder’s until it is released', async () => {
    const runId = await waiting(freeForm());
    const other = new HoldpointClient({ url: stack.api.url, key: SECOND_KEY });
    expect((await other.claim(runId, { ask_id: 'q1' })).claim).toMatchObject({
      by: 'second',
      until: expect.any(String),
    });
    expect(await failure(client.claim(runId, { ask_id: 'q1' }))).toBeInstanceOf(ClaimedError);
    expect(await failure(client.resume(runId, { kind: 'free_form', text: 'no' }))).toBeInstanceOf(ClaimedError);
    expect((await other.release(runId, { ask_id: 'q1' })).claim).toBeNull();
    expect((await client.resume(runId, { kind: 'free_form', text: 'yes' })).run_id).toBe(runId);
  });

  test('mission control’s status and messages', async () => {
    const runId = await waiting(choice('Approve', 'Refuse'));
    const status = await client.status(runId);
    expect(status).toMatchObject({ orchestratorRunId: runId, status: 'human_intervention' });
    const step = status.steps[status.currentStep - 1];
    expect(step).toMatchObject({ stepId: 'q1', status: 'waiting', delivered: expect.stringContaining('Approve') });
    expect(await failure(client.sendMessage(runId, { message: 'approve', stepId: 'q2' }))).toBeInstanceOf(
      NotWaitingError,
    );
    const after = await client.sendMessage(runId, { message: ' approve ', stepId: 'q1', orchestratorRunId: runId });
    expect(after.status).not.toBe('human_intervention');
    await stack.api.untilEnded(runId);
    expect(await stack.api.toolResults(runId)).toEqual([{ answer: 'Approve', option_id: 'q1_o1' }]);
  });

  test('the channel of an answer is http, or what the program may name, and nothing else', async () => {
    const as = (channel: string) =>
      new HoldpointClient({ url: stack.api.url, key: TEST_KEY, headers: { 'holdpoint-channel': channel } });
    const runId = await waiting(freeForm(), freeForm());
    await as('cli').resume(runId, { kind: 'free_form', text: 'x' });
    await stack.api.untilWaiting(runId, 'q2');
    for (const channel of ['signal', 'policy', 'nonsense', '']) {
      const refused = await failure(as(channel).resume(runId, { kind: 'free_form', text: 'x' }));
      expect({ channel, code: refused.code }).toEqual({ channel, code: 'malformed_request' });
    }
    await client.resume(runId, { kind: 'free_form', text: 'x' });
    const asks = await client.asks(runId, { state: 'all' });
    expect(asks.map((ask) => ask.channel)).toEqual(['cli', 'http']);
  });

  test('a queued answer says so', async () => {
    const runId = await waiting(choice('A', 'B'));
    await stack.stopWorker();
    const reply = await client.resume(runId, pick('q1_o1') as never);
    expect(reply.answer).toBe('queued');
    await stack.startWorker();
    expect((await stack.api.untilEnded(runId)).status).toBe('completed');
  });
});
