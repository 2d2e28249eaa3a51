#!/usr/bin/env node
/** The `holdpoint` program: where the parts are put together. */
import { CommanderError } from 'commander';
import { buildProgram } from './program';
import { EXIT } from './terminal/exit';

/** Runs one command to its end and resolves to the exit code (docs/terminal.md lists them). */
export async function main(argv: readonly string[]): Promise<number> {
  let code: number = EXIT.ok;
  const program = buildProgram((exitCode) => (code = exitCode));
  if (argv.length === 0) {
    program.outputHelp({ error: true });
    return EXIT.usage;
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version were asked for; everything else was said by commander in a line or two.
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
}

if (require.main === module) {
  // `holdpoint runs | head`: who reads has read enough, and that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  void main(process.argv.slice(2)).then((code) => process.exit(code));
}
