/** Describing an agent: what `defineAgent` and `defineTool` take, what they refuse, and what a folder of agents gives. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { shownDefinition } from '../../../activities/agent-definition';
import { agentRegistry } from '../../../activities/agents';
import { defineAgent, defineTool, type AgentOptions, type ToolOptions } from '../../../activities/define';
import { agentsInFolder, allInFolder } from '../../../activities/define/agents-in-folder';
import { installedAgents } from '../../../cli/agents';
import type { Settings } from '../../../cli/settings';
import * as worker from '../../../worker';
import { snippetWith } from '../../support/snippets';

const tool = (more: Partial<ToolOptions<z.ZodObject>> = {}) =>
  defineTool({ name: 'pay', description: 'Pays.', input: z.object({ amount: z.number() }), execute: () => 1, ...more });
const agent = (more: Partial<AgentOptions> = {}) =>
  defineAgent({ name: 'payer', description: 'Pays.', model: 'openai:gpt-x', instructions: 'Pay.', ...more });

describe('defineTool', () => {
  test.each([
    ['a name with a blank', { name: 'two words' }, /name/],
    ['a name that is too long', { name: 'x'.repeat(65) }, /name/],
    ['the name of a built-in tool', { name: 'ask_a_human' }, /built-in/],
    ['no description', { description: ' ' }, /description/],
    ['an input that is no object', { input: z.string() as never }, /object/],
    ['a timeout of nothing', { timeoutMs: 0 }, /timeoutMs/],
    ['no attempt at all', { attempts: 0 }, /attempts/],
    ['an approval that is neither', { needsApproval: 'yes' as never }, /needsApproval/],
  ])('refuses %s, and says what to change', (_what, more, message) => {
    expect(() => tool(more)).toThrow(message);
    expect(() => tool(more)).toThrow(/^tool /);
  });

  test('fills in its defaults and prints its input as JSON Schema', () => {
    expect(tool()).toMatchObject({
      needsApproval: false,
      timeoutMs: 60_000,
      attempts: 3,
      inputSchema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
    });
  });
});

describe('defineAgent', () => {
  test.each([
    ['no name', { name: '' }, /name/],
    ['a provider that nobody knows', { model: 'acme:one' }, /openai-compatible, openai, anthropic, google/],
    ['a provider without a model', { model: 'openai' }, /provider:model/],
    ['a model without instructions', { instructions: ' ' }, /instructions/],
    ['one tool twice', { tools: [tool(), tool()] }, /two of its tools/],
    ['no turns', { maxTurns: 0 }, /maxTurns/],
    ['more context than a payload holds', { contextBytes: 2 * 1024 * 1024 }, /contextBytes/],
    ['an MCP server that is neither program nor address', { mcpServers: [{ name: 'x' }] }, /command or a url/],
    ['an MCP server at no address', { mcpServers: [{ name: 'x', url: 'nowhere' }] }, /url/],
    ['more than a run can record', { instructions: 'x'.repeat(200 * 1024) }, /bytes/],
  ])('refuses %s, and says what to change', (_what, more, message) => {
    expect(() => agent(more as never)).toThrow(message);
    expect(() => agent(more as never)).toThrow(/^agent /);
  });

  test('is shown with its input, model, sub-agents and tools', () => {
    const clerk = agent({ name: 'clerk' });
    const shown = shownDefinition(
      agent({
        input: z.object({ invoice: z.string() }),
        tools: [tool({ needsApproval: () => false })],
        subAgents: [clerk],
      }),
    );
    expect(shown).toEqual({
      name: 'payer',
      description: 'Pays.',
      input_schema: {
        type: 'object',
        properties: { invoice: { type: 'string' } },
        required: ['invoice'],
      },
      model: 'openai:gpt-x',
      sub_agents: ['clerk'],
      tools: [{ name: 'pay', description: 'Pays.', needs_approval: true }],
    });
  });

  test('brings the sub-agents along that it was given as objects, and misses those that nobody defines', () => {
    const clerk = agent({ name: 'clerk' });
    expect([...agentRegistry([agent({ subAgents: [clerk] })]).keys()]).toEqual(['payer', 'clerk']);
    expect(() => agentRegistry([agent({ subAgents: ['nobody'] })])).toThrow(/payer names .* nobody/);
    expect(() => agentRegistry([agent(), agent()])).toThrow(/two agents are named payer/);
  });
});

describe('a folder of agents', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'holdpoint-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const define = JSON.stringify(path.resolve(__dirname, '../../../activities/define'));
  const zod = JSON.stringify(require.resolve('zod'));
  const code = (name: string) =>
    `const { defineAgent } = require(${define});
     exports.agent = defineAgent({ name: '${name}', description: 'd', instructions: 'i', model: 'openai:x' });`;
  const inFolder = (name: string, files: Record<string, string>): string => {
    for (const [file, content] of Object.entries(files)) {
      const target = path.join(folder, name, file);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, content);
    }
    return path.join(folder, name);
  };

  test('gives what its files and the index files of its folders export, each agent once', async () => {
    const where = inFolder('good', {
      'a.js': code('a'),
      'all.js': "exports.list = [require('./a').agent, require('./deep').agent]; exports.helper = () => 1;",
      'deep/index.js': code('deep'),
      'deep/other.js': code('other'),
      '_parts.js': code('part'),
      'a.test.js': 'throw new Error()',
      'notes.md': '#',
    });
    expect((await agentsInFolder(where)).map(({ name }) => name)).toEqual(['a', 'deep']);
  });

  test('gives startable workflows beside the agents, and says what is wrong with one', async () => {
    const workflow = (more: string) =>
      `exports.pay = require(${define}).defineWorkflow({ name: 'pay', description: 'Pays.', type: 'payInvoice', ${more} });`;
    const where = inFolder('workflows', { 'a.js': code('a'), 'pay.js': workflow("taskQueue: 'payments'") });
    const { agents, workflows } = await allInFolder(where);
    expect(agents.map(({ name }) => name)).toEqual(['a']);
    const target = { type: 'payInvoice', task_queue: 'payments' };
    expect(workflows).toEqual([{ name: 'pay', description: 'Pays.', workflow: target }]);
    await expect(allInFolder(inFolder('no-queue', { 'pay.js': workflow('') }))).rejects.toThrow(
      /workflow pay: it needs a taskQueue/,
    );
    const settings = (folder: string) => ({ HOLDPOINT_AGENTS: folder }) as Settings;
    expect([...(await installedAgents(settings(where))).startable.keys()]).toEqual(['a', 'pay']);
    const twice = inFolder('twice', { 'a.js': code('pay'), 'pay.js': workflow("taskQueue: 'payments'") });
    await expect(installedAgents(settings(twice))).rejects.toThrow(/HOLDPOINT_AGENTS: two agents are named pay/);
  });

  test('takes the agent of docs/agents.md as it is printed there', async () => {
    const printed = snippetWith('docs/agents.md', 'js', 'defineAgent').replace("'holdpoint/worker'", define);
    const [support] = await agentsInFolder(inFolder('docs', { 'support.js': printed.replace("'zod'", zod) }));
    expect(support && shownDefinition(support)).toMatchObject({
      name: 'support',
      model: 'openai-compatible:qwen3',
      input_schema: { required: ['customer', 'message'] },
      tools: [{ name: 'refund', needs_approval: true }],
    });
    expect([worker.defineAgent, worker.defineTool]).toEqual([defineAgent, defineTool]);
  });

  test('says which file it is that cannot be loaded, or that there is none', async () => {
    const broken = inFolder('broken', { 'b.js': 'throw new Error("no luck")' });
    await expect(agentsInFolder(broken)).rejects.toThrow(/b\.js cannot be loaded: no luck/);
    await expect(agentsInFolder(inFolder('empty', { 'c.js': '' }))).rejects.toThrow(/no file that exports an agent/);
    await expect(agentsInFolder(path.join(folder, 'nowhere'))).rejects.toThrow(/is no folder/);
  });
});
