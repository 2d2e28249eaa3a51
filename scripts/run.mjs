// `node scripts/run.mjs <command> [args]`: a command of the holdpoint CLI straight from a checkout. Makes sure that dist is newer
// than the sources, then runs the command in this same process, so that the signals npm sends reach it.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, isFresh } from './build.mjs';

const main = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', 'dist', 'cli', 'main.js');

try {
  if (!isFresh()) {
    console.error('building…');
    await build();
  }
  if (!existsSync(main)) throw new Error('nothing to run: cli/main.ts is missing');
  const cli = await import(pathToFileURL(main).href);
  const code = await cli.main(process.argv.slice(2));
  if (typeof code === 'number') process.exitCode = code;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
