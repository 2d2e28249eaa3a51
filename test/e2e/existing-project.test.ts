/** Adoption: an ordinary Temporal project before and after, both built as their owner would, the after run for real. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { startDevServer, type DevServer } from '../../cli/dev-server';
import { SEARCH_ATTRIBUTES } from '../../workflows/contract';
import { ApiCaller, eventually } from '../support/http';
import { Program } from '../support/processes';
import { pick } from '../support/scripts';
import { snippets } from '../support/snippets';

const run = promisify(execFile);
const ROOT = path.resolve(__dirname, '../..');
const PROJECTS = path.join(ROOT, 'examples/existing-temporal-project');
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
  }, 180_000);
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
    api = Program.start(['api'], {
      TEMPORAL_ADDRESS: server.address,
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
  }, 180_000);

  test('the plugin has registered the search attributes', async () => {
    const connection = await Connection.connect({ address: server.address });
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
    expect(Object.keys(customAttributes ?? {})).toEqual(expect.arrayContaining(Object.keys(SEARCH_ATTRIBUTES)));
    await connection.close();
  });

  test('docs/existing-project.md shows the after as it is', () => {
    const shown = snippets('docs/existing-project.md', 'ts').map((snippet) => snippet.trim());
    for (const file of ['workflows', 'worker']) {
      const source = readFileSync(path.join(PROJECTS, `after/src/${file}.ts`), 'utf8');
      const found = shown.filter((snippet) => source.includes(snippet));
      expect([file, found.length > 0]).toEqual([file, true]);
    }
  });
});
