/** `holdpoint run <id>`: one run, followed until it ends. */
import type { RunRecord } from '../../client';
import type { AddCommand } from '../program';
import { inSession, wholeNumber, withCommonOptions, type CommonOptions } from '../terminal/command';
import { followRun } from '../terminal/follow';
import { safeLine } from '../terminal/safe-text';
import type { Terminal } from '../terminal/terminal';
import { questionLines, valueLine } from '../terminal/timeline';

interface RunOptions extends CommonOptions {
  follow: boolean;
  after?: string;
}

export const runCommand: AddCommand = (program, onExit) => {
  withCommonOptions(
    program
      .command('run')
      .description('show a run and its timeline, live until it ends')
      .argument('<run>', 'the id of the run')
      .option('--no-follow', 'show the run as it is now, and no timeline; with --json its whole record')
      .option('--after <event>', 'only events after the one with this number'),
  )
    .addHelpText('after', '\nWith --json each event is one line. Ctrl-C leaves the run as it is.\n')
    .action(async (runId: string, options: RunOptions) =>
      inSession(options, onExit, async (session) => {
        const { client, terminal, signal } = session;
        const after = wholeNumber('--after', options.after);
        const record = await client.get(runId, { signal });
        if (!options.follow) return terminal.json ? terminal.value(record) : showRecord(record, terminal);
        if (!terminal.json) terminal.line(headline(record, terminal));
        return followRun(session, runId, after);
      }),
    );
};

function headline({ run_id, agent, status }: RunRecord, terminal: Terminal): string {
  return `${terminal.paint('bold', safeLine(run_id))}  ${safeLine(agent)}  ${status}`;
}

function showRecord(record: RunRecord, terminal: Terminal): void {
  terminal.line(headline(record, terminal));
  const facts: [string, string | null][] = [
    ['root run', record.root_run_id === record.run_id ? null : record.root_run_id],
    ['assignee', record.assignee],
    ['mode', record.on_question],
    ['started', record.created_at],
    ['ended', record.ended_at],
    ['worked', seconds(record.active_ms)],
    ['waited', seconds(record.waiting_ms)],
    ['result', record.result === null ? null : valueLine(record.result)],
    ['error', record.error && `${record.error.code}: ${record.error.message}`],
  ];
  for (const [name, value] of facts) if (value !== null) terminal.line(`  ${name.padEnd(9)} ${safeLine(value)}`);
  const question = record.pending_input_context;
  if (question) {
    const held = record.claim ? `, held by ${safeLine(record.claim.by)} until ${record.claim.until}` : '';
    terminal.line(`\n${terminal.paint('yellow', `waits with ${question.ask_id}${held}`)}`);
    for (const line of questionLines(question)) terminal.line(`  ${line}`);
    terminal.line(`  → holdpoint answer ${safeLine(record.run_id)}`);
  }
  for (const { run_id, ask_id } of record.children_awaiting) {
    terminal.line(`sub-agent ${safeLine(run_id)} waits with ${ask_id}: holdpoint answer ${safeLine(run_id)}`);
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
