/**
 * The one place that reaches below the SDK's public surface: what the running workflow was set up with and no public
 * call tells.
 */
import {
  defaultPayloadConverter,
  type Payload,
  type PayloadConverter,
  type SerializationContext,
  type TypedSearchAttributes,
} from '@temporalio/common';
// eslint-disable-next-line @typescript-eslint/no-restricted-imports -- not in the index, and pure
import { encodeUnifiedSearchAttributes } from '@temporalio/common/lib/converter/payload-search-attributes';

interface Activator {
  payloadConverter?: PayloadConverter;
  workflowSerializationContext?(): SerializationContext;
  isConfiguredFailureException?(error: unknown): boolean;
}

function activator(): Activator | undefined {
  return (globalThis as { __TEMPORAL_ACTIVATOR__?: Activator }).__TEMPORAL_ACTIVATOR__;
}

/** The worker's own payload converter: a team may have one. */
export function payloadConverter(): PayloadConverter {
  return activator()?.payloadConverter ?? defaultPayloadConverter;
}

/** What the worker's converter and codec may want to know of the workflow that a payload belongs to. */
export function serializationContext(): SerializationContext | undefined {
  return activator()?.workflowSerializationContext?.();
}

/** True for an error by which the worker's settings let a workflow fail although it is none of Temporal's own. */
export function failsWorkflow(error: unknown): boolean {
  return activator()?.isConfiguredFailureException?.(error) ?? false;
}

/** Search attributes as a command carries them. */
export function attributePayloads(attributes: TypedSearchAttributes): Record<string, Payload> {
  return encodeUnifiedSearchAttributes(undefined, attributes);
}
