/** C23 of CASES.md: two asks in one turn. */
import { readFileSync } from 'node:fs';
import { ScriptedModel } from '../../activities/scripted-model';
import type { Agent, ModelTurnRequest } from '../../activities';
import { failedTasks } from '../support/histories';
import { choice, decline, delegate, effect, freeForm, freeText, pick, script, type Call } from '../support/scripts';
import { TestStack } from '../support/stack';

const scripted = new ScriptedModel((input) => input);
/** What the model was given at each turn, by run: the only thing that a real model would see. */
const given = new Map<string, ModelTurnRequest[]>();

/** The scripted agent, whose model keeps what it is asked. */
const witness: Agent = {
  name: 'witness',
  description: 'Plays a script and keeps what its model is given.',
  model: {
    respond: async (request) => {
      given.set(request.run_id, [...(given.get(request.run_id) ?? []), request]);
      return scripted.respond(request);
    },
  },
};

const IN_FLIGHT = { error: 'ask_in_flight' };
const MC = choice('A', 'B');
const FF = freeForm();
const BAD = choice('only one');
const REFUSED = { error: 'invalid_question', message: expect.any(String) };
const A = { answer: 'A', option_id: 'q1_o1' };

describe('C23 two asks in one turn', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start({ agents: [witness] })));
  afterAll(() => stack.stop());

  /** Calls of the model's last turn and what came back for each, as the model itself was given them. */
  function lastTurn(runId: string): { ids: string[]; results: Map<string, unknown> } {
    const messages = given.get(runId)?.at(-1)?.messages ?? [];
    const last = messages.findLastIndex(({ role }) => role === 'assistant');
    const asked = messages[last];
    const results = new Map<string, unknown>();
    for (const message of messages.slice(last + 1)) {
      if (message.role === 'tool') results.set(message.tool_call_id, message.result);
    }
    return { ids: asked?.role === 'assistant' ? asked.tool_calls.map(({ id }) => id) : [], results };
  }

  const cases: [name: string, calls: Call[], kind: string, answer: unknown, results: unknown[]][] = [
    ['multiple choice, then free form', [MC, FF], 'multiple_choice', pick('q1_o1'), [A, IN_FLIGHT]],
    ['free form, then multiple choice', [FF, MC], 'free_form', freeText('x'), [{ answer: 'x' }, IN_FLIGHT]],
    ['the same one twice', [MC, MC], 'multiple_choice', pick('q1_o1'), [A, IN_FLIGHT]],
    ['five', [MC, FF, MC, FF, FF], 'multiple_choice', pick('q1_o1'), [A, ...Array(4).fill(IN_FLIGHT)]],
    [
      'a malformed one first, which holds no place',
      [BAD, MC, FF],
      'multiple_choice',
      pick('q1_o1'),
      [REFUSED, A, IN_FLIGHT],
    ],
    [
      'a malformed one second',
      [MC, BAD],
      'multiple_choice',
      pick('q1_o1'),
      [A, expect.objectContaining({ error: expect.any(String) })],
    ],
    [
      'and the first is declined',
      [FF, MC],
      'free_form',
      decline(),
      [{ skipped: true, reason: 'human_declined' }, IN_FLIGHT],
    ],
  ];

  test.each(cases)('%s: one pends, and every call has its result', async (_name, calls, kind, answer, results) => {
    const { api } = stack;
    const { run_id } = await api.start(script([calls]), { agent: 'witness' });
    const record = await api.untilWaiting(run_id);
    expect(record.pending_input_context).toMatchObject({ ask_id: 'q1', kind });
    expect(await api.pendingAsks(run_id)).toEqual([{ run_id, ask_id: 'q1' }]);
    expect((await api.resume(run_id, answer)).status).toBe(200);
    expect((await api.untilEnded(run_id)).status).toBe('completed');

    expect(given.get(run_id)).toHaveLength(2);
    const turn = lastTurn(run_id);
    expect(turn.ids).toHaveLength(calls.length);
    expect(new Set(turn.ids).size).toBe(calls.length);
    expect([...turn.results.keys()].sort()).toEqual([...turn.ids].sort());
    expect(turn.ids.map((id) => turn.results.get(id))).toEqual(results);
    const events = await api.events(run_id);
    expect(events.filter(({ type }) => type === 'ask.opened')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'step.paused')).toHaveLength(1);
    expect(await failedTasks(stack.client, run_id)).toEqual([]);
  });

  test('one answer never counts for two: the refused question is asked again, gets its own id and its own answer', async () => {
    const { api } = stack;
    const { run_id } = await api.start(script([[MC, FF], FF]), { agent: 'witness' });
    await api.untilWaiting(run_id, 'q1');
    expect((await api.resume(run_id, freeText('for the second one'))).status).toBe(422);
    expect((await api.resume(run_id, pick('q1_o2'))).status).toBe(200);
    const second = await api.untilWaiting(run_id, 'q2');
    expect(second.pending_input_context?.kind).toBe('free_form');
    expect((await api.resume(run_id, pick('q1_o2'))).status).toBe(422);
    expect((await api.resume(run_id, freeText('mine'), { ask_id: 'q1' })).status).toBe(409);
    expect((await api.resume(run_id, freeText('mine'))).status).toBe(200);
    await api.untilEnded(run_id);
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual([
      { answer: 'B', option_id: 'q1_o2' },
      IN_FLIGHT,
      { answer: 'mine' },
    ]);
    expect(await failedTasks(stack.client, run_id)).toEqual([]);
  });

  test('other calls of the turn run while the first ask waits, and a sub-agent’s ask is its own', async () => {
    const { api } = stack;
    const calls = [MC, FF, effect('beside'), delegate(script([FF], 'sub'), { agent: 'witness' })];
    const { run_id } = await api.start(script([calls]), { agent: 'witness' });
    const record = await api.until(
      run_id,
      (run) => run.status === 'awaiting_input' && run.children_awaiting.length === 1,
    );
    expect(record.pending_input_context?.ask_id).toBe('q1');
    const sub = record.children_awaiting[0]?.run_id as string;
    expect((await api.resume(sub, freeText('sub'))).status).toBe(200);
    await api.untilEnded(sub);
    expect((await api.read(run_id)).status).toBe('awaiting_input');
    expect((await api.resume(run_id, pick('q1_o1'))).status).toBe(200);
    await api.untilEnded(run_id);
    const { ids, results } = lastTurn(run_id);
    expect(ids.map((id) => results.get(id))).toEqual([
      A,
      IN_FLIGHT,
      { recorded: 'beside' },
      { child_run_id: sub, result: { text: 'sub' } },
    ]);
    expect(readFileSync(stack.effectsFile, 'utf8')).toBe(`${run_id} beside\n`);
    expect(await failedTasks(stack.client, run_id, sub)).toEqual([]);
  });
});
