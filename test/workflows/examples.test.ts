/** The examples as they come: with no key of a model they run on recorded turns, say so, and take what people answer. */
import path from 'node:path';
import type { Definition } from '../../workflows/contract';
import { agentsInFolder } from '../../activities/define/agents-in-folder';
import { pick, writeIn } from '../support/scripts';
import { TestStack } from '../support/stack';

describe('examples', () => {
  let stack: TestStack;
  beforeAll(async () => {
    for (const name of ['HOLDPOINT_MODEL', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY']) {
      delete process.env[name];
    }
    // As compiled: what `npm start` and an installed package load.
    const agents = await agentsInFolder(path.resolve(__dirname, '../../dist/examples/agents'));
    stack = await TestStack.start({ agents });
  });
  afterAll(() => stack.stop());

  const start = async (agent: string, input: unknown): Promise<string> =>
    (await stack.api.start(input, { agent })).run_id;
  const answer = async (runId: string, askId: string, input: unknown) => {
    const { pending_input_context } = await stack.api.untilWaiting(runId, askId);
    expect((await stack.api.resume(runId, input, { ask_id: askId })).status).toBe(200);
    return pending_input_context;
  };
  const end = async (runId: string) => (await stack.api.untilEnded(runId)).result;

  test('all of them are listed, with what they take; those without a model say so', async () => {
    const { body } = await stack.api.call<{ definitions: Definition[] }>('GET', '/definitions');
    const by = new Map(body.definitions.map((definition) => [definition.name, definition]));
    expect([...by.keys()].sort()).toEqual([
      'competitor-researcher',
      'demand-researcher',
      'invoice-approver',
      'market-brief',
      'offsite-planner',
      'release-manager',
      'scripted',
      'travel-desk',
      'venue-scout',
    ]);
    for (const name of ['market-brief', 'release-manager', 'competitor-researcher', 'demand-researcher']) {
      expect(by.get(name)?.description).toMatch(/recorded model turns/);
    }
    expect(by.get('release-manager')?.tools.map(({ name, needs_approval }) => [name, needs_approval])).toEqual([
      ['list_changes', false],
      ['run_checks', false],
      ['deploy', true],
      ['announce', true],
    ]);
  });

  test.each([
    ['Approve', pick('q1_o1'), 'Approved by a person: INV-1042 from Lindgren Freight: EUR 6,240.50.'],
    ['Reject', pick('q1_o2'), 'Rejected by a person: INV-1042 from Lindgren Freight: EUR 6,240.50.'],
    ['a write-in', writeIn('March rate'), expect.stringMatching(/^Not approved: .* A person says: March rate$/)],
  ])('invoice-approver asks above its limit and does what the person says: %s', async (_what, input, text) => {
    const runId = await start('invoice-approver', { invoice: 'INV-1042' });
    const ask = await answer(runId, 'q1', input);
    expect(ask?.question).toBe('The total is above the EUR 5,000.00 limit. Approve the summary for INV-1042?');
    expect(await end(runId)).toEqual({ text });
  });

  test('invoice-approver asks nobody below its limit, and knows what it does not know', async () => {
    expect(await end(await start('invoice-approver', { invoice: 'INV-1043' }))).toEqual({
      text: 'Approved by rule: INV-1043 from Paper & Sons: EUR 118.40.',
    });
    expect(await end(await start('invoice-approver', { invoice: 'INV-9' }))).toEqual({
      text: 'There is no invoice INV-9.',
    });
  });

  test('market-brief: one of two sub-agents asks, and the brief has the answer', async () => {
    const runId = await start('market-brief', { market: 'office plants' });
    const { children_awaiting } = await stack.api.until(runId, (run) => run.children_awaiting.length === 1);
    await answer(children_awaiting[0]?.run_id ?? '', 'q1', writeIn('only Halcyon'));
    expect(await end(runId)).toEqual({
      text: expect.stringMatching(/^Market brief: office plants\. .*only Halcyon.*orders grew by a third/),
    });
  });

  test('release-manager: a deployment and an announcement to everyone wait for a yes', async () => {
    const runId = await start('release-manager', { version: '1.4.0' });
    const first = await answer(runId, 'q1', pick('q1_o1'));
    expect(first?.context).toContain('"traffic_percent": 10');
    const second = await answer(runId, 'q2', pick('q2_o2'));
    expect(second?.context).toContain('"audience": "everyone"');
    expect(await end(runId)).toEqual({ text: '1.4.0 is deployed and not announced.' });
  });

  test('release-manager: what a person rejects is not released, and the reason is told', async () => {
    const runId = await start('release-manager', { version: '1.4.0' });
    await answer(runId, 'q1', writeIn('not on a Friday'));
    expect(await end(runId)).toEqual({ text: 'Not released: not on a Friday' });
  });
});
