import { Context } from '@temporalio/activity';

/** Three beats fit into the heartbeat timeout of the activities that use this (workflows/activity-ports.ts). */
const HEARTBEAT_MS = 5_000;

/** Reports life while `work` is under way, so that the death of this worker is noticed; also how a cancellation is heard of. */
export async function whileBeating<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}
