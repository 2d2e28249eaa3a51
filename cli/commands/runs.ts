/** `holdpoint runs`: the list of runs. */
import type { RunRecord } from '../../client';
import { LIMITS, RUN_STATUSES } from '../../workflows/contract';
import type { AddCommand } from '../program';
import { ago } from '../terminal/ago';
import { choiceOption, inSession, wholeNumber, withCommonOptions, type CommonOptions } from '../terminal/command';

interface RunsOptions extends CommonOptions {
  status?: RunRecord['status'];
  agent?: string;
  assignee?: string;
  root?: string;
  limit?: string;
  cursor?: string;
}

export const runsCommand: AddCommand = (program, onExit) => {
  withCommonOptions(
    program
      .command('runs')
      .description('list runs, newest first')
      .addOption(choiceOption('--status <status>', 'only runs in this status', RUN_STATUSES))
      .option('--agent <name>', 'only runs of this agent')
      .option('--assignee <who>', 'only runs of this assignee')
      .option('--root <run>', 'only the conversation of this root run')
      .option('--limit <n>', `at most this many, 1 to ${LIMITS.listPage} (default: 20)`)
      .option('--cursor <cursor>', 'go on where an earlier page ended'),
  ).action(async (options: RunsOptions) =>
    inSession(options, onExit, async ({ client, terminal, signal }) => {
      const { status, agent, assignee, root, cursor } = options;
      const limit = wholeNumber('--limit', options.limit, 1, LIMITS.listPage);
      const page = await client.list({ status, agent, assignee, root_run_id: root, limit, cursor }, { signal });
      if (terminal.json) return terminal.value(page);
      if (page.runs.length === 0) return terminal.note('no runs');
      terminal.table(['RUN', 'STATUS', 'STARTED', 'AGENT', 'WAITS FOR'], page.runs.map(rowOf));
      if (page.next_cursor !== null) terminal.note(`more: holdpoint runs --cursor ${page.next_cursor}`);
    }),
  );
};

function rowOf(run: RunRecord): string[] {
  return [run.run_id, run.status, ago(run.created_at), run.agent, waitsFor(run)];
}

function waitsFor({ pending_input_context: question, children_awaiting: below }: RunRecord): string {
  if (question) return question.question;
  if (below.length === 0) return '';
  return below.length === 1 ? `sub-agent ${below[0]?.run_id}` : `${below.length} sub-agents`;
}
