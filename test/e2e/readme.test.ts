/** What the README and the docs print works as printed. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { readApiKeys, readSettings } from '../../cli/settings';
import type { RunOutcome } from '../../workflows/contract';
import { ApiCaller, eventually } from '../support/http';
import { ProcessStack, Program } from '../support/processes';
import { snippetWith } from '../support/snippets';
import { quietRuntime } from '../support/stack';

const run = promisify(execFile);
const ROOT = path.resolve(__dirname, '../..');

/** The commands of package.json, so that a snippet's `npm run x` is known to be what is tested here. */
const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

describe('README: the two commands and the session', () => {
  let dev: Program;
  let url: string;
  let key: string;
  beforeAll(async () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'holdpoint-'));
    dev = Program.start(['dev'], { PORT: '0', HOLDPOINT_DATA_DIR: dataDir });
    url = await dev.printed(/API {2,}(\S+)\/api\/platform\/v1/);
    key = await dev.printed(/API key {2,}(\S+)/);
  });
  afterAll(() => dev.terminate());

  test('the commands are npm ci and npm start, and npm start is what runs here', () => {
    expect(snippetWith('README.md', 'sh', 'npm start')).toBe('npm ci\nnpm start\n');
    expect(scripts.start).toMatch(/scripts\/run\.mjs dev$/);
  });

  test('the curl session shows a waiting run, answers it and its sub-agent, and ends with both answers', async () => {
    const session = snippetWith('README.md', 'sh', 'offsite-planner')
      .replace('http://127.0.0.1:8787', url)
      .replace('KEY=hp_…', `KEY=${key}`);
    const { stdout } = await run('sh', ['-c', session], { timeout: 240_000 }).catch((error: { stdout: string }) => {
      throw new Error(`the session did not come to its end: ${error.stdout}`);
    });
    const replies = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { status: string; run_id: string; result: { text: string } | null });
    // The record after the sub-agent's answer is right at once: by then it may have come to its end.
    expect(replies.map((reply) => reply.status)).toEqual([
      'running',
      'awaiting_input',
      'running',
      expect.stringMatching(/^(running|completed)$/),
      'completed',
    ]);
    expect(replies.at(-1)?.result?.text).toContain('12 people');
    expect(replies.at(-1)?.result?.text).toContain('Porto');
    expect(new Set(replies.map((reply) => reply.run_id)).size).toBe(2);
  });
});

describe('docs/production.md', () => {
  test('the key file is one that the API takes, and key_sha256 is what the printed command prints', async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'holdpoint-')), 'keys.json');
    writeFileSync(file, snippetWith('docs/production.md', 'json', 'key_sha256'));
    const keys = readApiKeys(readSettings({ HOLDPOINT_API_KEYS_FILE: file }));
    expect(keys?.map(({ name }) => name)).toEqual(['ops', 'dashboard']);
    const command = /`(printf %s "\$KEY" \| sha256sum)`/.exec(
      readFileSync(path.join(ROOT, 'docs/production.md'), 'utf8'),
    );
    const { stdout } = await run('sh', ['-c', command?.[1] ?? 'false'], { env: { ...process.env, KEY: 'test' } });
    expect(stdout.split(' ')[0]).toBe(createHash('sha256').update('test').digest('hex'));
  });

  test('the two processes start as printed', () => {
    const commands = snippetWith('docs/production.md', 'sh', 'npm run worker').trim().split('\n');
    expect(commands.map((command) => command.split(' ').at(-1))).toEqual(['worker', 'api']);
    expect(scripts.worker).toMatch(/scripts\/run\.mjs worker$/);
    expect(scripts.api).toMatch(/scripts\/run\.mjs api$/);
  });
});

describe('docs/existing-project.md', () => {
  const stack = new ProcessStack();
  let api: ApiCaller;
  beforeAll(async () => {
    await stack.startTemporal();
    await stack.startWorker();
    ({ api } = await stack.startApi({
      HOLDPOINT_API_KEYS: JSON.stringify([{ name: 'default', key: 'default-key-000000', workspace: 'default' }]),
    }));
  });
  afterAll(() => stack.stop());

  test('a workflow of another project starts a run as its child, and any program answers it by signal', async () => {
    const snippet = snippetWith('docs/existing-project.md', 'ts', 'executeChild');
    const [imports, body] = snippet.split('\n\n', 2) as [string, string];
    const rest = snippet.slice(imports.length + 2 + body.length);
    // Beside this file, so that the bundler finds the SDK.
    const folder = mkdtempSync(path.join(__dirname, '.snippet-'));
    const file = path.join(folder, 'workflow.ts');
    writeFileSync(file, `${imports}\nexport async function theirs() {\n${body}${rest}\nreturn result;\n}\n`);
    quietRuntime();
    const { code } = await bundleWorkflowCode({ workflowsPath: file, logger: new DefaultLogger('ERROR') }).finally(() =>
      rmSync(folder, { recursive: true }),
    );
    const connection = await NativeConnection.connect({ address: stack.address });
    const worker = await Worker.create({ connection, taskQueue: 'theirs', workflowBundle: { code } });
    const client = await stack.client();
    const caller = new ApiCaller(api.url, 'default-key-000000');
    await worker.runUntil(async () => {
      const handle = await client.workflow.start('theirs', { taskQueue: 'theirs', workflowId: 'theirs-1' });
      const asks = async () => (await caller.call('GET', '/agents/offsite-2027')).body.status === 'awaiting_input';
      expect(await eventually(asks)).toBe(true);
      await temporal(snippetWith('docs/existing-project.md', 'sh', 'workflow signal'));
      const waiting = await caller.until('offsite-2027', (record) => record.children_awaiting.length === 1);
      const venue = waiting.children_awaiting[0] as { run_id: string };
      await caller.resume(venue.run_id, { kind: 'multiple_choice', option_id: 'q1_o1' });
      const result = (await handle.result()) as RunOutcome['result'];
      expect(JSON.stringify(result)).toContain('12 people');
      expect(JSON.stringify(result)).toContain('Lisbon');
    });
    for (const query of ['run', 'events', 'asks', 'messages']) {
      await temporal(`temporal workflow query --workflow-id offsite-2027 --type ${query}`);
    }
    await client.connection.close();
    await connection.close();
  });

  /** Runs a printed `temporal …` line with the program that these tests use. */
  async function temporal(line: string): Promise<void> {
    const program = process.env.HOLDPOINT_TEST_TEMPORAL_CLI ?? 'temporal';
    await run('sh', ['-c', line.trim().replace(/^temporal /, `"${program}" `)], {
      env: { ...process.env, TEMPORAL_ADDRESS: stack.address },
    });
  }
});
