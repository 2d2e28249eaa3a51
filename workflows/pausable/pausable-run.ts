import { CancellationScope, ContinueAsNew, isCancellation } from '@temporalio/workflow';
import { TemporalFailure } from '@temporalio/common';
import { failsWorkflow } from '../activator';
import { jsonBytes, LIMITS, toJson, type Json, type RunError } from '../contract';
import { endEarly } from '../ending';
import { runErrorOf } from '../failures';
import { openRun, type Run } from '../open-run';
import { cutToFit } from '../state/cut';
import { SubAgents } from '../sub-agents';
import { splitArgs, withCarried } from './carried';
import { pausableIdentity, type PausableRunOptions } from './identity';
import { PausableRun, type PausableWorkflow } from './run-context';

type Body<Args extends unknown[], Result> = (run: PausableRun, ...args: Args) => Promise<Result>;

/**
 * Makes a workflow function a run: with a record, an event stream, steps, Holdpoint's signals and queries, and its place
 * in lists. Export what it returns under `name`, which is also the workflow type and the run's `agent`. It starts, takes
 * arguments, returns and fails as the function would without it; the workflow's own signals, queries and updates work
 * beside Holdpoint's (whose names are `answer`, `child_needs_human`, `child_ask_closed`, `run`, `events`, `asks`,
 * `messages`, `answer_outcome`).
 *
 * @param options what the run is when a team's own client starts it (`PausableRunOptions`)
 */
export function pausableRun<Args extends unknown[], Result>(
  name: string,
  body: Body<Args, Result>,
): PausableWorkflow<Args, Result>;
export function pausableRun<Args extends unknown[], Result>(
  name: string,
  options: PausableRunOptions<Args>,
  body: Body<Args, Result>,
): PausableWorkflow<Args, Result>;
export function pausableRun<Args extends unknown[], Result>(
  name: string,
  ...rest: [Body<Args, Result>] | [PausableRunOptions<Args>, Body<Args, Result>]
): PausableWorkflow<Args, Result> {
  const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest;
  const workflow = (...all: unknown[]) => runBody(name, options, body, all);
  // Temporal's clients take the workflow type from the function's name.
  Object.defineProperty(workflow, 'name', { value: name });
  return Object.assign(workflow, { runName: name });
}

async function runBody<Args extends unknown[], Result>(
  name: string,
  options: PausableRunOptions<Args>,
  body: Body<Args, Result>,
  all: unknown[],
): Promise<Result> {
  const { args, carried } = splitArgs<Args>(all);
  const identity = carried?.identity ?? pausableIdentity(name, options, args);
  // Its result is its own, not an outcome that readers could take the record from: so the memo says how it ended.
  const run = openRun(identity, carried && { state: carried, effects: [] }, { endInMemo: true });
  const subAgents = new SubAgents(run);
  try {
    const result = await body(new PausableRun(run, subAgents, args), ...args);
    await subAgents.allEnded();
    await run.settled();
    run.state.finish({ status: 'completed', result: shownResult(result) });
    run.publish();
    return result;
  } catch (failure) {
    if (failure instanceof ContinueAsNew) throw await goingOn(run, subAgents, failure);
    await endEarly(run, subAgents, endingError(failure));
    // As the author threw it: whoever waits for the workflow gets that, not our word for it.
    throw failure;
  }
}

/** Waits for what the next execution would not hear of, and hands everything else on to it. */
async function goingOn(run: Run, subAgents: SubAgents, failure: ContinueAsNew): Promise<ContinueAsNew> {
  await subAgents.allEnded();
  run.state.withdrawAsk();
  await run.settled();
  return withCarried(failure, run.state.carry());
}

/** How the record ends; throws on what is no end: a bug, for which Temporal tries the workflow task again. */
function endingError(failure: unknown): RunError | null {
  if (isCancellation(failure) && CancellationScope.current().consideredCancelled) return null;
  if (failure instanceof TemporalFailure || !failsWorkflow(failure)) return runErrorOf(failure);
  const { name, message } = failure instanceof Error ? failure : new Error(String(failure));
  return { code: name || 'failed', message: message || 'failed without a message' };
}

/** The result as the record shows it: as JSON, and of a size that memo and events can hold. The caller gets it whole. */
function shownResult(result: unknown): Json {
  const shown = toJson(result);
  const bytes = jsonBytes(shown);
  if (bytes <= LIMITS.toolResultBytes) return shown;
  const note = `the result had ${bytes} bytes and was cut: the workflow's own result is whole`;
  return { cut: true, note, result: cutToFit(shown, LIMITS.toolResultBytes / 2) };
}
