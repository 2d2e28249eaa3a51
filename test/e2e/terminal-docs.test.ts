/** docs/terminal.md and docs/client.md work as printed, shells complete what is completed in them, and so does every command’s help. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { EXIT_HELP } from '../../cli/terminal/exit';
import { offsitePlanner, travelDesk, venueScout } from '../../examples/agents/offsite-planner';
import { TEST_KEY } from '../support/http';
import { snippets, snippetWith } from '../support/snippets';
import { TestStack } from '../support/stack';
import { MAIN, runCli, TerminalProgram } from '../support/terminal';

const run = promisify(execFile);
const ROOT = path.resolve(__dirname, '../..');
const DOC = readFileSync(path.join(ROOT, 'docs/terminal.md'), 'utf8');

const folder = mkdtempSync(path.join(tmpdir(), 'holdpoint-docs-'));
const bin = path.join(folder, 'bin');
beforeAll(() => {
  mkdirSync(bin);
  writeFileSync(path.join(bin, 'holdpoint'), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  chmodSync(path.join(bin, 'holdpoint'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `holdpoint` on the path, as after an installation. */
const installed = (more: Record<string, string> = {}) => ({
  cwd: folder,
  env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder, LANG: 'C.UTF-8', ...more },
});

describe('the docs', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start({ agents: [offsitePlanner, venueScout, travelDesk] });
  });
  afterAll(() => stack.stop());

  test('the terminal’s session ends with both answers', async () => {
    // As printed but for the pauses: a busy machine may need more than a reader's.
    const session = snippetWith('docs/terminal.md', 'sh', 'holdpoint start').replace(/^sleep \d+$/gm, 'sleep 6');
    const settings = installed({ HOLDPOINT_URL: stack.api.url, HOLDPOINT_API_KEY: TEST_KEY });
    const { stdout } = await run('sh', ['-ec', session], settings);
    expect(stdout).toMatch(/answered q1 of .*: 12 people[^]*answered q1 of .*: Porto/);
    const [last] = stdout.trim().split('\n').slice(-1);
    expect(last).toMatch(/run\.completed.*12 people.*Porto/);
  });

  test('the client’s example runs to its end', async () => {
    const code = snippetWith('docs/client.md', 'ts', 'HoldpointClient')
      .replace('http://127.0.0.1:8787', stack.api.url)
      .replace('hp_…', TEST_KEY);
    const modules = path.join(folder, 'node_modules', 'holdpoint');
    mkdirSync(modules, { recursive: true });
    for (const name of ['package.json', 'dist']) symlinkSync(path.join(ROOT, name), path.join(modules, name));
    // Its only TypeScript is that types fit, which tsc has no complaint about either.
    writeFileSync(path.join(folder, 'example.mjs'), code);
    const { stdout } = await run(process.execPath, ['example.mjs'], installed());
    expect(stdout).toContain('12 people');
  });

  test('the exit codes are those that --help lists', () => {
    const rows = [...DOC.matchAll(/^\| (\d+) \| (.*) \|$/gm)].map(([, code, says]) => [
      code,
      says?.replace(/, or Escape.*/, ')'),
    ]);
    const listed = [...EXIT_HELP.matchAll(/^ {2}(\d+) +(.*)$/gm)].map(([, code, says]) => [code, says]);
    expect(rows).toEqual(listed);
  });

  test('every command of the README and of the table is one', async () => {
    const { stdout } = await run('holdpoint', ['--help'], installed());
    const readme = snippets('README.md', 'sh')
      .join('\n')
      .matchAll(/^npx holdpoint (\w+)/gm);
    const table = DOC.matchAll(/^\| `(\w+)[^`]*` \| (?!says)/gm);
    const names = [...readme, ...table].map(([, name]) => name ?? '');
    expect(names.length).toBeGreaterThan(8);
    for (const name of names) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
  });
});

describe('completion', () => {
  const has = (shell: string) =>
    (process.env.PATH ?? '').split(path.delimiter).some((dir) => existsSync(path.join(dir, shell)));
  const words = async (line: string[]) => {
    const quoted = line.map((word) => `'${word}'`).join(' ');
    const script = `source <(holdpoint completion bash); COMP_WORDS=(${quoted}); COMP_CWORD=${line.length - 1}; _holdpoint; echo "\${COMPREPLY[*]}"`;
    return (await run('bash', ['-c', script], installed())).stdout.trim();
  };

  test('bash: commands, options, and their values', async () => {
    expect(await words(['holdpoint', 'ru'])).toBe('runs run');
    expect(await words(['holdpoint', 'answer', '--o'])).toBe('--option --other');
    expect(await words(['holdpoint', 'runs', '--status', 'c'])).toBe('completed cancelled');
    expect(await words(['holdpoint', 'completion', ''])).toContain('bash zsh fish');
  });

  // .ci/run installs both; where one is missing the test says so by its name.
  (has('fish') ? test : test.skip)('fish (skipped where it is not installed): the same', async () => {
    const complete = async (line: string) =>
      (await run('fish', ['-c', `holdpoint completion fish | source; complete -C '${line}'`], installed())).stdout;
    expect(await complete('holdpoint ru')).toMatch(/^run\t.*\nruns\t/);
    expect(await complete('holdpoint runs --status a')).toMatch(/^awaiting_input\t/);
    expect(await complete('holdpoint answer --dec')).toMatch(/^--decline\t/);
  });

  (has('zsh') ? test : test.skip)(
    'zsh (skipped where it is not installed): the same, on a terminal',
    async () => {
      const zsh = TerminalProgram.of(['zsh', '-f'], installed().env);
      const load = `autoload -U compinit; compinit -u -d ${folder}/dump; source <(holdpoint completion zsh)`;
      await zsh.type(`${load}; echo re''ady\r`, /[%#$] /);
      await zsh.type('holdpoint ans\t--dec\t--rea\tx', /\nready/);
      await zsh.shows(/answer\W+--decline\W+--reason\W+x/);
      zsh.kill();
    },
    60_000,
  );
});

test('every command has help that a newcomer can work from, on stdout', async () => {
  const cli = (...args: string[]) => runCli(args, {});
  const help = await cli('--help');
  expect(help).toMatchObject({ code: 0, stderr: '' });
  const names = [...help.stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name ?? '');
  const commands = ['dev', 'api', 'worker', 'start', 'runs', 'run', 'inbox', 'answer', 'cancel', 'completion'];
  expect(names).toEqual(expect.arrayContaining(commands));
  const own = await Promise.all(commands.map((name) => cli(name, '--help')));
  for (const [at, { code, stdout }] of own.entries()) {
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining(`usage: holdpoint ${commands[at]}`),
    });
  }
  expect(help.stdout).toContain('HOLDPOINT_API_KEY');
  expect((await cli('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
