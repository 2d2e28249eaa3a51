import { sleep as durableSleep } from '@temporalio/workflow';
import { argsOf, badArguments, type Tool } from './tool';

const MAX_SLEEP_MS = 30 * 24 * 60 * 60 * 1000;

/** A durable timer: `{ms}`, at most 30 days. */
export const sleep: Tool = async (_context, call) => {
  const ms = argsOf(call)?.ms;
  if (typeof ms !== 'number' || !Number.isFinite(ms) || ms < 0 || ms > MAX_SLEEP_MS) {
    return badArguments(`ms must be a number from 0 to ${MAX_SLEEP_MS}`);
  }
  await durableSleep(Math.max(1, Math.round(ms)));
  return { slept_ms: ms };
};
