import { condition, isCancellation } from '@temporalio/workflow';
import { humanDeclined, type AskResult } from '../contract';
import type { Run } from '../open-run';
import type { AskOptions } from '../state/run-state';

/**
 * Opens an ask and resolves when it is closed: by the first good `answer` signal, or by the end of the run. Only the
 * caller waits. `refused` when it could not be opened.
 */
export async function ask(
  run: Run,
  args: unknown,
  options: AskOptions = {},
): Promise<{ refused: AskResult } | { result: AskResult }> {
  const { state } = run;
  const opened = state.openAsk(args, options);
  if ('refused' in opened) return opened;
  const askId = opened.question.ask_id;
  try {
    await condition(() => !state.asks.isOpen(askId));
  } catch (failure) {
    // The run is cancelled: nobody can answer any more, so the question goes at once, not when the run has ended.
    if (isCancellation(failure)) state.withdrawAsk();
    throw failure;
  }
  return { result: state.asks.takeResult(askId) ?? humanDeclined(null) };
}
