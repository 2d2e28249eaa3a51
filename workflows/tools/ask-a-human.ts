import { condition, isCancellation } from '@temporalio/workflow';
import { humanDeclined } from '../contract';
import { asJson, type Tool } from './tool';

/**
 * Puts one question to a person and blocks until it is closed: by the first good `answer` signal, or by the end of the
 * run. Only this tool call waits; the run's sub-agents and its other calls go on.
 */
export const askAHuman: Tool = async ({ run }, call) => {
  const { state } = run;
  const opened = state.openAsk(call.args);
  if ('refused' in opened) {
    const step = state.beginStep({ kind: 'tool', name: 'ask_a_human' });
    state.endStep(step, 'error' in opened.refused ? 'failed' : 'completed');
    return asJson(opened.refused);
  }
  const askId = opened.question.ask_id;
  try {
    await condition(() => !state.asks.isOpen(askId));
  } catch (failure) {
    // The run is cancelled: nobody can answer any more, so the question goes at once, not when the run has ended.
    if (isCancellation(failure)) state.withdrawAsk();
    throw failure;
  }
  return asJson(state.asks.takeResult(askId) ?? humanDeclined(null));
};
