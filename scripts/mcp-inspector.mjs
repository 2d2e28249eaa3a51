// Goes through a whole flow with the command line of the MCP inspector, over HTTP and on stdio, against an API that runs with
// HOLDPOINT_SCRIPTED=1 at HOLDPOINT_URL, with the key HOLDPOINT_API_KEY. npx fetches the inspector: `npm test` needs no network.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
// The last of the line that is known to run on Node 20 with both transports, although it asks for 22.
const inspector = process.argv[2] ?? '@modelcontextprotocol/inspector@1.0.3';
const { HOLDPOINT_URL: url = 'http://127.0.0.1:8787', HOLDPOINT_API_KEY: key = '' } = process.env;
const main = path.resolve(import.meta.dirname, '../dist/cli/main.js');

const targets = {
  http: [`${url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`],
  stdio: ['-e', `HOLDPOINT_URL=${url}`, '-e', `HOLDPOINT_API_KEY=${key}`, process.execPath, main, 'mcp'],
};

async function inspect(target, method, ...args) {
  const command = ['--yes', inspector, '--cli', ...targets[target], '--method', method, ...args];
  // Elsewhere than here, so that npx puts nothing beside our own packages.
  const { stdout } = await run('npx', command, { cwd: tmpdir(), maxBuffer: 16 * 1024 * 1024 });
  return JSON.parse(stdout);
}

function call(target, tool, args) {
  const given = Object.entries(args).flatMap(([name, value]) => ['--tool-arg', `${name}=${value}`]);
  return inspect(target, 'tools/call', '--tool-name', tool, ...given);
}

const script = {
  turns: [
    { calls: [{ tool: 'ask_a_human', args: { kind: 'multiple_choice', question: 'Which?', options: ['A', 'B'] } }] },
  ],
};
for (const target of Object.keys(targets)) {
  const { tools } = await inspect(target, 'tools/list');
  assert.equal(tools.length, 7);
  const started = await call(target, 'start_run', { agent: 'scripted', input: JSON.stringify(script) });
  const { run_id } = started.structuredContent;
  const waiting = await call(target, 'wait_for_run', { run_id });
  assert.match(waiting.content[0].text, /- q1_o2: B/);
  const answer = (option_id) =>
    call(target, 'resume_run', { run_id, input: JSON.stringify({ kind: 'multiple_choice', option_id }) });
  const wrong = await answer('q1_o9');
  assert.equal(wrong.isError, true);
  assert.equal(JSON.parse(wrong.content[0].text).error, 'invalid_input');
  assert.equal((await answer('q1_o2')).structuredContent.answer, 'taken');
  const ended = await call(target, 'wait_for_run', { run_id });
  assert.equal(ended.structuredContent.status, 'completed');
  console.log(`${inspector} over ${target}: listed, started, waited, refused, answered, ended`);
}
