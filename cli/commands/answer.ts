/** `holdpoint answer [<id>]`: answers a question, asked at the terminal or given by options. */
import { HoldpointError, type Answer, type Ask, type ResumeReply } from '../../client';
import { isHeldByAnother } from '../../workflows/contract';
import type { AddCommand } from '../program';
import { answerText, givenAnswer, isGiven, promptedAnswer, type AnswerOptions } from '../terminal/answering';
import { closedElsewhere } from '../terminal/closed-elsewhere';
import { inSession, withCommonOptions, type CommonOptions, type Session } from '../terminal/command';
import { CommandError, EXIT } from '../terminal/exit';
import { askChoice } from '../terminal/prompts';
import { safeBlock, safeLine } from '../terminal/safe-text';
import type { Terminal } from '../terminal/terminal';

type Options = CommonOptions & AnswerOptions & { ask?: string; idempotencyKey?: string };

const EXAMPLES = `
Without an id it shows what waits in the inbox. Of a run that only waits for its sub-agents, it is their question.

examples:
  holdpoint answer                                    asks you, with the choices there are
  holdpoint answer run_… --option Approve             an option: its label, its id (q1_o1) or its place (1)
  holdpoint answer run_… --other "SMB first"          none of the options: in your own words
  holdpoint answer run_… --text "12 people"           a question without options
  holdpoint answer run_… --text - < long-answer.txt   the same, of several lines
  holdpoint answer run_… --decline --reason "not mine to say"
`;

export const answerCommand: AddCommand = (program, onExit) => {
  withCommonOptions(
    program
      .command('answer')
      .description('answer a question that a run waits with')
      .argument('[run]', 'the run that waits, or the one above it')
      .option('--option <option>', 'pick this one: its label, its id, or its place')
      .option('--other <text>', 'none of the options, but this; - for standard input')
      .option('--text <text>', 'the answer to a question without options; - for standard input')
      .option('--decline', 'do not answer; the agent is told so')
      .option('--reason <text>', 'why it is declined')
      .option('--ask <id>', 'only if it waits with this ask, such as q1')
      .option('--idempotency-key <key>', 'the same key and answer give the first outcome again'),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (runId: string | undefined, options: Options) =>
      inSession(options, onExit, async (session) => {
        const { client, terminal, signal } = session;
        const asked = !isGiven(options);
        if (asked && !terminal.canAsk) {
          const message = 'there is no terminal to ask at: give --option, --other, --text or --decline';
          throw new CommandError(message, EXIT.usage);
        }
        if (runId === undefined && !asked) throw new CommandError('which run? give its id', EXIT.usage);
        const { idempotencyKey } = options;
        const send = async (ask: Ask, answer: Answer) => {
          const reply = await client.resume(ask.run_id, answer, { askId: ask.ask_id, idempotencyKey, signal });
          tell(terminal, ask, answer, reply);
        };
        if (runId === undefined || asked) {
          const ask =
            runId === undefined ? await fromInbox(session) : await waitingAsk(session, runId, options.ask, true);
          return send(ask, await askPerson(session, ask));
        }
        const answerTo = await givenAnswer(options);
        try {
          const ask = await waitingAsk(session, runId, options.ask, false);
          await send(ask, answerTo(ask));
        } catch (error) {
          // Under a key that was used before, the first outcome is wanted, though the run waits with that no more.
          const before =
            idempotencyKey === undefined ? undefined : await lastClosed(session, runId, options.ask, error);
          if (!before) throw error;
          await send(before, answerTo(before)).catch((again: unknown) => {
            throw codeOf(again) === 'run_not_waiting' || codeOf(again) === 'ask_mismatch' ? error : again;
          });
        }
      }),
    );
};

/** One of all that wait; asked for when there are several. */
async function fromInbox({ client, signal }: Session): Promise<Ask> {
  const { asks } = await client.inbox({}, { signal });
  return oneOf(asks, signal, () => new CommandError('nothing waits for a person', EXIT.conflict, 'run_not_waiting'));
}

/** The run's own ask, or that of a sub-agent of it. */
async function waitingAsk(
  { client, signal }: Session,
  runId: string,
  askId: string | undefined,
  canAsk: boolean,
): Promise<Ask> {
  const asks = await client.asks(runId, { signal });
  const fits = asks.filter((ask) => askId === undefined || ask.ask_id === askId);
  const own = fits.find((ask) => ask.run_id === runId);
  if (own) return own;
  if (fits.length > 1 && !canAsk) {
    const below = fits.map((ask) => `${ask.run_id} (${ask.ask_id})`).join(', ');
    throw new CommandError(
      `several sub-agents wait, answer each by its own id: ${below}`,
      EXIT.conflict,
      'ask_mismatch',
    );
  }
  return oneOf(fits, signal, () => {
    const now = asks[0] ? `it waits with ${asks[0].ask_id}` : 'see its state with: holdpoint run --no-follow';
    return new CommandError(`the run does not wait for this answer: ${now}`, EXIT.conflict, 'run_not_waiting');
  });
}

/** The newest closed ask of the run, or below it, when `error` says that it does not wait for this answer. */
async function lastClosed(
  { client, signal }: Session,
  runId: string,
  askId: string | undefined,
  error: unknown,
): Promise<Ask | undefined> {
  if (!['run_not_waiting', 'ask_mismatch', 'idempotency_conflict'].includes(codeOf(error) ?? '')) return undefined;
  const asks = await client.asks(runId, { state: 'all', signal });
  const closed = asks.filter((ask) => ask.state !== 'pending' && (askId === undefined || ask.ask_id === askId));
  return closed.findLast((ask) => ask.run_id === runId) ?? closed.at(-1);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof CommandError || error instanceof HoldpointError ? error.code : undefined;
}

async function oneOf(asks: readonly Ask[], signal: AbortSignal, none: () => Error): Promise<Ask> {
  const [first] = asks;
  if (!first) throw none();
  if (asks.length === 1) return first;
  const choices = asks.map((ask, at) => ({
    value: String(at),
    label: ask.question,
    hint: `${ask.run_id} ${ask.ask_id}`,
  }));
  return asks[Number(await askChoice('Which question?', choices, signal))] ?? first;
}

/** Asks at the terminal until the run is answered there, or by somebody else. */
async function askPerson({ client, terminal, signal }: Session, ask: Ask): Promise<Answer> {
  const { claim } = ask;
  if (claim && isHeldByAnother(claim, (await client.me({ signal })).name)) {
    const message = `${claim.by} has claimed ${ask.ask_id} until ${claim.until}: nobody else can answer it until then`;
    throw new CommandError(message, EXIT.conflict, 'claimed');
  }
  terminal.note(terminal.paint('dim', `${safeLine(ask.run_id)} ${ask.ask_id}`));
  if (ask.context !== null) terminal.note(`${safeBlock(ask.context)}\n`);
  const closed = closedElsewhere(client, ask, signal);
  try {
    return await promptedAnswer(ask, closed.signal);
  } finally {
    closed.stop();
  }
}

function tell(terminal: Terminal, ask: Ask, answer: Answer, reply: ResumeReply): void {
  if (terminal.json) return terminal.value(reply);
  const what = `${ask.ask_id} of ${ask.run_id}`;
  terminal.line(
    safeLine(answer.kind === 'decline' ? `declined ${what}` : `answered ${what}: ${answerText(ask, answer)}`),
  );
  if (reply.answer === 'queued') terminal.note('no worker is up: the answer is kept, and is judged when one is');
}
