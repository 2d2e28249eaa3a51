import { isCancellation } from '@temporalio/workflow';
import { recordEffect as recordEffectActivity } from '../activity-ports';
import { toolError } from '../contract';
import { runErrorOf } from '../failures';
import { argsOf, asJson, badArguments, type Tool } from './tool';

const ONE_LINE = /^[^\p{Cc}\p{Cs}\u2028\u2029]{1,200}$/u;

/** Appends one line to the effects file, once, however often its activity is tried: `{name}`. */
export const recordEffect: Tool = async ({ run }, call) => {
  const name = argsOf(call)?.name;
  if (typeof name !== 'string' || !ONE_LINE.test(name)) {
    return badArguments('name must be one line of 1 to 200 characters');
  }
  try {
    await run.effects.inTurn(name, (nth) =>
      recordEffectActivity.executeWithOptions({ summary: `record_effect ${name}`.slice(0, 100) }, [
        { run_id: run.state.runId, name, nth },
      ]),
    );
  } catch (failure) {
    if (isCancellation(failure)) throw failure;
    const { code, message } = runErrorOf(failure);
    return asJson(toolError(code, message));
  }
  return { recorded: name };
};
