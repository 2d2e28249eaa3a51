/** `holdpoint inbox`: what waits for a person. */
import type { InboxAsk } from '../../client';
import { LIMITS } from '../../workflows/contract';
import type { AddCommand } from '../program';
import { ago } from '../terminal/ago';
import { inSession, wholeNumber, withCommonOptions, type CommonOptions, type Session } from '../terminal/command';
import { EXIT } from '../terminal/exit';
import { safeLine } from '../terminal/safe-text';

interface InboxOptions extends CommonOptions {
  assignee?: string;
  agent?: string;
  limit?: string;
  cursor?: string;
  watch?: boolean;
}

export const inboxCommand: AddCommand = (program, onExit) => {
  withCommonOptions(
    program
      .command('inbox')
      .description('list what waits for a person, oldest first')
      .option('--assignee <who>', 'only questions for this person')
      .option('--agent <name>', 'only questions of this agent')
      .option('--limit <n>', `at most this many, 1 to ${LIMITS.inboxPage} (default: 100)`)
      .option('--cursor <cursor>', 'go on where an earlier page ended')
      .option('--watch', 'then show each question that opens or closes, until Ctrl-C; with --json one event a line'),
  ).action(async (options: InboxOptions) =>
    inSession(options, onExit, async (session) => {
      if (options.watch) return watch(session, options);
      const { client, terminal, signal } = session;
      const { assignee, agent, cursor } = options;
      const limit = wholeNumber('--limit', options.limit, 1, LIMITS.inboxPage);
      const page = await client.inbox({ assignee, agent, limit, cursor }, { signal });
      if (terminal.json) return terminal.value(page);
      showAsks(session, page.asks, page.count);
      if (page.next_cursor !== null) terminal.note(`more: holdpoint inbox --cursor ${page.next_cursor}`);
    }),
  );
};

function showAsks({ terminal }: Session, asks: readonly InboxAsk[], count: number): void {
  if (asks.length === 0) return terminal.note('nothing waits for a person');
  terminal.table(['RUN', 'ASK', 'ASKED', 'AGENT', 'FOR', 'HELD BY', 'QUESTION'], asks.map(rowOf));
  terminal.note(`${count} waiting; answer one with: holdpoint answer <run>`);
}

function rowOf(ask: InboxAsk): string[] {
  const { run_id, ask_id, asked_at, agent, assignee, claim, question } = ask;
  return [run_id, ask_id, ago(asked_at), agent, assignee ?? '-', claim?.by ?? '-', question];
}

async function watch(session: Session, { assignee, agent }: InboxOptions): Promise<number> {
  const { client, terminal, signal } = session;
  for await (const event of client.watchInbox({ assignee, agent, signal })) {
    if (terminal.json) terminal.record(event);
    else if (event.type === 'inbox.snapshot') showAsks(session, event.data.asks, event.data.count);
    else if (event.type === 'ask.closed') showChange(session, event.type, event.data);
    else showChange(session, event.type, event.data.ask, event.data.ask.question);
  }
  return EXIT.interrupted;
}

function showChange({ terminal }: Session, type: string, ask: { run_id: string; ask_id: string }, question = ''): void {
  terminal.line(`${type.padEnd(12)} ${safeLine(`${ask.run_id} ${ask.ask_id}  ${question}`)}`);
}
