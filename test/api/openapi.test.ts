/** The OpenAPI document (CONTRACT §5): valid, complete, and the same as what the API does. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ERROR_STATUS, LIMITS } from '../../workflows/contract';
import { DocumentedCaller } from '../support/documented';
import { TestStack } from '../support/stack';

const VALIDATOR = path.resolve(
  __dirname,
  '../../node_modules/@seriousme/openapi-schema-validator/bin/validate-api-cli.js',
);

describe('openapi.json', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = await DocumentedCaller.of(stack.api);
  });
  afterAll(() => stack.stop());

  test('is a valid OpenAPI 3.1 document, says the schema of OpenAPI itself', () => {
    expect(api.document.openapi).toMatch(/^3\.1\./);
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'holdpoint-')), 'openapi.json');
    writeFileSync(file, JSON.stringify(api.document));
    // The validator is an ES module, which Jest does not load: its own program does.
    const said = execFileSync(process.execPath, [VALIDATOR, file], { encoding: 'utf8' });
    expect(JSON.parse(said)).toEqual({ valid: true });
  });

  test('has no reference that leads nowhere', () => {
    const references = JSON.stringify(api.document).match(/"\$ref":"[^"]*"/g) ?? [];
    const targets = new Set(references.map((text) => (JSON.parse(`{${text}}`) as { $ref: string }).$ref));
    expect(targets.size).toBeGreaterThan(5);
    for (const target of targets) {
      const found = target
        .replace(/^#\//, '')
        .split('/')
        .reduce<unknown>(
          (at, key) => (at as Record<string, unknown> | undefined)?.[key.replace(/~1/g, '/').replace(/~0/g, '~')],
          api.document,
        );
      expect({ target, found }).toEqual({ target, found: expect.any(Object) });
    }
  });

  test('has every route, and for each every status that it can answer', () => {
    const every = ['401', '403', '429', '503'];
    const ofRun = ['400', '404', ...every];
    const base = '/api/platform/v1';
    const routes = Object.entries(api.document.paths).flatMap(([route, operations]) =>
      Object.entries(operations).map(([method, { responses }]): [string, string[]] => [
        `${method} ${route.replace(base, '')}`,
        Object.keys(responses).sort(),
      ]),
    );
    expect(Object.fromEntries(routes)).toEqual({
      'post /agents': ['201', '400', '409', '413', '415', '422', ...every].sort(),
      'get /agents': ['200', '400', ...every].sort(),
      'get /agents/{run_id}': ['200', ...ofRun].sort(),
      'post /agents/{run_id}/resume': ['200', '202', '409', '413', '415', '422', ...ofRun].sort(),
      'post /agents/{run_id}/cancel': ['202', '413', '415', '422', ...ofRun].sort(),
      'get /agents/{run_id}/events': ['200', '204', ...ofRun].sort(),
      'get /agents/{run_id}/messages': ['200', ...ofRun].sort(),
      'get /agents/{run_id}/asks': ['200', ...ofRun].sort(),
      'post /agents/{run_id}/claim': ['200', '202', '409', '413', '415', '422', ...ofRun].sort(),
      'post /agents/{run_id}/release': ['200', '202', '409', '413', '415', '422', ...ofRun].sort(),
      'get /inbox': ['200', '400', ...every].sort(),
      'post /ag-ui/{agent}': ['200', '400', '409', '413', '415', '422', ...every].sort(),
      'get /definitions': ['200', ...every].sort(),
      'get /mcp': ['405', ...every].sort(),
      'delete /mcp': ['405', ...every].sort(),
      'post /mcp': ['200', '202', '400', '404', '406', '413', '415', ...every].sort(),
      'get /healthz': ['200'],
      'get /readyz': ['200', '503'],
      'get /me': ['200', ...every].sort(),
      'get /metrics': ['200', ...every].sort(),
      'get /runs/{run_id}/status': ['200', ...ofRun].sort(),
      'post /runs/{run_id}/messages': ['200', '202', '409', '413', '415', '422', ...ofRun].sort(),
      'get /runs/{run_id}/events': ['200', '204', ...ofRun].sort(),
    });
  });

  test('names every error code, in the one form of all errors', () => {
    const schema = api.document.components.schemas.Error as { properties: { error: { enum: string[] } } };
    expect([...schema.properties.error.enum].sort()).toEqual(Object.keys(ERROR_STATUS).sort());
    for (const [route, operations] of Object.entries(api.document.paths)) {
      for (const [method, { responses }] of Object.entries(operations)) {
        for (const [status, { content }] of Object.entries(responses)) {
          if (Number(status) < 400) continue;
          // What the Model Context Protocol refuses is an error of its own form.
          if (route === '/mcp' && ['400', '404', '405', '406'].includes(status)) continue;
          expect({ route, method, status, content }).toEqual({
            route,
            method,
            status,
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: expect.any(Object) },
            },
          });
        }
      }
    }
  });

  test('asks for a key everywhere but for health, and says what a stream is', () => {
    const open = Object.entries(api.document.paths).filter(([, { get }]) => get?.security !== undefined);
    expect(open.map(([route, { get }]) => [route, get?.security])).toEqual([
      ['/healthz', []],
      ['/readyz', []],
    ]);
    expect(api.document).toMatchObject({
      security: [{ key: [] }],
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    });
    const events = api.document.paths['/api/platform/v1/agents/{run_id}/events']?.get;
    expect(Object.keys(events?.responses['200']?.content ?? {}).sort()).toEqual([
      'application/json',
      'text/event-stream',
    ]);
  });

  test('describes bodies that the API takes, and refuses those that it refuses', async () => {
    const body = (route: string) =>
      api.validator([
        'paths',
        `/api/platform/v1${route}`,
        'post',
        'requestBody',
        'content',
        'application/json',
        'schema',
      ]);
    const start = body('/agents');
    const good = { agent: 'scripted', input: { turns: [] } };
    const bodies: unknown[] = [
      good,
      { ...good, on_question: 'auto', assignee: 'sam@contoso.com', metadata: { a: [1, null, { b: 'c' }] } },
      { ...good, assignee: null },
      { ...good, assignee: '\u200b' },
      { ...good, assignee: '😀'.repeat(LIMITS.assignee) },
      { ...good, assignee: '😀'.repeat(LIMITS.assignee + 1) },
      { ...good, on_question: 'never' },
      { ...good, run_id: 'a b' },
      { ...good, metadata: [] },
      { ...good, zzz: 1 },
      { agent: 'scripted' },
      { input: {} },
      [],
    ];
    for (const candidate of bodies) {
      const { status } = await api.call('POST', '/agents', candidate);
      expect({ candidate, status }).toEqual({ candidate, status: start(candidate) ? 201 : 422 });
    }
    const cancel = api.document.paths['/api/platform/v1/agents/{run_id}/cancel']?.post;
    expect(cancel?.requestBody).toMatchObject({ required: false });
  });

  test('is there without a key under both of its addresses, and shows no run', async () => {
    const { run_id } = await api.start({ text: 'hi' });
    for (const address of ['/openapi.json', '/api/platform/v1/openapi.json', '/docs/json']) {
      const reply = await fetch(`${stack.api.url}${address}`);
      expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
      const text = await reply.text();
      expect(JSON.parse(text)).toEqual(api.document);
      expect(text).not.toContain(run_id);
    }
  });
});
