// `npm run schemathesis [-- --minutes=5] [--seed=n]`: Schemathesis reads /openapi.json of a live API and calls it with whatever fits
// the document, and whatever does not. Not part of `npm test`: it needs Python 3.10 or newer, and a package from PyPI the first time.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const VERSION = '4.32.5';
/** What a reply is held against: never our fault for a client's, never a status or a body that the document lacks. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'response_headers_conformance',
  'ignored_auth',
];
const KEY = 'schemathesis-key-0000';
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = (file) => path.join(root, 'dist', file);
const require = createRequire(import.meta.url);
const argument = (name, otherwise) =>
  process.argv.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1] ?? otherwise;

/** The program, in a virtual environment of its own in the project's cache. */
function schemathesis() {
  const { cacheDir } = require(dist('cli/temporal-cli.js'));
  const folder = path.join(cacheDir(), `schemathesis-${VERSION}`);
  const program = path.join(folder, 'bin', 'schemathesis');
  if (existsSync(program)) return program;
  console.log(`installing schemathesis ${VERSION} into the project's cache`);
  const install = (command, args) => {
    const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}`);
  };
  install('python3', ['-m', 'venv', folder]);
  install(path.join(folder, 'bin', 'pip'), [
    'install',
    '--quiet',
    '--disable-pip-version-check',
    `schemathesis==${VERSION}`,
  ]);
  return program;
}

async function main() {
  const minutes = Number(argument('minutes', '5'));
  if (!(minutes > 0)) throw new Error('--minutes must be a number above 0');
  await build();
  const program = schemathesis();
  const folder = mkdtempSync(path.join(tmpdir(), 'holdpoint-schemathesis-'));
  const closing = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    const api = await startStack(folder, closing);
    const config = path.join(folder, 'schemathesis.toml');
    writeFileSync(config, configOf(await startRuns(api)));
    const document = path.join(folder, 'openapi.json');
    writeFileSync(document, JSON.stringify(forPython(await (await fetch(`${api}/openapi.json`)).json())));
    const args = [
      '--no-color',
      `--config-file=${config}`,
      'run',
      document,
      `--url=${api}`,
      '--header',
      `Authorization: Bearer ${KEY}`,
      `--checks=${CHECKS.join(',')}`,
      `--max-time=${Math.round(minutes * 60)}`,
      '--request-timeout=30',
      '--suppress-health-check=all',
      '--continue-on-failure',
      ...(argument('seed') === undefined ? [] : [`--seed=${argument('seed')}`]),
    ];
    const child = spawn(program, args, { stdio: 'inherit', cwd: folder });
    closing.unshift(() => child.kill());
    return await new Promise((resolve, reject) => child.on('error', reject).on('exit', (code) => resolve(code ?? 1)));
  } finally {
    for (const close of closing) await close();
  }
}

/**
 * Values that name what is there: by chance alone next to nothing but 404 and 422 would be seen. What else the tool thinks of
 * is sent too, by the `probability` that is left.
 */
function configOf({ runs, doomed }) {
  const dictionaries = {
    runs: [...runs, 'run_that_is_not_there'],
    // Cancelling is for runs of its own, or soon nothing would wait any more.
    doomed,
    agents: ['scripted'],
    asks: ['q1', 'q2', 'q3'],
    options: ['q1_o1', 'q1_o2', 'q2_o1', 'other'],
    kinds: ['multiple_choice', 'free_form', 'decline'],
    methods: ['tools/list', 'tools/call', 'initialize', 'ping', 'server/discover'],
    interrupts: runs.map((run) => `${run}:q1`),
  };
  const parameters = {
    'path.run_id': 'runs',
    'path.agent': 'agents',
    'body.agent': 'agents',
    'body.ask_id': 'asks',
    'body.stepId': 'asks',
    'body.orchestratorRunId': 'runs',
    'body.input.kind': 'kinds',
    'body.input.option_id': 'options',
    'body.threadId': 'runs',
    'body.resume[*].interruptId': 'interrupts',
    'body.method': 'methods',
  };
  return [
    ...Object.entries(dictionaries).map(
      ([name, values]) => `[dictionaries.${name}]\nvalues = ${JSON.stringify(values)}`,
    ),
    '[parameters]',
    ...Object.entries(parameters).map(([at, name]) => `"${at}" = { dictionary = "${name}", probability = 0.8 }`),
    '[[operations]]',
    'include-path-regex = "/cancel$"',
    '[operations.parameters]',
    '"path.run_id" = { dictionary = "doomed", probability = 0.8 }',
  ].join('\n');
}

/**
 * The document as the tool can read it. Its patterns know no `\p{…}` and no `\0`: a visible character is told in other words, and
 * a lone surrogate it never makes. The schema of a stream it takes for that of each event in it.
 */
function forPython(schema) {
  if (Array.isArray(schema)) return schema.map(forPython);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, forPython(value)]));
  if (schema.not?.pattern === '\\p{Cs}') delete copy.not;
  if (typeof schema.pattern === 'string') {
    copy.pattern = schema.pattern.includes('\\p{') ? VISIBLE : schema.pattern.replace('\\0', '\\x00');
  }
  if (copy['text/event-stream']) copy['text/event-stream'] = {};
  return copy;
}

const VISIBLE =
  '[^\\s\\x00-\\x1f\\x7f-\\xa0\\xad\\u034f\\u061c\\u115f\\u1160\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff]';

/** Temporal in memory, a worker and the API; the API's address. */
async function startStack(folder, closing) {
  const { startDevServer } = require(dist('cli/dev-server.js'));
  const { resolveTemporalCli } = require(dist('cli/temporal-cli.js'));
  const { SEARCH_ATTRIBUTES } = require(dist('workflows/contract/index.js'));
  const { path: cliPath } = await resolveTemporalCli({ log: console.log });
  const server = await startDevServer({ cliPath, searchAttributes: SEARCH_ATTRIBUTES, extraArgs: ['--headless'] });
  closing.unshift(() => server.stop());
  const env = {
    ...process.env,
    TEMPORAL_ADDRESS: server.address,
    HOLDPOINT_SCRIPTED: '1',
    HOLDPOINT_EFFECTS_FILE: path.join(folder, 'effects'),
    HOLDPOINT_API_KEYS: JSON.stringify([{ name: 'schemathesis', key: KEY, workspace: 'schemathesis' }]),
    HOLDPOINT_RATE_LIMIT: '100000',
    LOG_LEVEL: 'warn',
    PORT: '0',
  };
  const start = async (command, pattern) => {
    const child = spawn(process.execPath, [dist('cli/main.js'), command], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    closing.unshift(() => child.kill());
    return new Promise((resolve, reject) => {
      let output = '';
      child.on('exit', () => reject(new Error(`${command} ended: ${output}`)));
      child.stdout.on('data', (data) => {
        output += data;
        const match = pattern.exec(output);
        if (match) resolve(match[1]);
      });
    });
  };
  await start('worker', /(worker: polling)/);
  return start('api', /api: listening on ([^\s,]+)/);
}

/** Ids of runs that wait with either kind of question, of one whose sub-agent asks, of one that has ended; and of some to cancel. */
async function startRuns(api) {
  const start = async (input) => {
    const reply = await fetch(`${api}/api/platform/v1/agents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ agent: 'scripted', input }),
    });
    if (reply.status !== 201) throw new Error(`could not start a run: ${reply.status} ${await reply.text()}`);
    return (await reply.json()).run_id;
  };
  const ask = (args) => ({ tool: 'ask_a_human', args });
  const text = ask({ kind: 'free_form', question: 'How many?' });
  const choice = ask({ kind: 'multiple_choice', question: 'Which?', options: ['A', 'B'] });
  // Many asks in a row: one answer does not use the run up.
  const many = (call) => ({ turns: Array.from({ length: 200 }, () => ({ calls: [call] })), text: 'done' });
  const delegate = (input) => ({ tool: 'delegate', args: { agent: 'scripted', input } });
  const runs = [];
  for (const input of [
    many(text),
    many(text),
    many(choice),
    many(choice),
    { turns: [{ calls: [delegate(many(text))] }] },
    { text: 'done' },
  ]) {
    runs.push(await start(input));
  }
  const doomed = [];
  for (let k = 0; k < 10; k += 1) doomed.push(await start(many(text)));
  return { runs, doomed };
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
