/** AG-UI (issue 5): conversations played by the protocol's own client, over real HTTP. */
import { randomUUID } from 'node:crypto';
import { EventType } from '@ag-ui/core';
import type { HttpAgent } from '@ag-ui/client';
import {
  agentOn,
  cancelled,
  errorOf,
  finishedOf,
  interruptsOf,
  ofType,
  play,
  resolved,
  resumeOf,
  scripted,
  typesOf,
} from '../support/ag-ui';
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
import { untilChildren } from '../support/trees';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());

const results = (agent: HttpAgent) =>
  agent.messages.filter((message) => message.role === 'tool').map(({ content }) => JSON.parse(content as string));

describe('one question', () => {
  test('the segment ends with an interrupt that says all of it, and the resumed one with the result', async () => {
    const agent = agentOn(stack.api);
    const asked = await play(agent, scripted(script([effect('before'), choice('SMB', 'Enterprise')], 'all done')));
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
    let segment = await play(agent, scripted(script([mc, ff, mc, ff])));
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
    const asked = await play(agent, scripted(script([choice('A', 'B')])));
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
    const [interrupt] = interruptsOf(await play(agent, scripted(script([freeForm(), freeForm('And then?')]))));
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
    const [interrupt] = interruptsOf(await play(agent, scripted(script([freeForm()]))));
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

describe('other ends', () => {
  test('a run that fails is RUN_ERROR with its code; a sub-agent that fails is not', async () => {
    const agent = agentOn(stack.api);
    const failing = delegate({ turns: [] }, { agent: 'nobody' });
    const segment = await play(agent, scripted(script([failing, freeForm()])));
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
    const playing = play(agent, scripted(script([[delegate(script([sleep(600_000)])), sleep(600_000)]])));
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
    const segment = await play(agent, scripted(script([freeForm()]), { on_question: mode }));
    expect(finishedOf(segment).outcome).toEqual({ type: 'success' });
    expect(results(agent)).toEqual([result]);
    expect(typesOf(segment)).not.toContain('MESSAGES_SNAPSHOT');
  });
});
