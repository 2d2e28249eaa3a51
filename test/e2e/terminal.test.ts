/** The terminal's commands as a script runs them: what they print, what they exit with, what they must never print. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { RunEvent, RunRecord } from '../../client';
import { OTHER_KEY, TEST_KEY, TEST_KEYS } from '../support/http';
import { choice, delegate, freeForm, freeText, script } from '../support/scripts';
import { TestStack } from '../support/stack';
import { MAIN, runCli, type Ended, type Env } from '../support/terminal';
import { untilAwaiting } from '../support/trees';

const READER_KEY = 'reader-key-0000000000';
/** Clears the screen, sets the title, hides text, overrides a direction, forges a line: each in one question. */
const HOSTILE = 'Pay?\u001b[2J\u001b]0;owned\u0007\u009b31m\u202egnp\u2066\rYes\u0000\u007f\u0085end';
// eslint-disable-next-line no-control-regex
const RAW_CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe('the terminal, without a terminal', () => {
  let stack: TestStack;
  let env: Env;
  const folder = mkdtempSync(path.join(tmpdir(), 'holdpoint-'));
  beforeAll(async () => {
    const reader = { name: 'reader', key: READER_KEY, workspace: 'acme', scopes: ['read' as const] };
    stack = await TestStack.start({ app: { keys: [...TEST_KEYS, reader] } });
    env = { HOLDPOINT_URL: stack.api.url, HOLDPOINT_API_KEY: TEST_KEY };
  });
  afterAll(async () => {
    await stack.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const cli = (...args: string[]) => runCli(args, env);
  const waiting = (...turns: Parameters<typeof script>[0]) => stack.api.startWaiting(script(turns));
  const json = <T>({ stdout }: Ended) => JSON.parse(stdout) as T;
  const results = (runId: string) => stack.api.untilAnswers(runId);

  test('start prints the id alone, run shows it, answer answers it with the channel cli, runs lists it', async () => {
    const input = JSON.stringify(script([choice('Approve', 'Refuse')]));
    const started = await cli('start', 'scripted', '--input', input, '--assignee', 'sam@contoso.com');
    expect(started).toMatchObject({ code: 0, stdout: expect.stringMatching(/^run_[0-9a-z]+\n$/) });
    const runId = started.stdout.trim();
    await stack.api.untilWaiting(runId);

    const listed = await cli('runs', '--assignee', 'sam@contoso.com', '--status', 'awaiting_input');
    expect(listed.stdout).toMatch(new RegExp(`^RUN +STATUS.*\n${runId} +awaiting_input .*Which one\\?\n$`));
    const shown = await cli('run', runId, '--no-follow');
    expect(shown.stdout).toContain('Which one?');
    expect(shown.stdout).toMatch(/q1_o1 +Approve/);

    const answered = await cli('answer', runId, '--option', 'refuse');
    expect(answered).toMatchObject({ code: 0, stdout: `answered q1 of ${runId}: Refuse\n` });
    expect(await results(runId)).toEqual([{ answer: 'Refuse', option_id: 'q1_o2' }]);
    const answer = (await stack.api.events(runId)).find((event) => event.type === 'ask.answered');
    expect(answer?.data).toMatchObject({ channel: 'cli', principal: 'tester', by: 'human' });

    const timeline = await cli('run', runId);
    expect(timeline.code).toBe(0);
    expect(timeline.stdout).toMatch(/run\.started[^]*ask\.opened[^]*ask\.answered +q1: Refuse[^]*run\.completed/);
  });

  test.each<[string, string[], string, object]>([
    ['an option by its id', ['--option', 'q1_o1'], '', { answer: 'B', option_id: 'q1_o1' }],
    ['an option by its place', ['--option', '2'], '', { answer: '1', option_id: 'q1_o2' }],
    ['an option by its label, before a place', ['--option', '1'], '', { answer: '1', option_id: 'q1_o2' }],
    ['a write-in', ['--other', ' SMB "first" 😀 '], '', { answer: 'SMB "first" 😀', option_id: 'other' }],
    ['a write-in from standard input', ['--other', '-'], 'a\nb\n', { answer: 'a\nb', option_id: 'other' }],
    ['a decline', ['--decline'], '', { skipped: true, reason: 'human_declined' }],
    ['a reason', ['--decline', '--reason', 'no'], '', { skipped: true, reason: 'human_declined', message: 'no' }],
  ])('answers with %s', async (_what, args, input, result) => {
    const runId = await waiting(choice('B', '1'));
    expect((await runCli(['answer', runId, ...args], env, input)).code).toBe(0);
    expect(await results(runId)).toEqual([result]);
  });

  test('answers a question without options, of several lines too, and prints the record as JSON', async () => {
    const runId = await waiting(freeForm());
    const answered = await runCli(['answer', runId, '--text', '-', '--ask', 'q1', '--json'], env, 'one\ntwo\n');
    expect(json<RunRecord>(answered)).toMatchObject({ run_id: runId, pending_input_type: null });
    expect(await results(runId)).toEqual([{ answer: 'one\ntwo' }]);
  });

  test('a sub-agent is answered through the run above it; of several each by its own id', async () => {
    const root = (await stack.api.start(script([delegate(script([freeForm()]))]))).run_id;
    await untilAwaiting(stack.api, root, 1);
    expect((await cli('answer', root, '--text', 'from above')).code).toBe(0);
    await stack.api.untilEnded(root);
    const two = (await stack.api.start(script([[delegate(script([freeForm()])), delegate(script([freeForm()]))]])))
      .run_id;
    const below = await untilAwaiting(stack.api, two, 2);
    const refused = await cli('answer', two, '--text', 'which?');
    expect(refused.code).toBe(4);
    for (const { run_id } of below) expect(refused.stderr).toContain(run_id);
    for (const { run_id } of below) expect((await cli('answer', run_id, '--text', 'mine')).code).toBe(0);
    await stack.api.untilEnded(two);
  });

  test('each way to fail has its exit code and one line, and with --json its error as JSON on stderr', async () => {
    const runId = await waiting(freeForm());
    const over = await waiting(freeForm());
    await stack.api.resume(over, freeText('x'));
    await stack.api.untilEnded(over);
    const cases: [string[], Env, number, string][] = [
      [['run', 'run_unknown0000000000000'], env, 3, 'run_not_found'],
      [['run', runId], { ...env, HOLDPOINT_API_KEY: OTHER_KEY }, 3, 'run_not_found'],
      [['answer', over, '--text', 'late'], env, 4, 'run_not_waiting'],
      [['answer', runId, '--text', 'x', '--ask', 'q2'], env, 4, 'run_not_waiting'],
      [['answer', runId, '--text', ' '], env, 5, 'invalid_input'],
      [['answer', runId, '--option', 'q1_o9'], env, 5, 'invalid_input'],
      [['answer', runId], env, 2, 'usage'],
      [['answer', '--text', 'x'], env, 2, 'usage'],
      [['answer', runId, '--text', 'x', '--decline'], env, 2, 'usage'],
      [['start', 'nobody'], env, 5, 'invalid_input'],
      [['start', 'scripted', '--run-id', runId], env, 4, 'run_exists'],
      [['start', 'scripted', '--input', '{nonsense'], env, 2, 'usage'],
      [['start', 'scripted', '--input', '@/nowhere.json'], env, 2, 'usage'],
      [['runs', '--limit', 'many'], env, 2, 'usage'],
      [['runs', '--limit', '0'], env, 2, 'usage'],
      [['inbox', '--limit', '201'], env, 2, 'usage'],
      [['answer', runId, '--option', 'other'], env, 2, 'usage'],
      [['cancel', runId], { ...env, HOLDPOINT_API_KEY: READER_KEY }, 6, 'forbidden'],
      [['runs'], { ...env, HOLDPOINT_API_KEY: 'nobody' }, 6, 'unauthorized'],
      [['runs'], { HOLDPOINT_URL: stack.api.url, HOLDPOINT_DATA_DIR: folder }, 6, 'unauthorized'],
      [['runs'], { ...env, HOLDPOINT_URL: 'http://127.0.0.1:1' }, 7, 'connection_failed'],
      [['runs'], { ...env, HOLDPOINT_URL: 'nonsense' }, 2, 'usage'],
    ];
    for (const [args, settings, code, error] of cases) {
      const [plain, told] = await Promise.all([runCli(args, settings), runCli([...args, '--json'], settings)]);
      expect({ args, code: plain.code, stdout: plain.stdout }).toEqual({ args, code, stdout: '' });
      expect(plain.stderr).toMatch(/^error: [^\n]+\n( {2}[^\n]+\n)*$/);
      expect(plain.stderr).not.toMatch(/\n\s+at /);
      expect({ args, code: told.code, stdout: told.stdout }).toEqual({ args, code, stdout: '' });
      expect(JSON.parse(told.stderr)).toMatchObject({ error, message: expect.any(String) });
      for (const key of [TEST_KEY, READER_KEY, OTHER_KEY]) expect(plain.stderr + told.stderr).not.toContain(key);
    }
    expect((await stack.api.read(runId)).status).toBe('awaiting_input');
  });

  test.each([
    ['an unknown command', ['nonsense']],
    ['an unknown option', ['runs', '--nonsense']],
    ['a missing argument', ['run']],
    ['a value that is none of the choices', ['runs', '--status', 'nonsense']],
  ])('%s is told in a line or two and exits with 2', async (_what, args) => {
    const { code, stdout, stderr } = await cli(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const told = await cli(...args, '--json');
    expect({ code: told.code, stdout: told.stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(told.stderr)).toEqual({ error: 'usage', message: expect.not.stringMatching(/^error|\n/) });
    expect(stderr).toContain('error: ');
  });

  test('follows a run to its end, one event a line with --json, and its exit code says how it ended', async () => {
    const runId = await waiting(freeForm());
    const following = cli('run', runId, '--json');
    await stack.api.resume(runId, freeText('x'));
    const { code, stdout } = await following;
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent);
    expect(code).toBe(0);
    expect(events.map((event) => event.id)).toEqual(events.map((_event, k) => k + 1));
    expect(events.at(-1)?.type).toBe('run.completed');

    const cancelled = await waiting(freeForm());
    const second = cli('run', cancelled);
    const cancel = await cli('cancel', cancelled);
    expect(cancel).toMatchObject({ code: 0, stdout: `cancelled ${cancelled}\n` });
    expect((await second).code).toBe(8);
    expect(await cli('cancel', cancelled)).toMatchObject({ code: 0 });
    const failed = await cli('start', 'scripted', '--input', '{"turns":[{"calls":7}]}', '--follow');
    expect([5, 8]).toContain(failed.code);
  });

  test('input comes from a file or from standard input; the same idempotency key is one run', async () => {
    const file = path.join(folder, 'input.json');
    writeFileSync(file, JSON.stringify(script([], 'from a file')));
    const followed = await cli('start', 'scripted', '--input', `@${file}`, '--follow');
    expect(followed).toMatchObject({ code: 0, stdout: expect.stringContaining('from a file') });
    const piped = () =>
      runCli(
        ['start', 'scripted', '--input', '-', '--idempotency-key', `k-${folder}`],
        env,
        '{"turns":[],"text":"in"}',
      );
    expect((await piped()).stdout).toBe((await piped()).stdout);
  });

  test('the inbox lists what waits, oldest first, and says when nothing does', async () => {
    const runId = await waiting(freeForm('Who comes?'));
    const { code, stdout } = await cli('inbox');
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^RUN +ASK .*\n[^]*${runId} +q1 .*Who comes\\?`));
    const { asks, count } = json<{ asks: { run_id: string }[]; count: number }>(await cli('inbox', '--json'));
    expect(asks.map((ask) => ask.run_id)).toContain(runId);
    expect(count).toBeGreaterThanOrEqual(asks.length);
    const none = await cli('inbox', '--assignee', 'nobody@contoso.com');
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'nothing waits for a person\n' });
    await stack.api.resume(runId, freeText('x'));
  });

  test('nothing that others wrote reaches a terminal raw, as text or as JSON, and JSON keeps the value', async () => {
    const hostile = { kind: 'multiple_choice', question: HOSTILE, options: [HOSTILE, 'B'], context: HOSTILE };
    const { run_id } = await stack.api.start(script([{ tool: 'ask_a_human', args: hostile }]), { assignee: HOSTILE });
    await stack.api.untilWaiting(run_id);
    for (const args of [['runs'], ['inbox'], ['run', run_id, '--no-follow']]) {
      const plain = await cli(...args);
      expect(plain.stdout).toContain('Pay?␛[2J');
      const asJson = await cli(...args, '--json');
      for (const { stdout, stderr } of [plain, asJson]) expect(stdout + stderr).not.toMatch(RAW_CONTROL);
      expect(JSON.stringify(JSON.parse(asJson.stdout))).toContain(JSON.stringify(HOSTILE));
    }
    // By standard input: an argument cannot hold a NUL.
    await runCli(['answer', run_id, '--other', '-'], env, HOSTILE);
    await stack.api.untilEnded(run_id);
    for (const args of [[], ['--json']]) expect((await cli('run', run_id, ...args)).stdout).not.toMatch(RAW_CONTROL);
    expect(await results(run_id)).toEqual([{ answer: HOSTILE, option_id: 'other' }]);
  });

  test('the key that holdpoint dev keeps is used, for this machine only', async () => {
    writeFileSync(
      path.join(folder, 'api-keys.json'),
      JSON.stringify([{ name: 'local', key: TEST_KEY, workspace: 'acme' }]),
    );
    const kept = { HOLDPOINT_DATA_DIR: folder };
    expect((await runCli(['runs'], { ...kept, HOLDPOINT_URL: stack.api.url })).code).toBe(0);
    const elsewhere = await runCli(['runs'], { ...kept, HOLDPOINT_URL: 'http://holdpoint.invalid' });
    expect(elsewhere).toMatchObject({ code: 6, stderr: expect.stringContaining('HOLDPOINT_API_KEY') });
  });

  test('whoever reads the first line and leaves is no failure', async () => {
    const { run_id } = await stack.api.start(script([]));
    await stack.api.untilEnded(run_id);
    const pipe = `"${process.execPath}" "${MAIN}" run ${run_id} --json | head -1; echo "code \${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', pipe], { env: { ...process.env, ...env } });
    expect(stdout).toMatch(/^\{"id":1,.*\ncode 0\n$/);
    expect(stderr).toBe('');
  });
});
