/** `delegate` and `collect`: sub-agents in the foreground and in the background, and calls that make no sense. */
import type { Agent } from '../../activities';
import type { Json } from '../../workflows/contract';
import { failedTasks } from '../support/histories';
import { eventually } from '../support/http';
import { collect, delegate, freeForm, freeText, script, sleep } from '../support/scripts';
import { TestStack } from '../support/stack';
import { untilAwaiting, untilChildren } from '../support/trees';

/** Starts two sub-agents in the background and collects the first, twice, and then what is left. */
const collector: Agent = {
  name: 'collector',
  description: 'For tests.',
  model: {
    respond: ({ turn, messages }) => {
      const background = (input: Json) => ({ tool: 'delegate', args: { agent: 'scripted', input, background: true } });
      const started = messages.find((message) => message.role === 'tool');
      const { child_run_id } = (started?.role === 'tool' ? started.result : { child_run_id: '' }) as {
        child_run_id: string;
      };
      const turns: { tool: string; args: Json }[][] = [
        [background(script([freeForm()], 'asked') as never), background(script([], 'q') as never)],
        [{ tool: 'collect', args: { child_run_id } }],
        [{ tool: 'collect', args: { child_run_id } }],
        [{ tool: 'collect', args: {} }],
      ];
      const calls = (turns[turn] ?? []).map((call, k) => ({ id: `call_${turn}_${k}`, ...call }));
      return Promise.resolve({ text: null, calls, final: turn === turns.length, tokens: 0 });
    },
  },
};

describe('sub-agents', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start({ agents: [collector] })));
  afterAll(() => stack.stop());

  const quick = (text: string) => delegate(script([], text), { background: true });
  const resultsOf = async (...turns: Parameters<typeof script>[0]) => {
    const { run_id } = await stack.api.start(script(turns));
    const { status } = await stack.api.untilEnded(run_id);
    expect(status).toBe('completed');
    expect(await failedTasks(stack.client, run_id)).toEqual([]);
    return { results: await stack.api.toolResults(run_id), children: await untilChildren(stack.api, run_id, 0) };
  };

  test("in the foreground the result is the call's, in the order of the calls", async () => {
    const slow = delegate(script([sleep(300)], 'slow'));
    const { results, children } = await resultsOf([slow, delegate(script([], 'fast'))]);
    expect(new Set(children).size).toBe(2);
    expect(results).toEqual([
      { child_run_id: expect.stringMatching(/^run_[0-9a-z]{20,}$/), result: { text: 'slow' } },
      { child_run_id: expect.stringMatching(/^run_[0-9a-z]{20,}$/), result: { text: 'fast' } },
    ]);
    expect(results.map((result) => (result as { child_run_id: string }).child_run_id).sort()).toEqual(
      [...children].sort(),
    );
  });

  test('in the background the id comes at once, and collect waits for all that were not collected', async () => {
    const { results } = await resultsOf([quick('one'), quick('two')], collect(), collect());
    const [one, two] = results as { child_run_id: string }[];
    expect(one).toEqual({ child_run_id: expect.any(String) });
    expect(results.slice(2)).toEqual([
      {
        results: [
          { child_run_id: one?.child_run_id, result: { text: 'one' } },
          { child_run_id: two?.child_run_id, result: { text: 'two' } },
        ],
      },
      { results: [] },
    ]);
  });

  test('collect waits for one sub-agent by its id, and gives its result again when asked again', async () => {
    const { body } = await stack.api.call<{ run_id: string }>('POST', '/agents', { agent: 'collector', input: null });
    const [asker] = await untilAwaiting(stack.api, body.run_id, 1);
    expect((await stack.api.resume(asker?.run_id ?? '', freeText('fine'))).status).toBe(200);
    expect((await stack.api.untilEnded(body.run_id)).status).toBe('completed');
    const [asking, quick, ...collected] = (await stack.api.toolResults(body.run_id)) as { child_run_id: string }[];
    expect(asking?.child_run_id).toBe(asker?.run_id);
    const asked = { child_run_id: asker?.run_id, result: { text: 'asked' } };
    expect(collected).toEqual([
      asked,
      asked,
      { results: [{ child_run_id: quick?.child_run_id, result: { text: 'q' } }] },
    ]);
  });

  test('a run with an unfinished sub-agent in the background does not complete', async () => {
    const { run_id } = await stack.api.start(script([delegate(script([freeForm()], 'asked'), { background: true })]));
    const [child] = await untilAwaiting(stack.api, run_id, 1);
    const done = async () =>
      (await stack.api.events(run_id)).filter(({ data }) => data.name === 'model turn 2').length === 2;
    expect(await eventually(done)).toBe(true);
    // Its model has said its last word; what is left is to wait.
    expect(await stack.api.read(run_id)).toMatchObject({ status: 'running', result: null, ended_at: null });
    expect((await stack.api.resume(child?.run_id ?? '', freeText('fine'))).status).toBe(200);
    expect(await stack.api.untilEnded(run_id)).toMatchObject({ status: 'completed', result: { text: 'done' } });
    expect(await stack.api.read(child?.run_id ?? '')).toMatchObject({ status: 'completed', result: { text: 'asked' } });
    const types = (await stack.api.events(run_id)).map((event) => event.type);
    expect(types.slice(types.indexOf('child.completed'))).toEqual([
      'child.completed',
      'step.completed',
      'run.completed',
    ]);
  });

  test.each([
    ['an unknown id', { child_run_id: 'run_nope' }, 'unknown_child'],
    ['an id that is no text', { child_run_id: 7 }, 'unknown_child'],
    ['a prototype name', { child_run_id: '__proto__' }, 'unknown_child'],
    ['a list', [], 'invalid_arguments'],
    ['a text', 'all', 'invalid_arguments'],
  ])('collect with %s is a tool error', async (_what, args, error) => {
    const { results } = await resultsOf({ tool: 'collect', args: args as never });
    expect(results).toEqual([{ error, message: expect.any(String) }]);
  });

  test.each([
    ['nothing', {}],
    ['no input', { agent: 'scripted' }],
    ['no agent', { input: {} }],
    ['a blank agent', { agent: ' \u200b', input: {} }],
    ['an agent that is no text', { agent: ['scripted'], input: {} }],
    ['an agent with an endless name', { agent: 'a'.repeat(500), input: {} }],
    ['background that is no boolean', { agent: 'scripted', input: {}, background: 'yes' }],
    ['a list', []],
    ['null', null],
  ])('delegate with %s is a tool error and starts nothing', async (_what, args) => {
    const { results, children } = await resultsOf({ tool: 'delegate', args: args as never });
    expect(results).toEqual([{ error: 'invalid_arguments', message: expect.any(String) }]);
    expect(children).toEqual([]);
  });

  test.each(['no_such_tool', 'constructor', '__proto__', '', 'ASK_A_HUMAN', 'x'.repeat(5_000)])(
    'a tool that does not exist is a tool error that names those that do (%#)',
    async (tool) => {
      const { results } = await resultsOf({ tool, args: {} });
      expect(results).toEqual([{ error: 'unknown_tool', message: expect.stringContaining('ask_a_human') }]);
    },
  );

  test.each([
    ['sleep', { ms: -1 }],
    ['sleep', { ms: '5' }],
    ['sleep', {}],
    ['sleep', { ms: 1e300 }],
    ['record_effect', {}],
    ['record_effect', { name: 'two\nlines' }],
    ['record_effect', { name: 7 }],
  ])('%s with bad arguments is a tool error (%#)', async (tool, args) => {
    const { results } = await resultsOf({ tool, args });
    expect(results).toEqual([{ error: 'invalid_arguments', message: expect.any(String) }]);
  });
});
