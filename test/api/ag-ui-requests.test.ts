/** AG-UI: what comes before a stream, how a client comes back to a thread, and what is left when it goes. */
import { randomUUID } from 'node:crypto';
import { EventType, type Event } from '@ag-ui/core';
import {
  agentOn,
  checkEvents,
  errorOf,
  finishedOf,
  inputFor,
  interruptsOf,
  ofType,
  play,
  post,
  postAndRead,
  readEvents,
  typesOf,
} from '../support/ag-ui';
import { CountingClient } from '../support/counting-client';
import { expectErrorBody } from '../support/documented';
import { ApiCaller, eventually, OTHER_KEY } from '../support/http';
import { metric } from '../support/metrics';
import { choice, delegate, effect, freeForm, freeText, pick, script, sleep } from '../support/scripts';
import { TestStack } from '../support/stack';
import type { Agent } from '../../activities';
import { ScriptedModel } from '../../activities/scripted-model';

const ASK_ONLY = 'ask-only-key-000000000';
const START_ONLY = 'start-only-key-0000000';

/** An agent that says what it was given, whatever that is. */
const echo: Agent = {
  name: 'echo',
  description: 'Says what it was given.',
  model: new ScriptedModel((input) => ({ text: JSON.stringify(input) })),
};

const LONG_POLL = 'GetWorkflowExecutionHistory';

let stack: TestStack;
let temporal: CountingClient;
beforeAll(async () => {
  temporal = await CountingClient.connect();
  stack = await TestStack.start({
    agents: [echo],
    app: {
      client: temporal.client,
      keys: [
        { name: 'tester', key: 'test-key-000000000000', workspace: 'acme' },
        { name: 'rival', key: OTHER_KEY, workspace: 'rival' },
        { name: 'asker', key: ASK_ONLY, workspace: 'acme', scopes: ['read', 'answer'] },
        { name: 'starter', key: START_ONLY, workspace: 'acme', scopes: ['read', 'start'] },
      ],
    },
  });
});
afterAll(async () => {
  await stack.stop();
  await temporal.close();
});

const withKey = (key: string) => new ApiCaller(stack.api.url, key);
const start = (input: unknown) => ({ forwardedProps: { input } });
const resolved = (interruptId: string, payload: unknown) => ({ interruptId, status: 'resolved' as const, payload });

test('what is wrong before a stream begins is an ordinary error', async () => {
  const id = () => randomUUID();
  const good = () => inputFor(id(), start(script([])));
  const expectError = async (response: Response, status: number, code: string, told: RegExp = /./) => {
    const text = await response.text();
    expect({ status: response.status, text }).toEqual({ status, text });
    expectErrorBody(status, response.headers.get('content-type'), text);
    expect(JSON.parse(text)).toMatchObject({ error: code });
    expect(text).toMatch(told);
  };
  await expectError(await post(new ApiCaller(stack.api.url, 'wrong'), 'scripted', 'zzz'), 401, 'unauthorized');
  await expectError(await post(stack.api, 'nobody', good()), 422, 'invalid_input', /there are: scripted, echo/);
  await expectError(await post(stack.api, 'scripted', { messages: 1 }), 422, 'invalid_input', /"path":"threadId"/);
  await expectError(await post(stack.api, 'scripted', inputFor('a b')), 422, 'invalid_input', /"path":"threadId"/);
  await expectError(await post(stack.api, 'scripted', inputFor(id())), 422, 'invalid_input', /"path":"input"/);
  const mode = inputFor(id(), { forwardedProps: { input: script([]), on_question: 'never' } });
  await expectError(
    await post(stack.api, 'scripted', mode),
    422,
    'invalid_input',
    /"path":"forwardedProps.on_question"/,
  );
  await expectError(await post(stack.api, 'scripted', '{', { body: '{' }), 400, 'malformed_request');
  const text = { headers: { 'content-type': 'text/plain' } };
  await expectError(await post(stack.api, 'scripted', good(), text), 415, 'unsupported_media_type');
  const huge = inputFor(id(), { state: { text: 'x'.repeat(2 * 1024 * 1024) } });
  await expectError(await post(stack.api, 'scripted', huge), 413, 'body_too_large', /2048 KiB/);
  await expectError(await post(withKey(ASK_ONLY), 'scripted', good()), 403, 'forbidden', /start/);
  const answering = { ...good(), resume: [resolved('x:q1', freeText('x'))] };
  await expectError(await post(withKey(START_ONLY), 'scripted', answering), 403, 'forbidden', /answer/);
});

test('a thread is the run of one agent and one workspace', async () => {
  const run = await stack.api.start(script([freeForm()]));
  await stack.api.untilWaiting(run.run_id);
  expect((await post(stack.api, 'echo', inputFor(run.run_id))).status).toBe(409);
  expect((await post(withKey(OTHER_KEY), 'scripted', inputFor(run.run_id, start(script([]))))).status).toBe(409);
  const theirs = inputFor(run.run_id, { resume: [resolved(`${run.run_id}:q1`, freeText('theirs'))] });
  expect(errorOf({ events: await postAndRead(withKey(OTHER_KEY), 'scripted', theirs) })).toMatchObject({
    code: 'run_not_found',
  });
  // What another principal holds is refused as at any other door.
  const claim = await withKey(ASK_ONLY).call('POST', `/agents/${run.run_id}/claim`, { ask_id: 'q1' });
  expect(claim.status).toBe(200);
  const held = inputFor(run.run_id, { resume: [resolved(`${run.run_id}:q1`, freeText('held'))] });
  expect(errorOf({ events: await postAndRead(stack.api, 'scripted', held) })).toMatchObject({ code: 'claimed' });
  // A run that was started elsewhere is a thread like any other, and a key that may answer need not be one that starts.
  const agent = agentOn(withKey(ASK_ONLY), { threadId: run.run_id });
  expect(interruptsOf(await play(agent))).toHaveLength(1);
  const end = await play(agent, { resume: [resolved(`${run.run_id}:q1`, freeText('mine'))] });
  expect(finishedOf(end).outcome).toEqual({ type: 'success' });
  expect(await stack.api.toolResults(run.run_id)).toEqual([{ answer: 'mine' }]);
});

test('what the agent gets: forwardedProps.input, else the last user message with the context, else the state', async () => {
  const said = async (more: Parameters<typeof inputFor>[1]) => {
    const events = await postAndRead(stack.api, 'echo', inputFor(randomUUID(), more));
    return JSON.parse((finishedOf({ events }).result as { text: string }).text) as unknown;
  };
  const user = (id: string, content: never) => ({ id, role: 'user' as const, content });
  const messages = [user('u1', 'first' as never), user('u2', [{ type: 'text', text: 'hello' }] as never)];
  const state = { city: 'Porto', holdpoint: { status: 'running' } };
  expect(await said({ messages, state, forwardedProps: { input: { a: [1] } } })).toEqual({ a: [1] });
  expect(await said({ messages, state })).toBe('hello');
  expect(await said({ messages, context: [{ description: 'user', value: 'Sam' }] })).toBe(
    'hello\n\nContext:\n- user: Sam',
  );
  expect(await said({ state })).toEqual({ city: 'Porto' });
  expect(await said({})).toBeNull();
});

test('a client that comes back gets what it lacks, and no message twice', async () => {
  const agent = agentOn(stack.api);
  const sub = delegate(script([effect('sub'), choice('A', 'B')], 'sub done'));
  await play(agent, start(script([[effect('one'), sub], effect('two')], 'all done')));
  const known = agent.messages.map(({ id }) => id);
  expect(known.length).toBeGreaterThan(2);

  // It knows everything: nothing but the question again.
  agent.pendingInterrupts = [];
  const again = await play(agent);
  expect(interruptsOf(again)).toMatchObject([{ message: 'Which one?' }]);
  expect(typesOf(again)).not.toContain('TOOL_CALL_START');
  expect(typesOf(again)).toContain('SUBAGENT_STARTED');
  expect(agent.messages.map(({ id }) => id)).toEqual(known);

  // It knows nothing: all of it, in the same words.
  const fresh = agentOn(stack.api, { threadId: agent.threadId });
  const all = await play(fresh);
  const sorted = (of: typeof agent) => [...of.messages].sort((a, b) => (a.id < b.id ? -1 : 1));
  expect(sorted(fresh)).toEqual(sorted(agent));

  // A message that had reached it in part is put right.
  const asking = fresh.messages.findIndex((message) => message.role === 'assistant' && message.toolCalls?.length === 2);
  const cut = structuredClone(fresh.messages);
  Object.assign(cut[asking] ?? {}, { toolCalls: [] });
  fresh.setMessages(cut);
  fresh.pendingInterrupts = [];
  const mended = await play(fresh);
  expect(typesOf(mended)).toContain('MESSAGES_SNAPSHOT');
  expect(sorted(fresh)).toEqual(sorted(agent));

  const [interrupt] = interruptsOf(all);
  const end = await play(fresh, { resume: [resolved(interrupt?.id ?? '', pick('q1_o1'))] });
  expect(finishedOf(end).outcome).toEqual({ type: 'success' });
  // The end is told again to who has missed it; a new message is no part of a run that is over.
  agent.pendingInterrupts = [];
  const ended = await play(agent);
  expect(finishedOf(ended)).toMatchObject({ outcome: { type: 'success' }, result: { text: 'all done' } });
  expect(sorted(agent)).toEqual(sorted(fresh));
  agent.addMessage({ id: randomUUID(), role: 'user', content: 'and now?' });
  expect((await play(agent)).error?.message).toMatch(/409.*run_exists/);
});

test('a client that leaves takes nothing with it: the run goes on, and nobody follows it any more', async () => {
  const threadId = randomUUID();
  const leave = new AbortController();
  const body = inputFor(threadId, start(script([[sleep(3_000), delegate(script([sleep(3_000)]))], freeForm()])));
  const response = await post(stack.api, 'scripted', body, { signal: leave.signal });
  const seen: Event[] = [];
  const reading = readEvents(response.body as ReadableStream<Uint8Array>, (event) => seen.push(event)).catch(
    () => 'cut',
  );
  expect(await eventually(() => seen.some(({ type }) => type === EventType.SUBAGENT_STARTED))).toBe(true);
  expect(await eventually(() => temporal.inFlight(LONG_POLL) === 2)).toBe(true);
  leave.abort();
  expect(await reading).toBe('cut');
  expect(await eventually(() => temporal.inFlight(LONG_POLL) === 0)).toBe(true);
  checkEvents(seen);
  await stack.api.untilWaiting(threadId);
  await stack.api.call('POST', `/agents/${threadId}/cancel`);
});

test('two runs of the same request at once are one run, followed twice', async () => {
  const body = inputFor(randomUUID(), start(script([freeForm()])));
  const both = await Promise.all([postAndRead(stack.api, 'scripted', body), postAndRead(stack.api, 'scripted', body)]);
  for (const events of both) expect(interruptsOf({ events })).toMatchObject([{ id: `${body.threadId}:q1` }]);
});

test('with no worker up an answer is taken all the same, and the stream goes on when there is one', async () => {
  const agent = agentOn(stack.api);
  const [interrupt] = interruptsOf(await play(agent, start(script([freeForm(), effect('after')]))));
  await stack.stopWorker();
  const resuming = play(agent, { resume: [resolved(interrupt?.id ?? '', freeText('meanwhile'))] });
  const answered = async () => (await stack.historyTypes(agent.threadId)).includes('WorkflowExecutionSignaled');
  expect(await eventually(answered)).toBe(true);
  await stack.startWorker();
  const end = await resuming;
  expect(finishedOf(end).outcome).toEqual({ type: 'success' });
  expect(ofType(end, EventType.STEP_STARTED).map(({ stepName }) => stepName)).toContain('record_effect');
  expect(await stack.api.toolResults(agent.threadId, 'ask_a_human')).toEqual([{ answer: 'meanwhile' }]);
});

test('answers that are refused together are counted, by why', async () => {
  const { run_id } = await stack.api.start(script([freeForm()]));
  await stack.api.untilWaiting(run_id);
  const counted = async () => {
    const reply = await fetch(`${stack.api.url}/metrics`, { headers: { authorization: `Bearer ${stack.api.key}` } });
    return (
      metric(await reply.text(), 'holdpoint_api_answers_total', { channel: 'ag_ui', outcome: 'invalid_input' }) ?? 0
    );
  };
  const before = await counted();
  const resume = [resolved(`${run_id}:q1`, freeText(' '))];
  expect(errorOf(await play(agentOn(stack.api, { threadId: run_id }), { resume }))).toMatchObject({
    code: 'invalid_input',
  });
  expect(await counted()).toBe(before + 1);
});
