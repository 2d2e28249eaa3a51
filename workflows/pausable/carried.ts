/** What a pausable run takes with it through continue-as-new: one argument behind the workflow's own. */
import { mapToPayloads } from '@temporalio/common';
import { ContinueAsNew, workflowInfo } from '@temporalio/workflow';
import { attributePayloads, payloadConverter, serializationContext } from '../activator';
import type { RunStateData } from '../state/run-data';

const KEY = 'holdpoint_carried';

/** The workflow's own arguments and, of an execution that goes on, the state it goes on with. */
export function splitArgs<Args extends unknown[]>(all: unknown[]): { args: Args; carried: RunStateData | undefined } {
  const last = all.at(-1);
  if (typeof last !== 'object' || last === null || !Object.hasOwn(last, KEY))
    return { args: all as Args, carried: undefined };
  return { args: all.slice(0, -1) as Args, carried: (last as { [KEY]: RunStateData })[KEY] };
}

/**
 * What to throw in place of a `continueAsNew` of the author's: the same, and the state goes with it. So do the memo and
 * the search attributes as they are now, since the server would hand on those of the start; where the author gave some,
 * theirs are put on top. To another workflow nothing is handed on, which would not know what to do with it.
 */
export function withCarried(failure: ContinueAsNew, state: RunStateData): ContinueAsNew {
  const { command } = failure;
  const { workflowType, memo, typedSearchAttributes } = workflowInfo();
  if (command.workflowType && command.workflowType !== workflowType) return failure;
  const carried = payloadConverter().toPayload({ [KEY]: state }, serializationContext());
  const next: typeof command = {
    ...command,
    arguments: [...(command.arguments ?? []), carried],
    memo: { ...mapToPayloads(payloadConverter(), memo ?? {}, serializationContext()), ...command.memo },
    searchAttributes: {
      indexedFields: { ...attributePayloads(typedSearchAttributes), ...command.searchAttributes?.indexedFields },
    },
  };
  return new ContinueAsNew(next, failure.eventGroupMarkers);
}
