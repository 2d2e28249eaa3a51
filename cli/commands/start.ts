/** `holdpoint start <agent>`: starts a run. */
import { ON_QUESTION, type OnQuestion } from '../../workflows/contract';
import type { AddCommand } from '../program';
import { choiceOption, inSession, withCommonOptions, type CommonOptions } from '../terminal/command';
import { CommandError, EXIT } from '../terminal/exit';
import { followRun } from '../terminal/follow';
import { givenJson, givenText } from '../terminal/given';
import { safeLine } from '../terminal/safe-text';

interface StartOptions extends CommonOptions {
  input?: string;
  text?: string;
  onQuestion?: OnQuestion;
  assignee?: string;
  runId?: string;
  metadata?: string;
  idempotencyKey?: string;
  follow?: boolean;
}

const EXAMPLES = `
examples:
  holdpoint start offsite-planner --input '{"team":"Platform"}'
  holdpoint start offsite-planner --input @team.json --follow
  echo '{"team":"Platform"}' | holdpoint start offsite-planner --input - --json
`;

export const startCommand: AddCommand = (program, onExit) => {
  withCommonOptions(
    program
      .command('start')
      .description('start a run of an agent')
      .argument('<agent>', 'its name; an unknown one is refused with the names there are')
      .option('--input <json>', 'what the agent is given: JSON, @file, or - for standard input (default: {})')
      .option('--text <text>', 'the same as plain text; - for standard input')
      .addOption(choiceOption('--on-question <mode>', 'what an ask does (default: pause)', ON_QUESTION))
      .option('--assignee <who>', 'who its questions are for')
      .option('--run-id <id>', 'its id; made up when left out')
      .option('--metadata <json>', 'kept with the run: a JSON object, @file, or -')
      .option('--idempotency-key <key>', 'the same key gives the same run again')
      .option('--follow', 'show its timeline until it ends'),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (agent: string, options: StartOptions) =>
      inSession(options, onExit, async (session) => {
        const { client, terminal, signal } = session;
        const { onQuestion, assignee, runId, idempotencyKey } = options;
        const request = {
          agent,
          input: await inputOf(options),
          ...(onQuestion === undefined ? {} : { on_question: onQuestion }),
          ...(assignee === undefined ? {} : { assignee }),
          ...(runId === undefined ? {} : { run_id: runId }),
          ...(options.metadata === undefined ? {} : { metadata: await metadataOf(options.metadata) }),
        };
        const record = await client.start(request, { idempotencyKey, signal });
        if (options.follow) {
          if (terminal.json) terminal.record(record);
          else terminal.line(safeLine(record.run_id));
          return followRun(session, record.run_id);
        }
        if (terminal.json) return terminal.value(record);
        // Alone on stdout, so that `RUN=$(holdpoint start …)` is its id.
        terminal.line(safeLine(record.run_id));
        terminal.note(`watch it: holdpoint run ${safeLine(record.run_id)}`);
      }),
    );
};

async function inputOf({ input, text }: StartOptions): Promise<unknown> {
  if (input !== undefined && text !== undefined) throw new CommandError('use --input or --text, not both', EXIT.usage);
  if (text !== undefined) return givenText(text);
  return input === undefined ? {} : givenJson('--input', input);
}

async function metadataOf(given: string): Promise<Record<string, never>> {
  const metadata = await givenJson('--metadata', given);
  if (typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)) {
    return metadata as Record<string, never>;
  }
  throw new CommandError('--metadata must be a JSON object', EXIT.usage);
}
