/**
 * A worker that is killed under model-driven agents: in a model turn, in a tool, while a person has to approve, and while a
 * sub-agent asks. What was completed is done once.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '@temporalio/client';
import { eventsOf } from '../support/history-facts';
import { eventually, type ApiCaller } from '../support/http';
import { MODEL_KEY } from '../support/model-agents';
import { OpenAiServer, toolMessages } from '../support/openai-server';
import { Program, ProcessStack } from '../support/processes';
import { freeText, pick } from '../support/scripts';

const DEFINE = path.resolve(__dirname, '../../dist/activities/define');
const ZOD = path.resolve(__dirname, '../../node_modules/zod');

/** Agents as a user writes them: one file, in JavaScript. `charge` keeps its books by the idempotency key. */
const AGENTS = `
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const { defineAgent, defineTool } = require(${JSON.stringify(DEFINE)});
const { z } = require(${JSON.stringify(ZOD)});
const books = process.env.TEST_BOOKS;
const charge = (name, needsApproval, slow) => defineTool({
  name, description: 'Charges once.', input: z.object({ what: z.string() }), needsApproval,
  async execute({ what }, { idempotencyKey, attempt }) {
    const known = existsSync(books) && readFileSync(books, 'utf8').includes(idempotencyKey);
    if (!known) appendFileSync(books, idempotencyKey + ' ' + what + '\\n');
    if (slow && attempt === 1) {
      writeFileSync(books + '.under-way', '');
      await new Promise(() => undefined);
    }
    return { charged: what, attempt };
  },
});
const agent = (name, more) => defineAgent({
  name, description: name, model: 'openai-compatible:' + name, instructions: 'You are ' + name, ...more,
});
const asker = agent('asker');
exports.agents = [
  agent('thinker'), asker,
  agent('charger', { tools: [charge('charge_slowly', false, true)] }),
  agent('payer', { tools: [charge('pay', true, false)] }),
  agent('sender', { subAgents: [asker] }),
];
`;

describe('a worker that is killed under model-driven agents', () => {
  const stack = new ProcessStack();
  const books = path.join(stack.dataDir, 'books');
  let models: OpenAiServer;
  let api: ApiCaller;
  let temporal: Client;
  let worker: Awaited<ReturnType<ProcessStack['startWorker']>>;
  let env: Record<string, string>;

  beforeAll(async () => {
    models = await OpenAiServer.start();
    const folder = path.join(stack.dataDir, 'agents');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'agents.js'), AGENTS);
    env = {
      HOLDPOINT_AGENTS: folder,
      HOLDPOINT_MODEL_BASE_URL: models.url,
      HOLDPOINT_MODEL_API_KEY: MODEL_KEY,
      TEST_BOOKS: books,
      LOG_LEVEL: 'debug',
    };
    await stack.startTemporal();
    [worker, { api }] = await Promise.all([stack.startWorker(env), stack.startApi(env)]);
    temporal = await stack.client();
  });
  afterAll(async () => {
    await temporal?.connection.close();
    await stack.stop();
    await models?.stop();
  });

  /** How often an activity of each kind was completed. */
  const completed = async (runId: string): Promise<number> =>
    (await eventsOf(temporal, runId)).filter((event) => event.activityTaskCompletedEventAttributes).length;

  test('each completed model call and each effect counts once, wherever it was killed', async () => {
    models.plays('thinker', { hang: true }, { text: 'thought' });
    models.plays('charger', { calls: [{ name: 'charge_slowly', args: { what: 'a fee' } }] }, { text: 'charged' });
    models.plays('payer', { calls: [{ name: 'pay', args: { what: 'a bill' } }] }, { text: 'paid' });
    models.plays('sender', { calls: [{ name: 'delegate', args: { agent: 'asker', input: 'ask' } }] }, { text: 'sent' });
    const question = { kind: 'free_form', question: 'Which quarter?' };
    models.plays('asker', { calls: [{ name: 'ask_a_human', args: question }] }, { text: 'asked' });
    const start = async (agent: string) => (await api.start('go', { agent })).run_id;
    const [thinker, charger, payer, sender] = await Promise.all(['thinker', 'charger', 'payer', 'sender'].map(start));
    const ids = { thinker: thinker ?? '', charger: charger ?? '', payer: payer ?? '', sender: sender ?? '' };

    const inTurn = () => models.requestsOf('thinker').length === 1;
    const inTool = () => existsSync(`${books}.under-way`);
    expect(await eventually(() => inTurn() && inTool())).toBe(true);
    await api.untilWaiting(ids.payer);
    const waiting = await api.until(ids.sender, (run) => run.children_awaiting.length === 1);
    const asker = waiting.children_awaiting[0]?.run_id ?? '';
    await worker.kill();
    worker = await stack.startWorker(env);

    expect((await api.untilEnded(ids.thinker, 90)).result).toEqual({ text: 'thought' });
    expect((await api.untilEnded(ids.charger, 90)).result).toEqual({ text: 'charged' });
    await api.untilWaiting(ids.payer, 'q1');
    expect([200, 202]).toContain((await api.resume(ids.payer, pick('q1_o1'))).status);
    expect([200, 202]).toContain((await api.resume(asker, freeText('Q3'))).status);
    expect((await api.untilEnded(ids.payer)).result).toEqual({ text: 'paid' });
    expect((await api.untilEnded(ids.sender)).result).toEqual({ text: 'sent' });

    // The call that hung is the only one that was made again.
    const counts = ['thinker', 'charger', 'payer', 'sender', 'asker'].map((model) => models.requestsOf(model).length);
    expect(counts).toEqual([2, 2, 2, 2, 2]);
    expect(readFileSync(books, 'utf8').trim().split('\n').sort()).toEqual(
      [`${ids.charger}:call_1_1 a fee`, `${ids.payer}:call_1_1 a bill`].sort(),
    );
    expect(toolMessages(models.requestsOf('charger').at(-1) as never)).toEqual([{ charged: 'a fee', attempt: 2 }]);
    expect(toolMessages(models.requestsOf('asker').at(-1) as never)).toEqual([{ answer: 'Q3' }]);
    expect(await Promise.all([ids.thinker, ids.charger, ids.payer, ids.sender, asker].map(completed))).toEqual([
      1, 3, 3, 2, 2,
    ]);
    for (const runId of [ids.payer, asker]) {
      const types = (await api.events(runId)).map(({ type }) => type);
      for (const type of ['ask.opened', 'step.paused', 'ask.answered']) {
        expect(types.filter((each) => each === type)).toHaveLength(1);
      }
    }
    expect(worker.output).not.toContain(MODEL_KEY);
  });

  test('a folder that cannot be loaded stops the start with one line that names the setting', async () => {
    for (const command of ['api', 'worker', 'dev']) {
      const program = Program.start([command], {
        HOLDPOINT_AGENTS: path.join(stack.dataDir, 'nowhere'),
        HOLDPOINT_API_KEYS: JSON.stringify([{ name: 'a', key: 'a-key-0000000000', workspace: 'a' }]),
        HOLDPOINT_DATA_DIR: path.join(stack.dataDir, 'other'),
        PORT: '0',
        TEMPORAL_ADDRESS: stack.address,
      });
      expect(await program.closed).toBe(1);
      expect(program.errors).toMatch(/^[^\n]*HOLDPOINT_AGENTS: [^\n]+ is no folder\n$/);
    }
  });
});
