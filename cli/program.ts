/** Every command, its help and its options, as one commander program. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { answerCommand } from './commands/answer';
import { cancelCommand } from './commands/cancel';
import { completionCommand } from './commands/completion';
import { inboxCommand } from './commands/inbox';
import { runCommand } from './commands/run';
import { runsCommand } from './commands/runs';
import { serverCommands } from './commands/servers';
import { startCommand } from './commands/start';
import { EXIT_HELP } from './terminal/exit';

/** Takes the exit code of the command that was run. */
export type OnExit = (code: number) => void;

/** Adds a command to the program. Its action tells how it went through `onExit` and throws nothing. */
export type AddCommand = (program: Command, onExit: OnExit) => void;

const COMMANDS: readonly AddCommand[] = [
  serverCommands,
  startCommand,
  runsCommand,
  runCommand,
  inboxCommand,
  answerCommand,
  cancelCommand,
  completionCommand,
];

export function buildProgram(onExit: OnExit, json = process.argv.includes('--json')): Command {
  const program = new Command('holdpoint')
    .description('Agent runs that wait for people.')
    .usage('<command> [options]')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'how a command is used')
    .helpCommand('help [command]', 'how a command is used')
    .configureHelp({ styleTitle: (title) => title.toLowerCase() })
    .showHelpAfterError(json ? false : 'usage: holdpoint <command> [options] (--help tells more)')
    .configureOutput({ outputError: (text, write) => write(json ? usageAsJson(text) : text) })
    .exitOverride()
    .addHelpText('after', HELP);
  for (const add of COMMANDS) add(program, onExit);
  return program;
}

/** A command that was used wrongly, told to a program like any other error. */
function usageAsJson(text: string): string {
  const message = text.trim().replace(/^error: /, '');
  return `${JSON.stringify({ error: 'usage', message })}\n`;
}

const HELP = `
first steps:
  holdpoint dev                            starts everything; leave it running, and in another terminal:
  holdpoint start offsite-planner --input '{"team":"Platform"}'
  holdpoint inbox                          what waits for a person
  holdpoint answer                         answers it

where it is:
  HOLDPOINT_URL      the API; default http://127.0.0.1:8787, where \`holdpoint dev\` puts it
  HOLDPOINT_API_KEY  the key; by default the one that \`holdpoint dev\` keeps under .holdpoint/ (HOLDPOINT_DATA_DIR)

${EXIT_HELP}`;

function version(): string {
  const file = path.resolve(__dirname, '..', '..', 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
