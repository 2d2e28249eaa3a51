/** Adoption: an ordinary Temporal project before and after, both built as their owner would, the after run for real. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import fastify, { type FastifyRequest } from 'fastify';
import { holdpointApi } from '../../api';
import { startDevServer, type DevServer } from '../../cli/dev-server';
import { SEARCH_ATTRIBUTES } from '../../workflows/contract';
import { ApiCaller, eventually } from '../support/http';
import { Program } from '../support/processes';
import { pick } from '../support/scripts';
import { snippets, snippetWith } from '../support/snippets';

const run = promisify(execFile);
const ROOT = path.resolve(__dirname, '../..');
const PROJECTS = path.join(ROOT, 'examples/existing-temporal-project');
const DOCS = 'docs/existing-project.md';
const KEY = 'team-key-0000000000';

/** Lines that are only in one of the two, both counted. */
async function changedLines(): Promise<string[]> {
  const diff = await run('diff', ['-r', 'before', 'after'], { cwd: PROJECTS }).catch(
    (error: { stdout: string }) => error,
  );
  return diff.stdout.split('\n').filter((line) => /^[<>]/.test(line));
}

/** A copy of a project with its dependencies installed: linked, so that no registry is needed. Its own build is run. */
async function built(project: 'before' | 'after'): Promise<string> {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'holdpoint-')), project);
  cpSync(path.join(PROJECTS, project), folder, { recursive: true });
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
    scripts: { build: string };
  };
  for (const name of Object.keys(manifest.dependencies)) {
    const link = path.join(folder, 'node_modules', name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(name === 'holdpoint' ? ROOT : path.join(ROOT, 'node_modules', name), link);
  }
  expect(manifest.scripts.build).toBe('tsc');
  await run(process.execPath, [path.join(folder, 'node_modules/typescript/bin/tsc')], { cwd: folder });
  return folder;
}

describe('examples/existing-temporal-project', () => {
  let server: DevServer;
  let api: Program;
  let caller: ApiCaller;
  const children: ChildProcess[] = [];
  const folders: string[] = [];
  beforeAll(async () => {
    // A server that knows none of our search attributes: the plugin sees to them.
    server = await startDevServer({
      cliPath: process.env.HOLDPOINT_TEST_TEMPORAL_CLI ?? '',
      searchAttributes: {},
      extraArgs: ['--headless'],
    });
    folders.push(await built('before'), await built('after'));
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await api?.kill();
    await server.stop();
    for (const folder of folders) rmSync(path.dirname(folder), { recursive: true });
  });

  function program(folder: string, ...args: string[]) {
    const env = { PATH: process.env.PATH, TEMPORAL_ADDRESS: server.address };
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    const seen = { output: '' };
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => (seen.output += data.toString()));
    return { seen, exited: new Promise<number | null>((resolve) => child.once('close', resolve)) };
  }

  test('the after differs from the before in at most 15 lines', async () => {
    const changed = await changedLines();
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.length).toBeLessThanOrEqual(15);
  });

  test('the after asks, is answered through the API, and goes on; its own client gets its own result', async () => {
    const after = folders[1] ?? '';
    const worker = program(after, 'lib/worker.js');
    const client = program(after, 'lib/client.js', 'BIG-1');
    const agents = path.join(after, 'agents');
    mkdirSync(agents);
    writeFileSync(path.join(agents, 'payments.js'), snippetWith(DOCS, 'js', 'defineWorkflow'));
    api = Program.start(['api'], {
      TEMPORAL_ADDRESS: server.address,
      HOLDPOINT_AGENTS: agents,
      PORT: '0',
      HOLDPOINT_API_KEYS: JSON.stringify([{ name: 'team', key: KEY, workspace: 'default' }]),
    });
    caller = new ApiCaller(await api.printed(/api: listening on ([^\s,]+)/), KEY);
    const status = async () => (await caller.call('GET', '/agents/invoice-BIG-1')).body.status;
    const waits = await eventually(async () => (await status()) === 'awaiting_input', 100);
    if (!waits) throw new Error(`it never asked: ${worker.seen.output} ${client.seen.output}`);
    const record = await caller.read('invoice-BIG-1');
    expect(record.pending_input_context?.question).toBe('Pay 9400 EUR to Contoso?');
    expect(worker.seen.output).not.toContain('paid 9400');
    expect((await caller.resume('invoice-BIG-1', pick('q1_o1'))).status).toBe(200);
    expect(await client.exited).toBe(0);
    expect(client.seen.output).toContain('BIG-1 is paid');
    expect(worker.seen.output).toContain('paid 9400 EUR to Contoso');

    const small = program(after, 'lib/client.js', 'INV-2');
    expect(await small.exited).toBe(0);
    expect(small.seen.output).toContain('INV-2 is paid');
    expect(await caller.read('invoice-INV-2')).toMatchObject({ status: 'completed', result: 'INV-2 is paid' });
  });

  test('the stock API starts it under the name that docs/existing-project.md gives it', async () => {
    const { body } = await caller.call<{ definitions: { name: string }[] }>('GET', '/definitions');
    expect(body.definitions).toMatchObject([{ name: 'payments', model: null, tools: [] }]);
    const { status, body: run } = await caller.call('POST', '/agents', { agent: 'payments', input: 'BIG-3' });
    expect(status).toBe(201);
    const runId = String(run.run_id);
    const waiting = await caller.untilWaiting(runId);
    expect(waiting).toMatchObject({
      agent: 'payments',
      pending_input_context: { question: 'Pay 9400 EUR to Contoso?' },
    });
    expect((await caller.resume(runId, pick('q1_o2'))).status).toBe(200);
    expect(await caller.untilEnded(runId)).toMatchObject({ status: 'completed', result: 'BIG-3 is rejected' });
    const unknown = await caller.call('POST', '/agents', { agent: 'payInvoice', input: 'BIG-3' });
    expect([unknown.status, unknown.body.error]).toEqual([422, 'invalid_input']);
  });

  test('startMemo and holdpointApi as docs/existing-project.md prints them', async () => {
    const after = folders[1] ?? '';
    writeFileSync(
      path.join(after, 'lib/start.js'),
      `const { Client, Connection } = require('@temporalio/client');
      const { startMemo } = require('holdpoint/contract');
      const { payInvoice } = require('./workflows');
      (async () => {
        const client = new Client({ connection: await Connection.connect({ address: process.env.TEMPORAL_ADDRESS }) });
        const options = { taskQueue: 'payments', workflowId: 'invoice-BIG-4', args: ['BIG-4'] };
        ${snippetWith(DOCS, 'ts', 'startMemo(')}
        await client.connection.close();
      })();`,
    );
    const starting = program(after, 'lib/start.js');
    expect([await starting.exited, starting.seen.output]).toEqual([0, '']);
    const record = async () => (await caller.call('GET', '/agents/invoice-BIG-4')).body;
    expect(await eventually(async () => (await record()).status === 'awaiting_input')).toBe(true);
    expect((await record()).assignee).toBe('sam@contoso.com');

    const connection = await Connection.connect({ address: server.address });
    const app = fastify();
    const sessionOf = (request: FastifyRequest) =>
      Promise.resolve(request.headers.authorization === 'Bearer kim' ? { email: 'kim@contoso.com' } : null);
    const names = { app, holdpointApi, client: new Client({ connection }), sessionOf };
    try {
      const file = path.join(after, 'lib/mount.js');
      const snippet = snippetWith(DOCS, 'ts', 'app.register');
      writeFileSync(file, `exports.mount = async ({ ${Object.keys(names).join(', ')} }) => { ${snippet} };`);
      await ((await import(file)) as { mount(names: object): Promise<void> }).mount(names);
      const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/holdpoint`;
      expect((await new ApiCaller(url, 'nobody').call('GET', '/agents/invoice-BIG-4')).status).toBe(401);
      const kim = new ApiCaller(url, 'kim');
      expect((await kim.resume('invoice-BIG-4', pick('q1_o1'))).status).toBe(200);
      const answered = (await kim.events('invoice-BIG-4')).find(({ type }) => type === 'ask.answered');
      expect(answered?.data).toMatchObject({ answer: 'Pay', principal: 'kim@contoso.com' });
    } finally {
      await app.close();
      await connection.close();
    }
  });

  test('the plugin has registered the search attributes', async () => {
    const connection = await Connection.connect({ address: server.address });
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
    expect(Object.keys(customAttributes ?? {})).toEqual(expect.arrayContaining(Object.keys(SEARCH_ATTRIBUTES)));
    await connection.close();
  });

  test('docs/existing-project.md shows the after as it is', () => {
    const shown = snippets(DOCS, 'ts').map((snippet) => snippet.trim());
    for (const file of ['workflows', 'worker']) {
      const source = readFileSync(path.join(PROJECTS, `after/src/${file}.ts`), 'utf8');
      const found = shown.filter((snippet) => source.includes(snippet));
      expect([file, found.length > 0]).toEqual([file, true]);
    }
  });
});
