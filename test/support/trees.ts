/** Conversations of many runs: how tests build them and find their way in them. */
import type { ApiCaller } from './http';
import { eventually } from './http';
import { delegate, script, type Call } from './scripts';

/** A script whose innermost sub-agent, `depth` levels below, makes these calls in one turn. */
export function nested(depth: number, ...calls: Call[]): ReturnType<typeof script> {
  return depth === 0 ? script([calls]) : script([delegate(nested(depth - 1, ...calls))]);
}

/** Ids of the direct sub-agents of a run that have been started so far, in the order of their starts. */
export async function childrenOf(api: ApiCaller, runId: string): Promise<string[]> {
  // A page that a busy worker could not give in time is asked for again by who waits for it.
  const events = ((await api.events(runId)) as Awaited<ReturnType<ApiCaller['events']>> | undefined) ?? [];
  return events.filter((event) => event.type === 'child.started').map((event) => event.data.child_run_id as string);
}

/** The direct sub-agents, once there are this many. */
export async function untilChildren(api: ApiCaller, runId: string, count = 1): Promise<string[]> {
  let children: string[] = [];
  await eventually(async () => (children = await childrenOf(api, runId)).length >= count);
  if (children.length < count) throw new Error(`only ${children.length} sub-agents of ${count}`);
  return children;
}

/** Ids from the root down to the run `depth` levels below it, where each has one sub-agent. */
export async function lineOf(api: ApiCaller, root: string, depth: number): Promise<string[]> {
  const line = [root];
  for (let level = 0; level < depth; level += 1) {
    const [child] = await untilChildren(api, line.at(-1) ?? '');
    line.push(child ?? '');
  }
  return line;
}

/** The asks below a run that its record names, once there are exactly this many. */
export async function untilAwaiting(api: ApiCaller, runId: string, count: number, seconds?: number) {
  return (await api.until(runId, (run) => run.children_awaiting.length === count, seconds)).children_awaiting;
}

/** `child_needs_human` and `child_ask_closed` events of a run as `[type, run, outcome]`. */
export async function framesOf(api: ApiCaller, runId: string): Promise<unknown[][]> {
  return (await api.events(runId))
    .filter((event) => event.type.startsWith('child_'))
    .map(({ type, data }) => [type, data.child_run_id, ...(data.outcome === undefined ? [] : [data.outcome])]);
}
