import { ask } from './ask';
import { asJson, type Tool } from './tool';

/** Puts one question to a person. Only this tool call waits; the run's sub-agents and its other calls go on. */
export const askAHuman: Tool = async ({ run }, call) => {
  const outcome = await ask(run, call.args);
  if ('result' in outcome) return asJson(outcome.result);
  const step = run.state.beginStep({ kind: 'tool', name: 'ask_a_human' });
  run.state.endStep(step, 'error' in outcome.refused ? 'failed' : 'completed');
  return asJson(outcome.refused);
};
