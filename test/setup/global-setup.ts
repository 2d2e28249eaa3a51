import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type DevServer, startDevServer } from '../../cli/dev-server';
import { resolveTemporalCli } from '../../cli/temporal-cli';
import { SEARCH_ATTRIBUTES } from '../../workflows/contract';

declare global {
  // Kept for global-teardown.ts, which runs in this same process.
  var holdpointTestServer: DevServer | undefined;
}

/** What this file reads of Jest's own configuration. */
interface JestConfig {
  rootDir: string;
  testPathPatterns?: { patterns?: string[] };
  listTests?: boolean;
}

const log = (line: string) => void process.stderr.write(`${line}\n`);

/** Unit tests need neither a server nor a build. */
function onlyUnitTests(config: JestConfig): boolean {
  const patterns = config.testPathPatterns?.patterns ?? [];
  return patterns.length > 0 && patterns.every((pattern) => /(^|\/|\\)?test[/\\]+unit\b/.test(pattern));
}

/** `HOLDPOINT_TEST_SKIP_BUILD=1` takes dist as it is: for one suite while other files do not compile. */
function buildDist(rootDir: string): void {
  if (!process.env.HOLDPOINT_TEST_SKIP_BUILD) {
    const build = spawnSync(process.execPath, [path.join(rootDir, 'scripts', 'build.mjs')], { stdio: 'inherit' });
    if (build.status !== 0) throw new Error('the build failed, see above');
  }
  const bundle = path.join(rootDir, 'dist', 'workflow-bundle.js');
  if (existsSync(bundle)) process.env.HOLDPOINT_TEST_BUNDLE = bundle;
}

/**
 * Once before all suites: a fresh dist with the prebuilt workflow bundle, and one in-memory Temporal server for all of them (each suite
 * takes a task queue of its own). Workers find them in `HOLDPOINT_TEST_TEMPORAL_ADDRESS`, `HOLDPOINT_TEST_TEMPORAL_CLI`,
 * `HOLDPOINT_TEST_BUNDLE`. The time-skipping server is only fetched by the test that asks, see time-skipping-server.ts.
 */
export default async function globalSetup(config: JestConfig): Promise<void> {
  if (config.listTests || onlyUnitTests(config)) return;
  buildDist(config.rootDir);
  const cli = await resolveTemporalCli({ log });
  globalThis.holdpointTestServer = await startDevServer({
    cliPath: cli.path,
    searchAttributes: SEARCH_ATTRIBUTES,
    extraArgs: ['--headless'],
  });
  process.env.HOLDPOINT_TEST_TEMPORAL_CLI = cli.path;
  process.env.HOLDPOINT_TEST_TEMPORAL_ADDRESS = globalThis.holdpointTestServer.address;
}
