/** C17 of CASES.md: an oversized question wedges the run. */
import type { Agent } from '../../activities';
import { failedTasks } from '../support/histories';
import { choice, delegate, freeText, pick, script, writeIn } from '../support/scripts';
import { TestStack } from '../support/stack';

const KB = 1_000;
const ask = (args: Record<string, unknown>) => ({ tool: 'ask_a_human', args });
const labels = (length: number) => Array.from({ length: 6 }, (_, k) => `${k}${'x'.repeat(length - 1)}`);

/** What the model may come up with. Too large for the body of a start, so it is the model that makes it. */
const FLOODS: Record<string, { tool: string; args: unknown }[]> = {
  '3 MB question': [ask({ kind: 'free_form', question: 'x'.repeat(3_000 * KB) })],
  '300 KB question': [ask({ kind: 'free_form', question: 'x'.repeat(300 * KB) })],
  'six labels of 400 KB': [ask({ kind: 'multiple_choice', question: 'Which?', options: labels(400 * KB) })],
  '300 KB of emoji': [ask({ kind: 'free_form', question: '😀'.repeat(75 * KB) })],
  '3 MB of lone surrogates': [ask({ kind: 'free_form', question: '\ud800'.repeat(1_000 * KB) })],
  '3 MB context': [ask({ kind: 'free_form', question: 'ok?', context: 'x'.repeat(3_000 * KB) })],
  '3 MB in an unknown field': [ask({ kind: 'free_form', question: 'ok?', more: { deep: ['x'.repeat(3_000 * KB)] } })],
  'a million options': [ask({ kind: 'multiple_choice', question: 'ok?', options: Array(1_000_000).fill('x') })],
  '3 MB that is no object': [{ tool: 'ask_a_human', args: 'x'.repeat(3_000 * KB) }],
  'three questions of 600 KB': Array(3).fill(ask({ kind: 'free_form', question: 'x'.repeat(600 * KB) })),
};

/** Floods first, then asks a question of proper size. */
const flood: Agent = {
  name: 'flood',
  description: 'Asks far too much, then properly.',
  model: {
    respond: async ({ input, turn }) => {
      if (turn > 1) return { text: 'done', calls: [], final: true, tokens: 0 };
      const calls = turn === 0 ? (FLOODS[input as string] ?? []) : [choice('A', 'B')];
      return {
        text: null,
        calls: calls.map((call, k) => ({ id: `c${turn}_${k}`, tool: call.tool, args: call.args as never })),
        final: false,
        tokens: 0,
      };
    },
  },
};

/** The largest question that the contract allows, of one character: JSON writes some of them as six bytes. */
const largest = (character: string) => ({
  kind: 'multiple_choice',
  question: `Q${character.repeat(3_999)}`,
  context: character.repeat(16_000),
  options: Array.from({ length: 6 }, (_, k) => `${k}${character.repeat(999)}`),
});
const thorough: Agent = {
  name: 'thorough',
  description: 'Asks the largest question there can be.',
  model: {
    respond: async ({ input, turn }) => {
      if (turn > 0) return { text: 'done', calls: [], final: true, tokens: 0 };
      const args = largest(input as string);
      return { text: null, calls: [{ id: 'c0', tool: 'ask_a_human', args }], final: false, tokens: 0 };
    },
  },
};

describe('C17 a question of any size', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start({ agents: [flood, thorough] })));
  afterAll(() => stack.stop());

  const start = (agent: string, input: string) => stack.api.start(input, { agent });

  /** The refusal of each oversized ask, then the good one: what the agent has seen of its questions. */
  async function expectRefusedThenAnswered(runId: string, name: string): Promise<void> {
    const [refused, answered] = [
      await stack.api.toolResults(runId, 'ask_a_human'),
      { answer: 'A', option_id: 'q1_o1' },
    ];
    expect(refused.pop()).toEqual(answered);
    expect(refused).toHaveLength(FLOODS[name]?.length ?? 0);
    for (const result of refused) expect(result).toEqual({ error: 'invalid_question', message: expect.any(String) });
    expect(JSON.stringify(refused).length).toBeLessThan(2_000);
  }

  test.each(Object.keys(FLOODS))('%s is refused to the agent, which asks again and is answered', async (name) => {
    const { api } = stack;
    const { run_id } = await start('flood', name);
    // Nothing of it ever paused the run: the first ask that opened is the proper one.
    const record = await api.untilWaiting(run_id);
    expect(record.pending_input_context).toMatchObject({ ask_id: 'q1', question: 'Which one?' });
    expect((await api.resume(run_id, pick('q1_o1'))).status).toBe(200);
    expect((await api.untilEnded(run_id)).status).toBe('completed');
    await expectRefusedThenAnswered(run_id, name);
    expect(await failedTasks(stack.client, run_id)).toEqual([]);
  });

  test.each(Object.keys(FLOODS))('%s from a sub-agent leaves its parent unharmed', async (name) => {
    const { api } = stack;
    const { run_id } = await api.start(script([delegate(name, { agent: 'flood' }), choice('C', 'D')]));
    const [child] = (await api.until(run_id, (run) => run.children_awaiting.length === 1)).children_awaiting;
    const childId = child?.run_id as string;
    expect((await api.read(run_id)).status).toBe('running');
    expect((await api.resume(childId, pick('q1_o1'))).status).toBe(200);
    await api.untilEnded(childId);
    await expectRefusedThenAnswered(childId, name);
    await api.untilWaiting(run_id);
    expect((await api.resume(run_id, pick('q1_o1'))).status).toBe(200);
    expect((await api.untilEnded(run_id)).status).toBe('completed');
    const frames = (await api.events(run_id)).filter(({ type }) => type === 'child_needs_human');
    expect(frames).toHaveLength(1);
    expect(await failedTasks(stack.client, run_id, childId)).toEqual([]);
  });

  test.each([
    ['emoji', '😀'],
    ['control characters', '\u0001'],
  ])('the largest question that is allowed, of %s, pauses and is answered whole, direct and nested', async (_n, c) => {
    const { api } = stack;
    const { question, context, options } = largest(c);
    const { run_id: direct } = await start('thorough', c);
    const { run_id: root } = await api.start(script([delegate(script([delegate(c, { agent: 'thorough' })]))]));
    const { children_awaiting } = await api.until(root, (run) => run.children_awaiting.length === 1);
    const nested = children_awaiting[0]?.run_id as string;
    const frame = (await api.events(root)).find(({ type }) => type === 'child_needs_human');
    expect((frame?.data.question as { context: string }).context).toBe(context);
    for (const runId of [direct, nested]) {
      const { pending_input_context: pending } = await api.untilWaiting(runId);
      expect(pending).toMatchObject({ question, context });
      expect(pending?.options?.map(({ label }) => label)).toEqual([...options, 'Other']);
      expect((await api.call('GET', `/agents/${runId}/asks`)).status).toBe(200);
      expect((await api.call('GET', `/agents/${runId}/messages`)).status).toBe(200);
      expect((await api.resume(runId, writeIn(`a${c.repeat(3_999)}`))).status).toBe(200);
      expect((await api.untilEnded(runId)).status).toBe('completed');
      const [result] = await api.toolResults(runId, 'ask_a_human');
      expect(result).toEqual({ answer: `a${c.repeat(3_999)}`, option_id: 'other' });
    }
    expect((await api.untilEnded(root)).status).toBe('completed');
    expect(await failedTasks(stack.client, direct, nested, root)).toEqual([]);
  });

  test('24 sub-agents that ask the largest question at once leave root, list and stream readable', async () => {
    const { api } = stack;
    const { run_id } = await api.start(
      script([Array.from({ length: 24 }, () => delegate('😀', { agent: 'thorough' }))]),
    );
    const { children_awaiting } = await api.until(run_id, (run) => run.children_awaiting.length === 24);
    expect(await api.pendingAsks(run_id)).toEqual(children_awaiting);
    let after = 0;
    const frames: unknown[] = [];
    for (let more = true; more;) {
      const { status, body } = await api.call<{ events: { id: number; type: string }[]; has_more: boolean }>(
        'GET',
        `/agents/${run_id}/events?after=${after}`,
      );
      expect(status).toBe(200);
      frames.push(...body.events.filter(({ type }) => type === 'child_needs_human'));
      after = body.events.at(-1)?.id ?? after;
      more = body.has_more;
    }
    expect(frames).toHaveLength(24);
    for (const { run_id: child } of children_awaiting) {
      expect((await api.resume(child, freeText('wrong kind'))).status).toBe(422);
      expect((await api.resume(child, pick('q1_o6'))).status).toBe(200);
    }
    expect((await api.untilEnded(run_id)).status).toBe('completed');
    const ids = children_awaiting.map((child) => child.run_id);
    expect(await failedTasks(stack.client, run_id, ...ids)).toEqual([]);
  });
});
