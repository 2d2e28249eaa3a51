/** Following a run until it ends: `holdpoint run <id>` and `holdpoint start --follow`. */
import { EXIT } from './exit';
import { timelineLines } from './timeline';
import type { Session } from './command';

/** Shows events as they happen, one JSON object a line with `--json`. The exit code says how the run ended. */
export async function followRun({ client, terminal, signal }: Session, runId: string, after?: number): Promise<number> {
  let ended = '';
  const onConnection = (state: string) => {
    if (state === 'waiting' && !terminal.json) terminal.note(terminal.paint('dim', 'connection lost, trying again…'));
  };
  for await (const event of client.watch(runId, { after, signal, onConnection })) {
    if (terminal.json) terminal.record(event);
    else for (const line of timelineLines(event, terminal)) terminal.line(line);
    ended = event.type;
  }
  if (signal.aborted) return EXIT.interrupted;
  // With `after` its last event nothing comes of a run that has ended.
  const status = ended.startsWith('run.') ? ended.slice('run.'.length) : (await client.get(runId, { signal })).status;
  return status === 'failed' || status === 'cancelled' ? EXIT.runFailed : EXIT.ok;
}
