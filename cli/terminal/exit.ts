/** Exit codes: what a script can tell from how a command ended. */
import { HoldpointError } from '../../client';

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  conflict: 4,
  refused: 5,
  noAccess: 6,
  unavailable: 7,
  runFailed: 8,
  interrupted: 130,
} as const;

export const EXIT_HELP = `exit codes:
  0    it is done
  1    something else went wrong
  2    the command was not used as it can be
  3    there is no such run
  4    the run does not wait for this: somebody was first, it does not ask, the ask is claimed, the id is taken
  5    refused: the answer, or the input, does not fit; the run is as it was
  6    no key, a wrong key, or one without the scope
  7    the API, or Temporal behind it, does not answer
  8    the run that was followed has failed or was cancelled
  130  interrupted (Ctrl-C)
`;

/** The command cannot do what it was asked, and the message says why. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    message: string,
    readonly exitCode: number,
    /** The contract's code where there is one, for `--json`. */
    readonly code: string = 'usage',
  ) {
    super(message);
  }
}

/** The person has had enough: Ctrl-C, or Escape in a prompt. */
export function interrupted(): CommandError {
  return new CommandError('interrupted: nothing was sent', EXIT.interrupted, 'interrupted');
}

const BY_STATUS: Record<number, number> = {
  0: EXIT.unavailable,
  400: EXIT.refused,
  401: EXIT.noAccess,
  403: EXIT.noAccess,
  404: EXIT.notFound,
  409: EXIT.conflict,
  413: EXIT.refused,
  422: EXIT.refused,
  429: EXIT.unavailable,
  502: EXIT.unavailable,
  503: EXIT.unavailable,
  504: EXIT.unavailable,
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  if (!(error instanceof HoldpointError)) return EXIT.failed;
  return BY_STATUS[error.status] ?? EXIT.failed;
}
