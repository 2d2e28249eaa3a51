/** Who a pausable run is: what its parent or the API says, else its starter's memo, else what its author gave. */
import { ApplicationFailure } from '@temporalio/common';
import { workflowInfo } from '@temporalio/workflow';
import type { z } from 'zod';
import {
  contractIssue,
  DEFAULT_WORKSPACE,
  MEMO_KEYS,
  runIdentitySchema,
  type OnQuestion,
  type JsonObject,
  type RunIdentity,
} from '../contract';

/** A value, or how to tell it from the workflow's arguments. The function is workflow code: no clock, no randomness. */
export type FromArgs<Args extends unknown[], Value> = Value | ((...args: Args) => Value);

/** What a run is when a team's own client starts it. A run that the API or another run starts is what they say. */
export interface PausableRunOptions<Args extends unknown[]> {
  /** Whose keys see the run. Default `default`. */
  workspace?: FromArgs<Args, string> | undefined;
  /** Default `pause`. */
  onQuestion?: FromArgs<Args, OnQuestion> | undefined;
  /** Who should answer, for instance an e-mail address. Default nobody in particular. */
  assignee?: FromArgs<Args, string | null> | undefined;
  /** Shown with the run. Default none. */
  metadata?: FromArgs<Args, JsonObject> | undefined;
}

const startSchema = runIdentitySchema
  .pick({ workspace: true, on_question: true, assignee: true, metadata: true })
  .partial();

/** Throws a final failure when something in it is none: retried for ever it would be no better. */
export function pausableIdentity<Args extends unknown[]>(
  name: string,
  options: PausableRunOptions<Args>,
  args: Args,
): RunIdentity {
  const { memo, workflowId } = workflowInfo();
  const given = memo?.[MEMO_KEYS.run];
  if (given !== undefined) return checked(runIdentitySchema, given, 'memo') as unknown as RunIdentity;
  const valueOf = <Value>(option: FromArgs<Args, Value> | undefined, fallback: Value): Value =>
    option === undefined
      ? fallback
      : typeof option === 'function'
        ? (option as (...args: Args) => Value)(...args)
        : option;
  const identity = {
    root_run_id: workflowId,
    parent_run_id: null,
    ancestors: [],
    agent: name,
    workspace: valueOf(options.workspace, DEFAULT_WORKSPACE),
    on_question: valueOf<OnQuestion>(options.onQuestion, 'pause'),
    assignee: valueOf<string | null>(options.assignee, null),
    metadata: valueOf<JsonObject>(options.metadata, {}),
    ...checked(startSchema, memo?.[MEMO_KEYS.start] ?? {}, 'memo'),
  };
  return checked(runIdentitySchema, identity, 'options') as unknown as RunIdentity;
}

function checked<Value>(schema: z.ZodType<Value>, value: unknown, what: string): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues.map(contractIssue);
  const message = `the run's ${what} is malformed at ${issue?.path || 'its top'}: ${issue?.message}`;
  throw ApplicationFailure.nonRetryable(message, 'invalid_arguments');
}
