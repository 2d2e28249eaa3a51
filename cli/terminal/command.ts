/** What the terminal's commands have in common: their options, and how they end. */
import { Option, type Command } from 'commander';
import type { HoldpointClient } from '../../client';
import type { OnExit } from '../program';
import { connect, DEFAULT_URL } from './connection';
import { EXIT, exitCodeOf, CommandError } from './exit';
import { Terminal } from './terminal';

export interface CommonOptions {
  url?: string;
  json?: boolean;
  color: boolean;
}

/** What an action gets to work with. `signal` is aborted by Ctrl-C. */
export interface Session {
  client: HoldpointClient;
  terminal: Terminal;
  signal: AbortSignal;
}

/** Options that every command of the terminal has. */
export function withCommonOptions(command: Command): Command {
  return command
    .option('--json', 'print JSON, for programs; errors too, on stderr')
    .option('--url <url>', `where the API is (default: HOLDPOINT_URL, or ${DEFAULT_URL})`)
    .option('--no-color', 'no colours (also: NO_COLOR)');
}

/** Runs an action, shows what went wrong, and resolves to the exit code. */
export async function inSession(
  options: CommonOptions,
  onExit: OnExit,
  action: (session: Session) => Promise<number | void>,
): Promise<void> {
  const colours = options.color && process.stdout.isTTY && process.stdout.hasColors();
  const terminal = new Terminal(options.json === true, colours);
  const interrupt = new AbortController();
  const stop = () => interrupt.abort(new CommandError('interrupted', EXIT.interrupted, 'interrupted'));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    const client = connect(options.url);
    const code = await action({ client, terminal, signal: interrupt.signal });
    onExit(interrupt.signal.aborted ? EXIT.interrupted : (code ?? EXIT.ok));
  } catch (error) {
    terminal.error(error);
    onExit(exitCodeOf(error));
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}

/** A whole number from an option. Throws `CommandError`. */
export function wholeNumber(name: string, text: string | undefined, from = 0, to?: number): number | undefined {
  if (text === undefined) return undefined;
  const fits = /^\d{1,15}$/.test(text) && Number(text) >= from && (to === undefined || Number(text) <= to);
  if (fits) return Number(text);
  throw new CommandError(`${name} must be a whole number${to === undefined ? '' : `, ${from} to ${to}`}`, EXIT.usage);
}

/** An option with a fixed set of values, which help and completion show. */
export function choiceOption(flags: string, about: string, values: readonly string[]): Option {
  return new Option(flags, about).choices([...values]);
}
