/** AG-UI (issue 5): conversations played by the protocol's own client, over real HTTP. */
import { randomUUID } from 'node:crypto';
import { EventType } from '@ag-ui/core';
import type { HttpAgent } from '@ag-ui/client';
import { agentOn, errorOf, finishedOf, interruptsOf, ofType, play, typesOf } from '../support/ag-ui';
import {
  choice,
  decline,
  delegate,
  effect,
  freeForm,
  freeText,
  pick,
  script,
  sleep,
  writeIn,
} from '../support/scripts';
import { TestStack } from '../support/stack';
import { eventually } from '../support/http';
import { lineOf, nested, untilAwaiting, untilChildren } from '../support/trees';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());

const start = (input: unknown, more: Record<string, unknown> = {}) => ({ forwardedProps: { input, ...more } });
const resolved = (interruptId: string, payload: unknown) => ({ interruptId, status: 'resolved' as const, payload });
const cancelled = (interruptId: string) => ({ interruptId, status: 'cancelled' as const });
const resumeOf = (agent: HttpAgent, ...resume: (ReturnType<typeof resolved> | ReturnType<typeof cancelled>)[]) =>
  play(agent, { resume });
const results = (agent: HttpAgent) =>
  agent.messages.filter((message) => message.role === 'tool').map(({ content }) => JSON.parse(content as string));

describe('one question', () => {
  test('the segment ends with an interrupt that says all of it, and the resumed one with the result', async () => {
    const agent = agentOn(stack.api);
    const asked = await play(agent, start(script([effect('before'), choice('SMB', 'Enterprise')], 'all done')));
    expect(asked.error).toBeUndefined();
    const run = await stack.api.read(agent.threadId);
    expect(run).toMatchObject({ run_id: agent.threadId, agent: 'scripted', status: 'awaiting_input' });
    const id = `${run.run_id}:q1`;
    const ask = ofType(asked, EventType.TOOL_CALL_START).find(({ toolCallName }) => toolCallName === 'ask_a_human');
    expect(interruptsOf(asked)).toEqual([
      {
        id,
        reason: 'input_required',
        message: 'Which one?',
        responseSchema: run.pending_input_schema,
        toolCallId: ask?.toolCallId,
        metadata: {
          run_id: run.run_id,
          ask_id: 'q1',
          kind: 'multiple_choice',
          context: null,
          options: run.pending_input_context?.options,
          asked_at: run.pending_input_context?.asked_at,
          assignee: null,
        },
      },
    ]);
    expect(finishedOf(asked)).toMatchObject({ threadId: agent.threadId });
    expect(asked.events[0]).toMatchObject({ type: 'RUN_STARTED', threadId: agent.threadId, protocolVersion: '1.0' });
    expect(agent.state).toEqual({
      holdpoint: {
        run_id: run.run_id,
        agent: 'scripted',
        status: 'awaiting_input',
        waiting: [{ id, run_id: run.run_id, ask_id: 'q1', question: 'Which one?', asked_at: expect.any(String) }],
      },
    });
    expect(ofType(asked, EventType.STEP_STARTED).map(({ stepName }) => stepName)).toEqual([
      'model turn 1',
      'record_effect',
      'model turn 2',
      'ask_a_human',
    ]);

    const answered = await resumeOf(agent, resolved(id, pick('q1_o2')));
    expect(finishedOf(answered)).toMatchObject({ outcome: { type: 'success' }, result: { text: 'all done' } });
    expect(results(agent)).toEqual([{ recorded: 'before' }, { answer: 'Enterprise', option_id: 'q1_o2' }]);
    expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'all done' });
    // Nothing was told twice: each message of the transcript but the first is there once.
    const { messages } = (await stack.api.call('GET', `/agents/${run.run_id}/messages`)).body as {
      messages: unknown[];
    };
    expect(agent.messages).toHaveLength(messages.length - 1);
    expect(agent.pendingInterrupts).toEqual([]);
    expect(agent.state).toMatchObject({ holdpoint: { status: 'completed', waiting: [] } });
    const [event] = (await stack.api.events(run.run_id)).filter(({ type }) => type === 'ask.answered');
    expect(event?.data).toMatchObject({ channel: 'ag_ui', principal: 'tester', by: 'human' });
  });

  test('Other, free form and both ways to decline reach the agent as at any other door', async () => {
    const agent = agentOn(stack.api);
    const [mc, ff] = [choice('A', 'B'), freeForm()];
    let segment = await play(agent, start(script([mc, ff, mc, ff])));
    const answers = [
      (id: string) => resolved(id, writeIn(' neither 😀 ')),
      (id: string) => resolved(id, freeText('line1\nline2')),
      (id: string) => resolved(id, decline('not mine')),
      cancelled,
    ];
    for (const answer of answers) {
      const [interrupt] = interruptsOf(segment);
      segment = await resumeOf(agent, answer(interrupt?.id ?? ''));
    }
    expect(finishedOf(segment).outcome).toEqual({ type: 'success' });
    const told = [
      { answer: 'neither 😀', option_id: 'other' },
      { answer: 'line1\nline2' },
      { skipped: true, reason: 'human_declined', message: 'not mine' },
      { skipped: true, reason: 'human_declined' },
    ];
    expect(results(agent)).toEqual(told);
    expect(await stack.api.toolResults(agent.threadId)).toEqual(told);
  });

  test('a bad answer is RUN_ERROR with the code and the issues, and the run waits on for a good one', async () => {
    const agent = agentOn(stack.api);
    const asked = await play(agent, start(script([choice('A', 'B')])));
    const [interrupt] = interruptsOf(asked);
    const id = interrupt?.id ?? '';
    const bad: [unknown, string][] = [
      [pick('q2_o1'), 'resume.0.payload.option_id'],
      [writeIn(' \u3000'), 'resume.0.payload.other_text'],
      [{ ...pick('q1_o1'), zzz: 1 }, 'resume.0.payload'],
      ['A', 'resume.0.payload'],
      [undefined, 'resume.0.payload'],
    ];
    for (const [payload, path] of bad) {
      const refused = await resumeOf(agent, resolved(id, payload));
      expect(errorOf(refused)).toMatchObject({
        code: 'invalid_input',
        metadata: { issues: [expect.objectContaining({ path })] },
      });
    }
    expect(await stack.api.read(agent.threadId)).toMatchObject({
      status: 'awaiting_input',
      pending_input_schema: interrupt?.responseSchema,
    });
    expect(finishedOf(await resumeOf(agent, resolved(id, pick('q1_o1')))).outcome).toEqual({ type: 'success' });
    expect(await stack.api.toolResults(agent.threadId)).toEqual([{ answer: 'A', option_id: 'q1_o1' }]);
  });

  test('answered elsewhere meanwhile: run_not_waiting; then the thread goes on without that answer', async () => {
    const agent = agentOn(stack.api);
    const [interrupt] = interruptsOf(await play(agent, start(script([freeForm(), freeForm('And then?')]))));
    const id = interrupt?.id ?? '';
    expect((await stack.api.resume(agent.threadId, freeText('over HTTP'))).status).toBe(200);
    await stack.api.untilWaiting(agent.threadId, 'q2');
    expect(errorOf(await resumeOf(agent, resolved(id, freeText('late'))))).toMatchObject({ code: 'ask_mismatch' });
    // The client has to address each interrupt it knows of: abandoning one that is closed takes nothing.
    const again = await resumeOf(agent, cancelled(id));
    expect(interruptsOf(again)).toMatchObject([{ id: `${agent.threadId}:q2`, message: 'And then?' }]);
    const end = await resumeOf(agent, resolved(`${agent.threadId}:q2`, freeText('here')));
    expect(finishedOf(end).outcome).toEqual({ type: 'success' });
    expect(results(agent)).toEqual([{ answer: 'over HTTP' }, { answer: 'here' }]);

    const late = await resumeOf(agent, resolved(`${agent.threadId}:q2`, freeText('again')));
    expect(errorOf(late)).toMatchObject({ code: 'run_not_waiting' });
  });

  test('the same request twice is one answer, and unknown interrupts are told apart', async () => {
    const agent = agentOn(stack.api);
    const [interrupt] = interruptsOf(await play(agent, start(script([freeForm()]))));
    const id = interrupt?.id ?? '';
    const other = await stack.api.start(script([freeForm()]));
    await stack.api.untilWaiting(other.run_id);
    const wrong: [string, string][] = [
      [`${agent.threadId}:q7`, 'ask_mismatch'],
      [`${randomUUID()}:q1`, 'run_not_found'],
      [`${other.run_id}:q1`, 'run_not_found'],
      ['nonsense', 'invalid_input'],
    ];
    agent.pendingInterrupts = [];
    for (const [unknown, code] of wrong) {
      // One good answer beside a wrong one: nothing is answered.
      const refused = await resumeOf(agent, resolved(id, freeText('yes')), resolved(unknown, freeText('yes')));
      expect(errorOf(refused)).toMatchObject({ code });
      expect((await stack.api.read(agent.threadId)).status).toBe('awaiting_input');
    }
    expect((await stack.api.read(other.run_id)).status).toBe('awaiting_input');
    expect(errorOf(await resumeOf(agent, cancelled(`${agent.threadId}:q7`)))).toMatchObject({ code: 'ask_mismatch' });
    const twice = await resumeOf(agent, resolved(id, freeText('a')), resolved(id, freeText('b')));
    expect(errorOf(twice)).toMatchObject({ code: 'invalid_input' });

    const runId = randomUUID();
    const resume = [resolved(id, freeText('yes'))];
    expect(finishedOf(await play(agent, { runId, resume })).outcome).toEqual({ type: 'success' });
    expect(finishedOf(await play(agent, { runId, resume })).outcome).toEqual({ type: 'success' });
    expect(await stack.api.toolResults(agent.threadId)).toEqual([{ answer: 'yes' }]);
    await stack.api.call('POST', `/agents/${other.run_id}/cancel`);
  });
});

describe('sub-agents', () => {
  test('the root asks and two sub-agents ask: one interrupt outcome, one resume, from the root thread', async () => {
    const agent = agentOn(stack.api);
    const child = (question: string) => delegate(script([freeForm(question)], `asked ${question}`));
    const asked = await play(agent, start(script([[child('B?'), child('C?'), freeForm('A?')]])));
    const interrupts = interruptsOf(asked);
    // Two starts of one turn may be confirmed in any order, so a child is known by what it asks.
    const askerOf = (question: string) => interrupts.find(({ message }) => message === question)?.subagentRunId ?? '';
    const children = [askerOf('B?'), askerOf('C?')];
    expect([...(await untilChildren(stack.api, agent.threadId, 2))].sort()).toEqual([...children].sort());
    expect(interrupts.map(({ message, subagentRunId }) => [message, subagentRunId]).sort()).toEqual([
      ['A?', undefined],
      ['B?', children[0]],
      ['C?', children[1]],
    ]);
    const times = interrupts.map(({ metadata }) => metadata?.asked_at as string);
    expect(times).toEqual([...times].sort());
    expect(
      ofType(asked, EventType.SUBAGENT_STARTED)
        .map(({ subagentRunId }) => subagentRunId)
        .sort(),
    ).toEqual([...children].sort());
    for (const subagentRunId of children) {
      const [ended] = ofType(asked, EventType.SUBAGENT_FINISHED).filter(
        (event) => event.subagentRunId === subagentRunId,
      );
      expect(ended?.outcome).toEqual({ type: 'suspended', interruptIds: [`${subagentRunId}:q1`] });
    }
    expect(agent.state.holdpoint.waiting).toHaveLength(3);

    const end = await resumeOf(agent, ...interrupts.map(({ id, message }) => resolved(id, freeText(`to ${message}`))));
    expect(finishedOf(end).outcome).toEqual({ type: 'success' });
    for (const runId of children) {
      const ends = ofType(end, EventType.SUBAGENT_FINISHED).filter((event) => event.subagentRunId === runId);
      expect(ends).toMatchObject([{ outcome: { type: 'success' }, result: { text: expect.stringMatching(/^asked/) } }]);
    }
    expect(await stack.api.toolResults(agent.threadId, 'ask_a_human')).toEqual([{ answer: 'to A?' }]);
    expect(await stack.api.toolResults(children[0] ?? '')).toEqual([{ answer: 'to B?' }]);
    expect(await stack.api.toolResults(children[1] ?? '')).toEqual([{ answer: 'to C?' }]);
    const attributed = agent.messages.filter((message) => 'subagentRunId' in message);
    expect(new Set(attributed.map((message) => message.subagentRunId))).toEqual(new Set(children));
  });

  test('a sibling that still works: the segment waits for it, and what is not answered comes back', async () => {
    const agent = agentOn(stack.api);
    const working = delegate(script([sleep(4_000)], 'worked'));
    const asking = delegate(script([freeForm('B?')]));
    const asked = await play(agent, start(script([[working, asking, freeForm('A?')]])));
    const asker = interruptsOf(asked).find(({ subagentRunId }) => subagentRunId)?.subagentRunId;
    const worker = (await untilChildren(stack.api, agent.threadId, 2)).find((runId) => runId !== asker);
    const done = ofType(asked, EventType.SUBAGENT_FINISHED).find(({ subagentRunId }) => subagentRunId === worker);
    expect(done).toMatchObject({ outcome: { type: 'success' }, result: { text: 'worked' } });
    expect((await stack.api.read(worker ?? '')).status).toBe('completed');
    expect(
      interruptsOf(asked)
        .map(({ subagentRunId }) => subagentRunId)
        .sort(),
    ).toEqual([asker, undefined]);

    // A client that leaves an interrupt out gets it again.
    agent.pendingInterrupts = [];
    const half = await resumeOf(agent, resolved(`${asker}:q1`, freeText('b')));
    expect(interruptsOf(half)).toMatchObject([{ id: `${agent.threadId}:q1` }]);
    const end = await resumeOf(agent, cancelled(`${agent.threadId}:q1`));
    expect(finishedOf(end).outcome).toEqual({ type: 'success' });
  });

  test('a question three levels down is asked at the root, with the sub-agents above it suspended', async () => {
    const agent = agentOn(stack.api);
    const asked = await play(agent, start(nested(3, choice('A', 'B'))));
    const line = await lineOf(stack.api, agent.threadId, 3);
    expect(interruptsOf(asked)).toMatchObject([{ id: `${line[3]}:q1`, subagentRunId: line[3] }]);
    expect(
      ofType(asked, EventType.SUBAGENT_STARTED).map(({ subagentRunId, parentSubagentRunId }) => [
        subagentRunId,
        parentSubagentRunId,
      ]),
    ).toEqual([
      [line[1], undefined],
      [line[2], line[1]],
      [line[3], line[2]],
    ]);
    expect(
      ofType(asked, EventType.SUBAGENT_FINISHED).map(({ subagentRunId, outcome }) => [subagentRunId, outcome]),
    ).toEqual([
      [line[3], { type: 'suspended', interruptIds: [`${line[3]}:q1`] }],
      [line[2], { type: 'suspended' }],
      [line[1], { type: 'suspended' }],
    ]);
    const end = await resumeOf(agent, resolved(`${line[3]}:q1`, pick('q1_o1')));
    expect(finishedOf(end).outcome).toEqual({ type: 'success' });
    expect(ofType(end, EventType.SUBAGENT_FINISHED)).toHaveLength(3);
    expect(await stack.api.toolResults(line[3] ?? '')).toEqual([{ answer: 'A', option_id: 'q1_o1' }]);
  });

  test('one bad answer among good ones: nothing is answered; one lost to another door: its code, and the thread goes on', async () => {
    const agent = agentOn(stack.api);
    const asking = (question: string) => delegate(script([freeForm(question)]));
    const asked = await play(agent, start(script([[asking('B?'), asking('C?')]])));
    const [first, second] = interruptsOf(asked).map(({ id }) => id);
    const refused = await resumeOf(
      agent,
      resolved(first ?? '', freeText('good')),
      resolved(second ?? '', freeText(' ')),
    );
    expect(errorOf(refused)).toMatchObject({ code: 'invalid_input' });
    await untilAwaiting(stack.api, agent.threadId, 2);

    const [winner] = (second ?? '').split(':');
    expect((await stack.api.resume(winner ?? '', freeText('elsewhere'))).status).toBe(200);
    const late = await resumeOf(
      agent,
      resolved(first ?? '', freeText('good')),
      resolved(second ?? '', freeText('late')),
    );
    expect(errorOf(late)).toMatchObject({ code: 'run_not_waiting' });
    await untilAwaiting(stack.api, agent.threadId, 1);

    const end = await resumeOf(agent, resolved(first ?? '', freeText('good')), cancelled(second ?? ''));
    expect(finishedOf(end).outcome).toEqual({ type: 'success' });
    expect(await stack.api.toolResults(winner ?? '')).toEqual([{ answer: 'elsewhere' }]);
  });
});

describe('other ends', () => {
  test('a run that fails is RUN_ERROR with its code; a sub-agent that fails is not', async () => {
    const agent = agentOn(stack.api);
    const failing = delegate({ turns: [] }, { agent: 'nobody' });
    const segment = await play(agent, start(script([failing, freeForm()])));
    const [failed] = ofType(segment, EventType.SUBAGENT_ERROR);
    expect(failed).toMatchObject({ code: 'unknown_agent' });
    await stack.client.workflow.getHandle(agent.threadId).terminate();
    const end = await resumeOf(agent, cancelled(`${agent.threadId}:q1`));
    expect(errorOf(end)).toMatchObject({ code: expect.stringMatching(/^(terminated|run_not_waiting)$/) });
    agent.pendingInterrupts = [];
    expect(errorOf(await play(agent))).toMatchObject({ code: 'terminated' });
  });

  test('a cancelled run ends the stream that is open on it with the cancelled outcome', async () => {
    const agent = agentOn(stack.api);
    const playing = play(agent, start(script([[delegate(script([sleep(600_000)])), sleep(600_000)]])));
    await eventually(async () => (await stack.api.call('GET', `/agents/${agent.threadId}`)).status === 200);
    await untilChildren(stack.api, agent.threadId);
    await stack.api.call('POST', `/agents/${agent.threadId}/cancel`);
    const segment = await playing;
    expect(finishedOf(segment).outcome).toEqual({ type: 'cancelled' });
    expect(ofType(segment, EventType.SUBAGENT_ERROR)).toMatchObject([{ code: 'cancelled' }]);
  });

  test.each([
    ['auto', { skipped: true, reason: 'on_question_auto' }],
    ['none', { error: 'no_human_in_loop' }],
  ])('on_question %s asks nobody', async (mode, result) => {
    const agent = agentOn(stack.api);
    const segment = await play(agent, start(script([freeForm()]), { on_question: mode }));
    expect(finishedOf(segment).outcome).toEqual({ type: 'success' });
    expect(results(agent)).toEqual([result]);
    expect(typesOf(segment)).not.toContain('MESSAGES_SNAPSHOT');
  });
});
