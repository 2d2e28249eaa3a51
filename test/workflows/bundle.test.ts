/** The workflow bundle: small, and nothing of Node or of what only activities use in it. */
import { readFileSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';

const MB = 1024 * 1024;

describe('the workflow bundle', () => {
  const file = process.env.HOLDPOINT_TEST_BUNDLE ?? '';
  const code = readFileSync(file, 'utf8');
  const map = /sourceMappingURL=data:application\/json;charset=utf-8;base64,([A-Za-z0-9+/=]+)/.exec(code)?.[1] ?? '';
  const { sources } = JSON.parse(Buffer.from(map, 'base64').toString()) as { sources: string[] };

  test('has at most 3 MB', () => {
    expect(statSync(file).size).toBeLessThanOrEqual(3 * MB);
  });

  test('holds the packages that workflows may import, and no other', () => {
    const packages = sources.map((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1]);
    expect([...new Set(packages.filter((name) => name !== undefined))].sort()).toEqual([
      '@temporalio/common',
      '@temporalio/workflow',
      'long',
      'ms',
      'nexus-rpc',
      'zod',
    ]);
    expect(sources.filter((source) => /(^|\/)(activities|api|cli|worker)\/[^/]+\.[jt]s$/.test(source))).toEqual([]);
  });

  test('has none of the modules of Node in it', () => {
    const externals = [...code.matchAll(/module\.exports = require\(\\?"([^"\\]+)\\?"\)/g)].map(([, name]) => name);
    expect(externals).toEqual([]);
    const builtIn = sources.filter((source) =>
      builtinModules.includes(source.replace(/^.*?(node:)?([a-z_/]+)$/, '$2')),
    );
    expect(builtIn).toEqual([]);
  });
});
