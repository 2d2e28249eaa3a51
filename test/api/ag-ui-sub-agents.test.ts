/** AG-UI: whole conversations from the root thread, with sub-agents that ask, work on and end. */
import { EventType } from '@ag-ui/core';
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
} from '../support/ag-ui';
import { choice, delegate, freeForm, freeText, pick, script, sleep } from '../support/scripts';
import { TestStack } from '../support/stack';
import { lineOf, nested, untilAwaiting, untilChildren } from '../support/trees';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());

describe('sub-agents', () => {
  test('the root asks and two sub-agents ask: one interrupt outcome, one resume, from the root thread', async () => {
    const agent = agentOn(stack.api);
    const child = (question: string) => delegate(script([freeForm(question)], `asked ${question}`));
    const asked = await play(agent, scripted(script([[child('B?'), child('C?'), freeForm('A?')]])));
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
    const asked = await play(agent, scripted(script([[working, asking, freeForm('A?')]])));
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
    const asked = await play(agent, scripted(nested(3, choice('A', 'B'))));
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
    const asked = await play(agent, scripted(script([[asking('B?'), asking('C?')]])));
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
