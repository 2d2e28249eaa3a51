/** `holdpoint cancel <id>`: cancels a run and its sub-agents. */
import type { AddCommand } from '../program';
import { inSession, withCommonOptions, type CommonOptions } from '../terminal/command';
import { askYesNo } from '../terminal/prompts';
import { safeLine } from '../terminal/safe-text';

export const cancelCommand: AddCommand = (program, onExit) => {
  withCommonOptions(
    program
      .command('cancel')
      .description('cancel a run and its sub-agents; their questions are withdrawn')
      .argument('<run>', 'the id of the run')
      .option('-y, --yes', 'do not ask first (nor does it where there is no terminal)'),
  ).action(async (runId: string, options: CommonOptions & { yes?: boolean }) =>
    inSession(options, onExit, async ({ client, terminal, signal }) => {
      if (!options.yes && terminal.canAsk) {
        const { agent, status } = await client.get(runId, { signal });
        const question = `Cancel ${safeLine(runId)} (${safeLine(agent)}, ${status}) and its sub-agents?`;
        if (!(await askYesNo(question, signal))) return terminal.note(`${safeLine(runId)} goes on: nothing was sent`);
      }
      const record = await client.cancel(runId, { signal });
      if (terminal.json) return terminal.value(record);
      const ended = record.ended_at !== null && record.status !== 'cancelled';
      terminal.line(ended ? `${safeLine(runId)} had ended: ${record.status}` : `cancelled ${safeLine(runId)}`);
    }),
  );
};
