/** A bad setting stops the start with one line that names it, and no key is ever printed. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { devSettings } from '../support/dev-program';
import { Program } from '../support/processes';

const SECRET = 'hp_secret-key-of-the-test';
const GOOD_KEYS = JSON.stringify([{ name: 'ops', key: SECRET, workspace: 'acme' }]);

const folder = mkdtempSync(path.join(tmpdir(), 'holdpoint-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file in the folder of this test run, with this content. */
function file(name: string, content: string): string {
  writeFileSync(path.join(folder, name), content);
  return path.join(folder, name);
}

/** Runs it to its end: exit code other than 0, nothing on stdout, one line on stderr, which is returned. */
async function refusalOf(command: string, env: Record<string, string>): Promise<string> {
  const program = Program.start([command], { LOG_LEVEL: 'info', ...env });
  const timer = setTimeout(() => void program.kill(), 30_000);
  const code = await program.closed;
  clearTimeout(timer);
  expect(code).toBe(1);
  expect(program.output).toBe(program.errors);
  expect(program.errors).toMatch(/^[^\n]+\n$/);
  expect(program.errors).not.toContain(SECRET);
  return program.errors;
}

describe('a setting that is wrong', () => {
  const settings = () => ({
    ...devSettings(path.join(folder, 'data')),
    HOLDPOINT_API_KEYS: GOOD_KEYS,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
  });
  const expectRefused = async (command: string, name: string, value: string) =>
    expect(await refusalOf(command, { ...settings(), [name]: value })).toContain(name);

  test.each([
    ['PORT', 'abc'],
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['HOST', 'two words'],
    ['HOLDPOINT_RATE_LIMIT', '-1'],
    ['HOLDPOINT_RATE_LIMIT', '0'],
    ['HOLDPOINT_CORS_ORIGINS', 'https://a.example/path'],
    ['HOLDPOINT_TEMPORAL_UI', 'nowhere'],
    ['HOLDPOINT_MAX_CACHED_WORKFLOWS', 'x'],
    ['HOLDPOINT_SCRIPTED', 'maybe'],
    ['LOG_LEVEL', 'loud'],
    ['TEMPORAL_ADDRESS', 'nonsense'],
    ['TEMPORAL_ADDRESS', '127.0.0.1:70000'],
  ])('%s=%s stops holdpoint api with one line that names it', async (name, value) => {
    await expectRefused('api', name, value);
  });

  // All commands read their settings in one place: one of each is enough to see that they do.
  test.each(['worker', 'dev'])('stops holdpoint %s in the same way', async (command) => {
    await expectRefused(command, 'PORT', 'abc');
    await expectRefused(command, 'LOG_LEVEL', 'loud');
    await expectRefused(command, 'TEMPORAL_ADDRESS', 'nonsense');
  });
});

test('a PORT that is taken stops holdpoint api with one line that names it', async () => {
  const holder = net.createServer();
  const port = await new Promise<number>((resolve) =>
    holder.listen(0, '127.0.0.1', () => resolve((holder.address() as net.AddressInfo).port)),
  );
  const env = { PORT: String(port), HOLDPOINT_API_KEYS: GOOD_KEYS, TEMPORAL_ADDRESS: '127.0.0.1:1' };
  expect(await refusalOf('api', env)).toContain(`PORT ${port}`);
  holder.close();
});

describe('API keys', () => {
  const settings = () => ({ ...devSettings(path.join(folder, 'data')), TEMPORAL_ADDRESS: '127.0.0.1:1' });

  test.each([
    ['that are not JSON', SECRET],
    ['in JSON that is cut short', GOOD_KEYS.slice(0, -1)],
    ['in an object', JSON.stringify({ [SECRET]: { name: 'ops', workspace: 'acme' } })],
    ['as field names', JSON.stringify([{ name: 'ops', workspace: 'acme', key: SECRET, [SECRET]: true }])],
    ['as bare strings', JSON.stringify([SECRET])],
    ['without a workspace', JSON.stringify([{ name: 'ops', key: SECRET }])],
    ['as an unknown scope', JSON.stringify([{ name: 'ops', key: SECRET, workspace: 'acme', scopes: [SECRET] }])],
    ['with a digest besides', JSON.stringify([{ name: 'a', workspace: 'a', key: SECRET, key_sha256: 'a'.repeat(64) }])],
    ['as a malformed digest', JSON.stringify([{ name: 'a', workspace: 'a', key_sha256: SECRET }])],
    ['with a blank inside', JSON.stringify([{ name: 'a', workspace: 'a', key: `${SECRET} ${SECRET}` }])],
    ['of which there are none', '[]'],
  ])('%s stop the start with one line that names the setting and shows no key', async (_what, keys) => {
    expect(await refusalOf('api', { ...settings(), HOLDPOINT_API_KEYS: keys })).toContain('HOLDPOINT_API_KEYS ');
  });

  test('that are wrong in a file stop api and dev with one line that names the setting and shows no key', async () => {
    const keys = file('keys.json', JSON.stringify([{ name: 'ops', key: SECRET }]));
    for (const command of ['api', 'dev']) {
      const line = await refusalOf(command, { ...settings(), HOLDPOINT_API_KEYS_FILE: keys });
      expect(line).toContain('HOLDPOINT_API_KEYS_FILE ');
    }
  });

  test('in a file that is not there, or is a folder, stop the start with one line that names the setting', async () => {
    for (const where of [path.join(folder, 'nowhere.json'), folder]) {
      const line = await refusalOf('api', { ...settings(), HOLDPOINT_API_KEYS_FILE: where });
      expect(line).toContain('HOLDPOINT_API_KEYS_FILE ');
    }
  });
});

test.each(['api', 'worker'])('a TEMPORAL_NAMESPACE that the server lacks stops holdpoint %s', async (command) => {
  const address = process.env.HOLDPOINT_TEST_TEMPORAL_ADDRESS ?? '';
  const env = { HOLDPOINT_API_KEYS: GOOD_KEYS, PORT: '0', TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: 'nowhere' };
  expect(await refusalOf(command, env)).toMatch(/nowhere/);
});

test('holdpoint api without any keys stops with one line that names the setting', async () => {
  expect(await refusalOf('api', { PORT: '0', TEMPORAL_ADDRESS: '127.0.0.1:1' })).toContain('HOLDPOINT_API_KEYS');
});

test.each(['api', 'worker'])(
  'holdpoint %s with an unknown TEMPORAL_PROFILE stops with one line that names it',
  async (command) => {
    const env = { PORT: '0', HOLDPOINT_API_KEYS: GOOD_KEYS, TEMPORAL_PROFILE: 'nobody-has-this-profile' };
    expect(await refusalOf(command, env)).toContain('TEMPORAL_PROFILE');
  },
);

describe('a data folder that cannot be used', () => {
  const line = async (dataDir: string, more: Record<string, string> = {}) =>
    refusalOf('dev', { ...devSettings(dataDir), ...more });

  test.each([
    ['is a file', () => file('a-file', '')],
    ['is below a file', () => path.join(file('another-file', ''), 'data')],
  ])(
    'because it %s stops the start with one line that names HOLDPOINT_DATA_DIR, with keys of its own or without',
    async (_why, where) => {
      expect(await line(where())).toContain('HOLDPOINT_DATA_DIR');
      expect(await line(where(), { HOLDPOINT_API_KEYS: GOOD_KEYS })).toContain('HOLDPOINT_DATA_DIR');
    },
  );

  test('because its keys cannot be read stops the start with one line that names the file', async () => {
    const dataDir = path.join(folder, 'with-folder-for-keys');
    mkdirSync(path.join(dataDir, 'api-keys.json'), { recursive: true });
    expect(await line(dataDir)).toContain(path.join(dataDir, 'api-keys.json'));
  });

  test('because its keys are spoilt stops the start with one line that names the file', async () => {
    const dataDir = path.join(folder, 'with-spoilt-keys');
    mkdirSync(dataDir);
    writeFileSync(path.join(dataDir, 'api-keys.json'), `[{"key":"${SECRET}"`);
    expect(await line(dataDir)).toContain(path.join(dataDir, 'api-keys.json'));
  });
});

test('holdpoint with no command, or an unknown one, says how it is used and is no success', async () => {
  for (const args of [[], ['nonsense']]) {
    const program = Program.start(args, {});
    expect(await program.closed).toBe(2);
    expect(program.errors).toContain('usage: holdpoint');
  }
});
