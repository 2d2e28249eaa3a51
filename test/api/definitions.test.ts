/** `GET /definitions`, and starting what it lists. */
import { z } from 'zod';
import { defineAgent, defineTool } from '../../activities/define';
import { DocumentedCaller } from '../support/documented';
import { TestStack } from '../support/stack';

const clerk = defineAgent({
  name: 'clerk',
  description: 'Files things.',
  model: 'openai:gpt-x',
  instructions: 'File.',
  input: z.object({ shelf: z.string().min(1), copies: z.number().int().max(3).default(1) }),
  tools: [
    defineTool({
      name: 'shred',
      description: 'Shreds.',
      input: z.object({ what: z.string() }),
      execute: () => 'gone',
      needsApproval: true,
    }),
  ],
});

describe('definitions', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  beforeAll(async () => {
    stack = await TestStack.start({ agents: [clerk] });
    api = await DocumentedCaller.of(stack.api);
  });
  afterAll(() => stack.stop());

  test('lists every agent with what it takes', async () => {
    const { status, body } = await api.call<{ definitions: { name: string }[] }>('GET', '/definitions');
    expect(status).toBe(200);
    expect(body.definitions.map(({ name }) => name)).toEqual(['scripted', 'clerk']);
    expect(body.definitions[1]).toEqual({
      name: 'clerk',
      description: 'Files things.',
      input_schema: {
        type: 'object',
        properties: {
          shelf: { type: 'string', minLength: 1 },
          copies: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: 3, default: 1 },
        },
        required: ['shelf'],
      },
      model: 'openai:gpt-x',
      sub_agents: [],
      tools: [{ name: 'shred', description: 'Shreds.', needs_approval: true }],
    });
  });

  test('needs a key', async () => {
    expect((await api.as('nobody').call('GET', '/definitions')).status).toBe(401);
  });

  test('a start with input that does not fit is 422, says where, and starts nothing', async () => {
    const reply = await api.call('POST', '/agents', {
      agent: 'clerk',
      input: { shelf: '', copies: 9 },
      run_id: 'never-started',
    });
    expect(reply.status).toBe(422);
    expect(reply.body.error).toBe('invalid_input');
    const paths = (reply.body.issues as { path: string }[]).map(({ path }) => path);
    expect(paths).toEqual(['input.shelf', 'input.copies']);
    expect((await api.call('GET', '/agents/never-started')).status).toBe(404);
  });

  test('an unknown agent is 422 and the known ones are named', async () => {
    const { status, body } = await api.call('POST', '/agents', { agent: 'nobody', input: {} });
    expect(status).toBe(422);
    expect((body.issues as { message: string }[])[0]?.message).toContain('scripted, clerk');
  });
});
