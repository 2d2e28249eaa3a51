#!/usr/bin/env node
/** The `holdpoint` program: where the parts are put together. */
import { apiCommand } from './run-api';
import { devCommand } from './run-dev';
import { workerCommand } from './run-worker';
import { readSettings, type Settings } from './settings';

const COMMANDS = new Map<string, { run: (settings: Settings) => Promise<number>; about: string }>([
  ['dev', { run: devCommand, about: 'an embedded Temporal server, a worker and the API, all in one' }],
  ['api', { run: apiCommand, about: 'the API, against the Temporal server that TEMPORAL_ADDRESS names' }],
  ['worker', { run: workerCommand, about: 'a worker, against the Temporal server that TEMPORAL_ADDRESS names' }],
]);

/**
 * Runs one command to its end and resolves to the exit code. What stops a start is printed as one line; a stack trace
 * is shown with LOG_LEVEL=debug alone.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const command = COMMANDS.get(argv[0] ?? '');
  if (!command) {
    const help = argv[0] === '--help' || argv[0] === 'help';
    (help ? console.log : console.error)(usage());
    return help ? 0 : 2;
  }
  try {
    return await command.run(readSettings());
  } catch (error) {
    const debug = process.env.LOG_LEVEL === 'debug' || process.env.LOG_LEVEL === 'trace';
    console.error(debug ? error : `holdpoint ${argv[0]}: ${oneLine(error)}`);
    return 1;
  }
}

function usage(): string {
  const commands = [...COMMANDS].map(([name, { about }]) => `  ${name.padEnd(8)} ${about}`);
  return ['usage: holdpoint <command>', '', ...commands].join('\n');
}

function oneLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, ' ');
}

if (require.main === module) {
  void main(process.argv.slice(2)).then((code) => process.exit(code));
}
