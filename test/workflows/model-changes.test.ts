/** Paused runs whose agent is given another kind of model meanwhile: from code to `provider:model`, and back. */
import { z } from 'zod';
import { defineAgent, defineTool, RecordedModel, type Agent, type AgentOptions } from '../../activities/define';
import { failedTasks } from '../support/histories';
import { ModelStack, wireAgent } from '../support/model-agents';
import { toolMessages, type WireRequest } from '../support/openai-server';
import { freeText } from '../support/scripts';

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
});
const ask = { kind: 'free_form', question: 'Go on?' };
const coded = (name: string, more: Partial<AgentOptions> = {}): Agent =>
  defineAgent({
    name,
    description: `The agent ${name}.`,
    model: new RecordedModel([() => ({ calls: [{ tool: 'ask_a_human', args: ask }] }), () => ({ text: 'by code' })]),
    ...more,
  });
const agents = {
  told: coded('told', { instructions: 'You were told this first.', tools: [add] }),
  untold: coded('untold'),
  endless: coded('endless', { instructions: 'You go on.', tools: [add] }),
  turned: wireAgent('turned', { tools: [add] }),
};

describe('a paused run whose agent gets another kind of model', () => {
  let on: ModelStack;
  beforeAll(async () => (on = await ModelStack.start(Object.values(agents))), 120_000);
  afterAll(() => on.stop());

  const last = (model: string): WireRequest => on.models.requestsOf(model).at(-1) as WireRequest;
  /** Starts a run, deploys another agent of that name while it waits, answers, and reads the run when it has ended. */
  const throughDeploy = async (agent: Agent, next: Agent) => {
    const runId = await on.start(agent.name);
    await on.stack.api.untilWaiting(runId);
    Object.assign(agent, next);
    expect((await on.stack.api.resume(runId, freeText('yes'))).status).toBe(200);
    const run = await on.stack.api.untilEnded(runId);
    expect(await failedTasks(on.stack.client, runId)).toEqual([]);
    return run;
  };

  test('code that became a model: that model goes on with the recorded instructions and tools', async () => {
    on.models.plays('told', { calls: [{ name: 'add', args: { a: 1, b: 2 } }] }, { text: 'by the model' });
    const run = await throughDeploy(agents.told, wireAgent('told', { tools: [add], temperature: 0.5 }));
    expect(run).toMatchObject({ status: 'completed', result: { text: 'by the model' } });
    const { body } = last('told');
    expect(body.messages[0]).toEqual({ role: 'system', content: 'You were told this first.' });
    expect(body.tools?.map((tool) => tool.function.name)).toEqual(['ask_a_human', 'add']);
    expect(body.temperature).toBe(0.5);
    expect(toolMessages(last('told'))).toEqual([{ answer: 'yes' }, { sum: 3 }]);
  });

  test('a model cannot go on untold: where none were recorded it has its own instructions', async () => {
    on.models.plays('untold', { text: 'by the model' });
    const run = await throughDeploy(agents.untold, wireAgent('untold'));
    expect(run.result).toEqual({ text: 'by the model' });
    expect(last('untold').body.messages[0]).toEqual({ role: 'system', content: 'You are untold.' });
  });

  test('a model that took over has as many turns as its agent gives it', async () => {
    on.models.plays('endless', { calls: [{ name: 'add', args: { a: 1, b: 1 } }] });
    const run = await throughDeploy(agents.endless, wireAgent('endless', { tools: [add], maxTurns: 3 }));
    expect(run).toMatchObject({ status: 'failed', error: { code: 'max_turns' } });
    expect(on.models.requestsOf('endless')).toHaveLength(3);
  });

  test('a model that became code: the recorded model goes on', async () => {
    on.models.plays('turned', { calls: [{ name: 'ask_a_human', args: ask }] }, { text: 'by the model' });
    const run = await throughDeploy(agents.turned, coded('turned', { instructions: 'Another.' }));
    expect(run.result).toEqual({ text: 'by the model' });
    expect(last('turned').body.messages[0]?.content).toBe('You are turned.');
  });
});
