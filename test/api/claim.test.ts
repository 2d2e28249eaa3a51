/** `POST /agents/{id}/claim` and `/release`: one holder, whose answer alone is taken until the claim is over. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { InboxPage } from '../../api/service/inbox';
import { DocumentedCaller } from '../support/documented';
import { eventsOf, signalsOf } from '../support/history-facts';
import { eventually, TEST_KEYS } from '../support/http';
import { jsonPayload, payload, sendRaw } from '../support/raw-signals';
import { choice, decline, delegate, freeForm, freeText, pick, script, sleep } from '../support/scripts';
import { expectCleanHistories } from '../support/checks';
import { snippetWith } from '../support/snippets';
import { TestStack } from '../support/stack';

const keyOf = (k: number) => `racer-key-${String(k).padStart(4, '0')}`;
const RACERS = Array.from({ length: 20 }, (_, k) => ({ name: `racer-${k}`, key: keyOf(k), workspace: 'acme' }));
const READER = { name: 'reader', key: 'reader-key-00000', workspace: 'acme', scopes: ['read' as const] };

describe('claims', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  let ann: DocumentedCaller;
  let bob: DocumentedCaller;
  beforeAll(async () => {
    stack = await TestStack.start({ app: { keys: [...TEST_KEYS, ...RACERS, READER] }, continueAsNewAfter: 20 });
    api = await DocumentedCaller.of(stack.api);
    [ann, bob] = [api.as(keyOf(0)), api.as(keyOf(1))];
  });
  afterAll(() => stack.stop());

  const paused = async (input: unknown = script([freeForm()])) => {
    const { run_id } = await api.start(input);
    await api.untilWaiting(run_id);
    return run_id;
  };
  const claim = (caller: DocumentedCaller, runId: string, more: object = {}) =>
    caller.call('POST', `/agents/${runId}/claim`, { ask_id: 'q1', ...more });
  const release = (caller: DocumentedCaller, runId: string, askId = 'q1') =>
    caller.call('POST', `/agents/${runId}/release`, { ask_id: askId });
  const outcome = ({ status, body }: { status: number; body: Record<string, unknown> }) =>
    status === 200 ? 200 : `${status} ${String(body.error)}`;
  const inInbox = async (runId: string) => {
    const { body } = await api.call<InboxPage>('GET', '/inbox');
    return body.asks.find(({ run_id }) => run_id === runId);
  };

  test('of twenty principals at once exactly one wins, and it alone can answer', async () => {
    const runId = await paused();
    const replies = await Promise.all(RACERS.map((_, k) => claim(api.as(keyOf(k)), runId)));
    const outcomes = replies.map(outcome);
    const winner = outcomes.indexOf(200);
    expect(outcomes.filter((told) => told !== '409 claimed')).toEqual([200]);
    expect((await api.read(runId)).claim?.by).toBe(`racer-${winner}`);
    expect(outcome(await api.as(keyOf((winner + 1) % 20)).resume(runId, freeText('no')))).toBe('409 claimed');
    expect((await api.as(keyOf(winner)).resume(runId, freeText('yes'))).status).toBe(200);
    await api.untilEnded(runId);
    expect(await api.toolResults(runId)).toEqual([{ answer: 'yes' }]);
    await expectCleanHistories(stack.client, runId);
  });

  test('the record and the inbox show who holds it until when; others get 409, on every call; the holder answers', async () => {
    const runId = await paused(script([choice('A', 'B'), sleep(2_000)]));
    const before = await api.read(runId);
    expect(before.claim).toBeNull();
    const asked = Date.now();
    const claimed = await claim(ann, runId);
    expect(claimed.status).toBe(200);
    const { claim: held } = await api.read(runId);
    expect(claimed.body.claim).toEqual(held);
    expect(held).toEqual({ ask_id: 'q1', by: 'racer-0', until: expect.stringMatching(/Z$/) });
    expect(Math.abs(Date.parse(held?.until ?? '') - asked - 15 * 60_000)).toBeLessThan(60_000);
    expect((await inInbox(runId))?.claim).toEqual({ by: 'racer-0', until: held?.until });
    const { pending_input_context, pending_input_schema } = await api.read(runId);
    expect({ pending_input_context, pending_input_schema }).toEqual({
      pending_input_context: before.pending_input_context,
      pending_input_schema: before.pending_input_schema,
    });

    expect(outcome(await bob.resume(runId, pick('q1_o1')))).toBe('409 claimed');
    expect(outcome(await bob.resume(runId, decline()))).toBe('409 claimed');
    expect(outcome(await bob.resume(runId, pick('q9_o9')))).toBe('409 claimed');
    expect(outcome(await claim(bob, runId))).toBe('409 claimed');
    expect(outcome(await release(bob, runId))).toBe('409 claimed');
    expect(outcome(await claim(bob, runId, { ask_id: 'q2' }))).toBe('409 ask_mismatch');
    expect(outcome(await ann.resume(runId, pick('q9_o9')))).toBe('422 invalid_input');
    // No signal but the claim itself: what is known to be refused costs the run nothing.
    expect(await signalsOf(stack.client, runId)).toEqual(['claim']);
    // A key that got the refusal keeps it, like any other first outcome.
    const key = { 'idempotency-key': 'bob-1' };
    expect(outcome(await bob.resume(runId, pick('q1_o1'), {}, key))).toBe('409 claimed');

    expect((await ann.resume(runId, pick('q1_o1'))).status).toBe(200);
    expect(await inInbox(runId)).toBeUndefined();
    expect(await api.read(runId)).toMatchObject({ status: 'running', claim: null });
    expect(outcome(await bob.resume(runId, pick('q1_o1'), {}, key))).toBe('409 claimed');
    expect(outcome(await claim(ann, runId))).toBe('409 run_not_waiting');
    const types = (await api.events(runId)).map(({ type }) => type);
    expect(types).toContain('ask.claimed');
    expect(types.indexOf('ask.claimed')).toBeLessThan(types.indexOf('ask.answered'));
  });

  test('released, it is anybody’s; claimed again by its holder, it is prolonged', async () => {
    const runId = await paused();
    expect((await claim(ann, runId, { for: '1m' })).status).toBe(200);
    const first = (await api.read(runId)).claim?.until ?? '';
    expect((await claim(ann, runId, { for: '2h' })).status).toBe(200);
    expect(Date.parse((await api.read(runId)).claim?.until ?? '')).toBeGreaterThan(Date.parse(first) + 3_000_000);
    expect((await release(ann, runId)).body.claim).toBeNull();
    expect((await release(ann, runId)).status).toBe(200);
    expect((await claim(bob, runId)).status).toBe(200);
    expect(outcome(await release(ann, runId))).toBe('409 claimed');
    expect((await release(bob, runId)).status).toBe(200);
    expect((await ann.resume(runId, freeText('x'))).status).toBe(200);
    const events = (await api.events(runId)).filter(({ type }) => /claimed|released/.test(type));
    expect(events.map(({ type, data }) => [type, data.ask_id, data.by])).toEqual([
      ['ask.claimed', 'q1', 'racer-0'],
      ['ask.claimed', 'q1', 'racer-0'],
      ['ask.released', 'q1', 'racer-0'],
      ['ask.claimed', 'q1', 'racer-1'],
      ['ask.released', 'q1', 'racer-1'],
    ]);
  });

  test('over by its time, it holds nobody back, with no event and nothing woken', async () => {
    const runId = await paused();
    expect((await claim(ann, runId, { for: '2s' })).status).toBe(200);
    const events = (await eventsOf(stack.client, runId)).length;
    expect(await eventually(async () => (await api.read(runId)).claim === null, 10)).toBe(true);
    expect((await inInbox(runId))?.claim).toBeNull();
    expect((await eventsOf(stack.client, runId)).length).toBe(events);
    expect((await claim(bob, runId, { for: '1h' })).status).toBe(200);
    expect(outcome(await ann.resume(runId, freeText('late')))).toBe('409 claimed');
    expect((await bob.resume(runId, freeText('mine'))).status).toBe(200);
  });

  test('a raw signal is judged by the run itself: another name, or none, is refused, and nothing wedges it', async () => {
    const runId = await paused();
    await sendRaw(stack.client, runId, 'claim', [payload('unknown/encoding', 'x')]);
    await sendRaw(stack.client, runId, 'claim', []);
    await sendRaw(stack.client, runId, 'release', [jsonPayload('x')]);
    await sendRaw(stack.client, runId, 'claim', [jsonPayload({ principal: 'ann at her terminal', for: '1h' })]);
    await api.until(runId, ({ claim: held }) => held?.by === 'ann at her terminal');
    const answers = [freeText('nameless'), { input: freeText('x'), principal: 'bob' }];
    for (const answer of answers) await sendRaw(stack.client, runId, 'answer', [jsonPayload(answer)]);
    const rejected = async () => (await api.events(runId)).filter(({ type }) => type === 'ask.rejected');
    expect(await eventually(async () => (await rejected()).length === 2)).toBe(true);
    expect((await rejected()).map(({ data }) => data.code)).toEqual(['claimed', 'claimed']);
    const mine = { input: freeText('mine'), principal: 'ann at her terminal' };
    await sendRaw(stack.client, runId, 'answer', [jsonPayload(mine)]);
    await api.untilEnded(runId);
    expect(await api.toolResults(runId)).toEqual([{ answer: 'mine' }]);
    await expectCleanHistories(stack.client, runId);
  });

  test('of a sub-agent’s ask is a claim on the sub-agent', async () => {
    const { run_id: root } = await api.start(script([delegate(script([freeForm()]))]));
    const asking = await api.until(root, (run) => run.children_awaiting.length === 1);
    const below = asking.children_awaiting[0]?.run_id ?? '';
    expect(outcome(await claim(ann, root))).toBe('409 run_not_waiting');
    expect((await claim(ann, below)).status).toBe(200);
    expect(outcome(await bob.resume(below, freeText('x')))).toBe('409 claimed');
    expect((await ann.resume(below, freeText('x'))).status).toBe(200);
    await api.untilEnded(root);
  });

  test.each([
    [{}, '422 invalid_input'],
    [{ ask_id: 'q1', for: '15' }, '422 invalid_input'],
    [{ ask_id: 'q1', for: 900 }, '422 invalid_input'],
    [{ ask_id: 'q1', for: '0s' }, '422 invalid_input'],
    [{ ask_id: 'q1', for: '25h' }, '422 invalid_input'],
    [{ ask_id: 'q1', by: 'ann' }, '422 invalid_input'],
    [{ ask_id: 1 }, '422 invalid_input'],
    [{ ask_id: 'q2' }, '409 ask_mismatch'],
    [{ ask_id: 'none' }, '409 ask_mismatch'],
    ['{', '400 malformed_request'],
  ])('%j is refused and claims nothing', async (body, told) => {
    waitingRun ??= await paused();
    expect(outcome(await ann.call('POST', `/agents/${waitingRun}/claim`, body))).toBe(told);
    expect((await api.read(waitingRun)).claim).toBeNull();
  });
  let waitingRun: string | undefined;

  test('the README’s calls list what waits and claim it', async () => {
    const { run_id } = await api.start(script([freeForm()]));
    await api.untilWaiting(run_id);
    const calls = snippetWith('README.md', 'sh', '/inbox');
    const shell = `API=${api.base}\nKEY=${api.key}\nRUN=${run_id}\n${calls}`;
    const { stdout } = await promisify(execFile)('bash', ['-ec', shell]);
    const [inbox, claimed] = stdout.trim().split('\n') as [string, string];
    const { asks } = JSON.parse(inbox) as InboxPage;
    expect(asks.map((ask) => ask.run_id)).toContain(run_id);
    expect(JSON.parse(claimed)).toMatchObject({ run_id, claim: { ask_id: 'q1', by: 'tester' } });
  });

  test('needs the scope "answer", and a run of one’s own workspace', async () => {
    const runId = await paused();
    const rival = api.as(TEST_KEYS[1]?.key ?? '');
    for (const path of ['claim', 'release']) {
      const call = (caller: DocumentedCaller, id = runId) =>
        caller.call('POST', `/agents/${id}/${path}`, { ask_id: 'q1' });
      expect(outcome(await call(api.as(READER.key)))).toBe('403 forbidden');
      expect(outcome(await call(rival))).toBe('404 run_not_found');
      expect(outcome(await call(api.as('nobody')))).toBe('401 unauthorized');
      expect(outcome(await call(ann, 'run_unknown'))).toBe('404 run_not_found');
    }
  });

  test('claims are let go of with each ask as a run continues as new, and hold through a change of worker', async () => {
    const runId = await paused(script([freeForm(), freeForm(), freeForm()].map((call) => [call])));
    for (const askId of ['q1', 'q2']) {
      await api.untilWaiting(runId, askId);
      expect((await claim(ann, runId, { ask_id: askId })).status).toBe(200);
      expect((await ann.resume(runId, freeText('x'))).status).toBe(200);
    }
    await api.untilWaiting(runId, 'q3');
    expect((await claim(bob, runId, { ask_id: 'q3' })).status).toBe(200);
    const other = await paused();
    await stack.stopWorker();
    expect((await api.read(runId)).claim?.by).toBe('racer-1');
    expect(outcome(await ann.resume(runId, freeText('x')))).toBe('409 claimed');
    // With no worker up a claim is durable and waits, as an answer does.
    const queued = await claim(ann, other);
    expect(queued).toMatchObject({ status: 202, body: { request: 'queued', claim: null } });
    await stack.startWorker();
    expect((await api.until(other, (run) => run.claim !== null)).claim?.by).toBe('racer-0');
    expect(outcome(await ann.resume(runId, freeText('x')))).toBe('409 claimed');
    expect((await bob.resume(runId, freeText('x'))).status).toBe(200);
    await api.untilEnded(runId);
    await expectCleanHistories(stack.client, runId);
  });
});
