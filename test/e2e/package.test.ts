/** What `npm pack` makes, in an empty project: every subpath by require and by import, with its types, and nothing amiss. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import vm from 'node:vm';

const run = promisify(execFile);
const ROOT = path.resolve(__dirname, '../..');
const BIN = path.join(ROOT, 'node_modules', '.bin');

/** One value of each subpath that a program would import, and a mistake with it that its types must refuse. */
const SUBPATHS: Record<string, { name: string; mistake: string }> = {
  workflow: { name: 'pausableRun', mistake: 'pausableRun(7);' },
  worker: { name: 'HoldpointPlugin', mistake: 'new HoldpointPlugin(7);' },
  api: { name: 'buildApp', mistake: 'void buildApp(7);' },
  client: { name: 'HoldpointClient', mistake: 'new HoldpointClient({ url: 7 });' },
  contract: { name: 'judgeAnswer', mistake: 'judgeAnswer(7, {});' },
  'openai-agents': { name: 'askAHumanTool', mistake: "askAHumanTool('run');" },
  'ai-sdk': { name: 'askAHumanTool', mistake: "askAHumanTool('run');" },
};

describe('the packed tarball', () => {
  const project = mkdtempSync(path.join(tmpdir(), 'holdpoint-package-'));
  const installed = path.join(project, 'node_modules', 'holdpoint');
  let tarball: string;
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  beforeAll(async () => {
    const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', project];
    const { stdout } = await run('npm', pack, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
    const packed = JSON.parse(stdout) as { filename: string }[] | Record<string, { filename: string }>;
    tarball = path.join(project, Object.values(packed)[0]?.filename ?? '');
    mkdirSync(installed, { recursive: true });
    await run('tar', ['xzf', tarball, '-C', installed, '--strip-components=1']);
    await linkDependencies(path.join(project, 'node_modules'));
    writeFileSync(path.join(project, 'package.json'), '{"name":"empty","private":true}');
  });

  /** What `npm install` would bring along, from this checkout: the dependencies without those of development. */
  async function linkDependencies(target: string): Promise<void> {
    const modules = path.join(ROOT, 'node_modules');
    const list = ['ls', '--omit=dev', '--all', '--parseable'];
    // Exit code 1 only says that something in the tree is not as npm would have it.
    const { stdout } = await run('npm', list, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 }).catch(
      (error: { stdout: string }) => error,
    );
    const names = stdout
      .split('\n')
      .filter((line) => line.startsWith(`${modules}${path.sep}`))
      .map((line) => path.relative(modules, line))
      .filter((name) => !name.includes(`node_modules`));
    expect(names).toContain('zod');
    expect(names).not.toContain('jest');
    for (const name of new Set(names)) {
      mkdirSync(path.dirname(path.join(target, name)), { recursive: true });
      symlinkSync(path.join(modules, name), path.join(target, name));
    }
  }

  const inProject = async (file: string, text: string) => {
    writeFileSync(path.join(project, file), text);
    return run(process.execPath, [file], { cwd: project });
  };

  test('holds what is run and its types, and nothing of the checkout besides', async () => {
    const { stdout } = await run('tar', ['tzf', tarball]);
    const files = stdout.trim().split('\n');
    expect(files).toContain('package/dist/workflow-bundle.js');
    for (const file of files) expect(file).toMatch(/^package\/(dist\/|package\.json$|README\.md$|LICENSE$)/);
    expect(files.filter((file) => /test|\.tsbuildinfo|\.built|\.env/.test(path.basename(file)))).toEqual([]);
  });

  test('publint and attw find nothing', async () => {
    const publint = await run(process.execPath, [path.join(BIN, 'publint'), tarball, '--strict']);
    expect(publint.stdout).toContain('All good!');
    const attw = await run(process.execPath, [path.join(BIN, 'attw'), tarball, '--format', 'json'], {
      maxBuffer: 64 * 1024 * 1024,
    });
    const { problems } = JSON.parse(attw.stdout) as { problems?: object };
    expect(problems ?? {}).toEqual({});
  });

  test('every subpath is there by require and by import of names', async () => {
    const names = Object.entries(SUBPATHS);
    const required = names.map(([sub, { name }]) => `console.log(typeof require('holdpoint/${sub}').${name});`);
    expect((await inProject('require.cjs', required.join('\n'))).stdout.trim().split('\n')).toEqual(
      names.map(() => 'function'),
    );
    const imported = names.map(
      ([sub, { name }], k) =>
        `import { ${name} as value${k} } from 'holdpoint/${sub}';\nconsole.log(typeof value${k});`,
    );
    expect((await inProject('import.mjs', imported.join('\n'))).stdout.trim().split('\n')).toEqual(
      names.map(() => 'function'),
    );
  });

  test('these are all the subpaths there are', () => {
    const { exports } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8')) as { exports: object };
    const named = Object.keys(exports).filter((sub) => sub !== './package.json');
    expect(named.sort()).toEqual(
      Object.keys(SUBPATHS)
        .map((sub) => `./${sub}`)
        .sort(),
    );
  });

  test('nothing else of it can be imported', async () => {
    await expect(inProject('inner.cjs', `require('holdpoint/dist/api/app.js')`)).rejects.toThrow(
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    );
  });

  test('the types are there for require and for import, and refuse a mistake', async () => {
    const uses = Object.entries(SUBPATHS)
      .map(([sub, { name, mistake }], k) => [
        `import { ${name} as value${k} } from 'holdpoint/${sub}';`,
        '// @ts-expect-error',
        mistake.replace(name, `value${k}`),
      ])
      .flat()
      .join('\n');
    // attw has looked at how bundlers resolve them.
    for (const file of ['a.mts', 'b.cts']) writeFileSync(path.join(project, file), uses);
    const typeRoots = [path.join(ROOT, 'node_modules/@types')];
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      module: 'node16',
      types: ['node'],
      typeRoots,
    };
    const file = path.join(project, 'tsconfig.json');
    writeFileSync(file, JSON.stringify({ compilerOptions, files: ['a.mts', 'b.cts'] }));
    await typeCheck(file);
  });

  test('the client’s types need no Node, only what a browser has', async () => {
    writeFileSync(
      path.join(project, 'page.mts'),
      `import { HoldpointClient, NotWaitingError } from 'holdpoint/client';
const client = new HoldpointClient({ url: '', key: 'k' });
for await (const event of client.watch('run')) if (event.type === 'ask.opened') console.log(event.data.question.options);
try { await client.resume('run', { kind: 'free_form', text: 'x' }); } catch (error) { if (error instanceof NotWaitingError) console.log(error.code); }
// @ts-expect-error: an answer has a kind
await client.resume('run', { text: 'x' });
`,
    );
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'es2022',
      module: 'nodenext',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: [],
    };
    const file = path.join(project, 'tsconfig.page.json');
    writeFileSync(file, JSON.stringify({ compilerOptions, files: ['page.mts'] }));
    await typeCheck(file);
  });

  async function typeCheck(config: string): Promise<void> {
    const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = await run(process.execPath, [tsc, '-p', config]).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  }

  describe('the client in a page', () => {
    const folder = path.join(installed, 'dist', 'client');

    test('needs nothing but its own files', () => {
      for (const file of readdirSync(folder).filter((name) => name.endsWith('.js'))) {
        const text = readFileSync(path.join(folder, file), 'utf8');
        for (const [, wanted] of text.matchAll(/(?:require|import)\(["']([^"']+)["']\)/g)) {
          expect({ file, wanted, inner: wanted?.startsWith('./') }).toEqual({ file, wanted, inner: true });
        }
      }
    });

    test('works where there is nothing of Node at all', async () => {
      const calls: string[] = [];
      const context = vm.createContext({
        ...{ TextDecoder, URLSearchParams, AbortController, AbortSignal, Headers, setTimeout, clearTimeout },
        crypto: { getRandomValues: (bytes: Uint8Array) => bytes.fill(7) },
        fetch: async (url: string, init: RequestInit) => {
          calls.push(
            `${init.method} ${url} ${JSON.stringify((init.headers as Record<string, string>)['idempotency-key'])}`,
          );
          return new Response('{"run_id":"r"}', { status: 200 });
        },
      });
      const loaded = new Map<string, { exports: Record<string, unknown> }>();
      const load = (name: string): Record<string, unknown> => {
        if (builtinModules.includes(name) || !name.startsWith('./')) throw new Error(`a page has no ${name}`);
        const known = loaded.get(name);
        if (known) return known.exports;
        const module = { exports: {} as Record<string, unknown> };
        loaded.set(name, module);
        const code = readFileSync(path.join(folder, `${name}.js`), 'utf8');
        const wrapped = vm.runInContext(`(function (exports, module, require) {${code}\n})`, context) as (
          ...args: unknown[]
        ) => void;
        wrapped(module.exports, module, load);
        return module.exports;
      };
      const { HoldpointClient } = load('./index') as { HoldpointClient: new (options: object) => Client };
      const client = new HoldpointClient({ url: '', key: 'k' });
      expect(await client.start({ agent: 'a', input: {} })).toEqual({ run_id: 'r' });
      expect(calls).toEqual([`POST /api/platform/v1/agents "${'07'.repeat(16)}"`]);
    });
  });

  test('its program starts from there', async () => {
    const main = path.join(installed, 'dist', 'cli', 'main.js');
    const { stdout } = await run(process.execPath, [main, '--version'], { cwd: project });
    const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(stdout).toBe(`${version}\n`);
  });
});

interface Client {
  start(request: object): Promise<unknown>;
}
