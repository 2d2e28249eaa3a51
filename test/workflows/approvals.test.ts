/** The approval gate: what pauses before it runs, what each answer does, and that nothing runs without a person's yes. */
import { z } from 'zod';
import { defineTool } from '../../activities/define';
import { expectCleanHistories } from '../support/checks';
import { TEST_KEY } from '../support/http';
import { McpCaller } from '../support/mcp';
import { ModelStack, wireAgent } from '../support/model-agents';
import { toolMessages, type WireCall } from '../support/openai-server';
import { decline, freeText, pick, writeIn } from '../support/scripts';

const paid: { to: string; amount: number }[] = [];
const payInput = z.object({ to: z.string(), amount: z.number().positive() });
const tools = [
  defineTool({
    name: 'pay',
    description: 'Pays *somebody*.\nReally.',
    input: payInput,
    needsApproval: true,
    execute: (args) => void paid.push(args),
  }),
  defineTool({
    name: 'pay_small',
    description: 'Pays, and asks above 100.',
    input: payInput,
    needsApproval: ({ amount }) => {
      if (amount === 13) throw new Error('no luck');
      return amount > 100;
    },
    execute: (args) => {
      paid.push(args);
      return 'paid';
    },
  }),
];
const treasurer = wireAgent('treasurer', { tools });
const clerk = wireAgent('clerk', { subAgents: [treasurer] });
const pay = (to: string, amount = 500): WireCall => ({ name: 'pay', args: { to, amount } });

describe('the approval gate', () => {
  let on: ModelStack;
  beforeAll(async () => (on = await ModelStack.start([treasurer, clerk])));
  afterAll(() => on.stop());
  beforeEach(() => void paid.splice(0));

  const told = () => toolMessages(on.models.requestsOf('treasurer').at(-1) as never);
  const start = async (calls: WireCall[], more: Record<string, unknown> = {}): Promise<string> => {
    on.models.plays('treasurer', { calls }, { text: 'done' });
    return on.start('treasurer', 'pay', more);
  };
  const answer = async (runId: string, askId: string, input: unknown): Promise<void> => {
    await on.stack.api.untilWaiting(runId, askId);
    expect((await on.stack.api.resume(runId, input, { ask_id: askId })).status).toBe(200);
  };

  test('shows the tool and its arguments as a choice, and runs nothing before the yes', async () => {
    const runId = await start([pay('Ada `x` ```')]);
    const { pending_input_context: ask } = await on.stack.api.untilWaiting(runId);
    expect(ask).toMatchObject({
      ask_id: 'q1',
      kind: 'multiple_choice',
      question: 'May treasurer run the tool pay with these arguments?',
      options: [
        { id: 'q1_o1', label: 'Approve' },
        { id: 'q1_o2', label: 'Reject' },
        { id: 'other', label: 'Other' },
      ],
    });
    expect(ask?.context).toContain('> Pays *somebody*.\n> Really.');
    expect(ask?.context).toContain('````json\n{\n  "to": "Ada `x` ```",\n  "amount": 500\n}\n````');
    expect(paid).toEqual([]);
    await answer(runId, 'q1', pick('q1_o1'));
    expect((await on.stack.api.untilEnded(runId)).status).toBe('completed');
    expect(paid).toEqual([{ to: 'Ada `x` ```', amount: 500 }]);
    expect(told()).toEqual([null]);
    const steps = (await on.stack.api.events(runId)).filter(
      ({ type }) => type === 'step.started' || type === 'step.paused',
    );
    expect(steps.map(({ type, data }) => [type, data.name])).toEqual([
      ['step.started', 'model turn 1'],
      ['step.started', 'approve pay'],
      ['step.paused', 'approve pay'],
      ['step.started', 'pay'],
      ['step.started', 'model turn 2'],
    ]);
    await expectCleanHistories(on.stack.client, runId);
  });

  test.each([
    ['Reject', pick('q1_o2'), 'a person rejected it: it did not run'],
    ['a reason under Other', writeIn('  too dear, ask Bob '), 'too dear, ask Bob'],
    ['a list under Other', writeIn('[1]'), '[1]'],
    ['a decline with a reason', decline('not my job'), 'not my job'],
    ['a decline', decline(), 'the person declined to decide: it did not run'],
  ])('%s is a no that reaches the model', async (_what, input, message) => {
    const runId = await start([pay('Ada')]);
    await answer(runId, 'q1', input);
    expect((await on.stack.api.untilEnded(runId)).result).toEqual({ text: 'done' });
    expect(paid).toEqual([]);
    expect(told()).toEqual([{ error: 'approval_rejected', message }]);
  });

  test('approve with other arguments: judged by the tool, asked again until they fit, and told to the model', async () => {
    const runId = await start([pay('Ada')]);
    await answer(runId, 'q1', writeIn('{"to":"Bob","amount":-5}'));
    const again = await on.stack.api.untilWaiting(runId, 'q2');
    expect(again.pending_input_context?.context).toMatch(
      /^\*\*Your arguments do not fit the tool:\*\*\n> amount must be > 0/,
    );
    expect(paid).toEqual([]);
    await answer(runId, 'q2', writeIn('```json\n{"to":"Bob","amount":5}\n```'));
    await on.stack.api.untilEnded(runId);
    expect(paid).toEqual([{ to: 'Bob', amount: 5 }]);
    expect(told()).toEqual([{ edited_arguments: { to: 'Bob', amount: 5 }, result: null }]);
  });

  test('a word under Other that is the label of an option is that option', async () => {
    const runId = await start([pay('Ada')]);
    await answer(runId, 'q1', writeIn(' approve '));
    await on.stack.api.untilEnded(runId);
    expect(paid).toEqual([{ to: 'Ada', amount: 500 }]);
  });

  test('a model that answers over MCP approves and rejects nothing: the ask stays open for its user', async () => {
    const runId = await start([pay('Ada')]);
    await on.stack.api.untilWaiting(runId);
    const mcp = await McpCaller.http(on.stack.api.url, TEST_KEY);
    try {
      for (const input of [pick('q1_o1'), pick('q1_o2'), writeIn('{"to":"Bob","amount":5}'), decline()]) {
        expect(await mcp.refused('resume_run', { run_id: runId, input })).toMatchObject({
          error: 'invalid_input',
          message: expect.stringMatching(/person has to decide .*answered_by "user"/),
          issues: [{ path: 'given_by', code: 'person_needed' }],
        });
      }
      // A key that stands for the refusal of the model's word does not take the user's along with it.
      const keyed = { run_id: runId, input: pick('q1_o1'), idempotency_key: 'approve-1' };
      for (let k = 0; k < 2; k += 1) {
        expect(await mcp.refused('resume_run', keyed)).toMatchObject({ issues: [{ code: 'person_needed' }] });
      }
      const asUser = { ...keyed, answered_by: 'user' };
      expect(await mcp.refused('resume_run', asUser)).toMatchObject({ error: 'idempotency_conflict' });
      // Past the API too: the run judges signals by the same rule.
      const raw = { input: pick('q1_o1'), channel: 'mcp', given_by: 'model' };
      await on.stack.client.workflow.getHandle(runId).signal('answer', raw);
      const rejected = async () => (await on.stack.api.events(runId)).filter(({ type }) => type === 'ask.rejected');
      expect(await rejected()).toMatchObject([{ data: { ask_id: 'q1', issues: [{ code: 'person_needed' }] } }]);
      expect((await on.stack.api.read(runId)).pending_input_context?.ask_id).toBe('q1');
      expect(paid).toEqual([]);

      await mcp.run('resume_run', { ...asUser, idempotency_key: 'approve-2' });
    } finally {
      await mcp.close();
    }
    expect((await on.stack.api.untilEnded(runId)).status).toBe('completed');
    expect(paid).toEqual([{ to: 'Ada', amount: 500 }]);
  });

  test('a function decides by the arguments; one that fails is a yes to asking', async () => {
    const small = (amount: number) => ({ name: 'pay_small', args: { to: 'Ada', amount } });
    const runId = await start([
      small(5),
      small(101),
      small(13),
      { name: 'pay_small', args: { to: 'Ada', amount: 'x' } },
    ]);
    await answer(runId, 'q1', pick('q1_o1'));
    await answer(runId, 'q2', pick('q2_o2'));
    await on.stack.api.untilEnded(runId);
    expect(paid.map(({ amount }) => amount)).toEqual([5, 101]);
    expect(told()).toMatchObject(['paid', 'paid', { error: 'approval_rejected' }, { error: 'invalid_arguments' }]);
  });

  test('several in one turn are put one after the other in the order of the calls, a question of the agent first', async () => {
    const question = { name: 'ask_a_human', args: { kind: 'free_form', question: 'Who pays?' } };
    const runId = await start([pay('first'), question, pay('second')]);
    expect((await on.stack.api.untilWaiting(runId, 'q1')).pending_input_context?.question).toBe('Who pays?');
    await answer(runId, 'q1', freeText('we do'));
    expect((await on.stack.api.untilWaiting(runId, 'q2')).pending_input_context?.context).toContain('first');
    await answer(runId, 'q2', pick('q2_o2'));
    await answer(runId, 'q3', pick('q3_o1'));
    await on.stack.api.untilEnded(runId);
    expect(paid.map(({ to }) => to)).toEqual(['second']);
    expect(told()).toMatchObject([{ error: 'approval_rejected' }, { answer: 'we do' }, null]);
  });

  test.each([
    ['none', 'no_human_in_loop'],
    ['auto', 'on_question_auto'],
  ])('under on_question %s the tool is refused, and nobody is asked', async (mode, error) => {
    const runId = await start([pay('Ada')], { on_question: mode });
    expect((await on.stack.api.untilEnded(runId)).result).toEqual({ text: 'done' });
    expect(told()).toEqual([{ error, message: expect.stringContaining('approval') }]);
    expect(paid).toEqual([]);
    expect((await on.stack.api.events(runId)).some(({ type }) => type === 'ask.opened')).toBe(false);
  });

  test('arguments longer than a context are shown cut, inside their fence', async () => {
    const runId = await start([pay('`~ 😀'.repeat(20_000))]);
    const { pending_input_context: ask } = await on.stack.api.untilWaiting(runId);
    const context = ask?.context ?? '';
    expect(Array.from(context).length).toBeLessThanOrEqual(16_000);
    expect(context.match(/^```(json)?$/gm)).toHaveLength(2);
    expect(context).toMatch(/These are the first \d+ of \d+ characters\./);
    await answer(runId, 'q1', pick('q1_o2'));
    await on.stack.api.untilEnded(runId);
  });

  test("a sub-agent's approval climbs to its caller, and a cancel withdraws it unrun", async () => {
    on.models.plays('treasurer', { calls: [pay('Ada')] }, { text: 'done' });
    on.models.plays(
      'clerk',
      { calls: [{ name: 'delegate', args: { agent: 'treasurer', input: 'pay' } }] },
      { text: 'ok' },
    );
    const root = await on.start('clerk');
    const waiting = await on.stack.api.until(root, (run) => run.children_awaiting.length === 1);
    expect(waiting.status).toBe('running');
    const child = waiting.children_awaiting[0]?.run_id ?? '';
    expect((await on.stack.api.call('POST', `/agents/${root}/cancel`)).status).toBe(202);
    expect((await on.stack.api.untilEnded(child)).status).toBe('cancelled');
    expect((await on.stack.api.untilEnded(root)).status).toBe('cancelled');
    expect(paid).toEqual([]);
  });
});
