/** Signals as any program can send them: no SDK in between that would encode or check the payloads. */
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

type Payload = temporal.api.common.v1.IPayload;

const bytes = (text: string) => Buffer.from(text, 'utf8');

/** A payload of these raw bytes that claims to be of this encoding. */
export function payload(encoding: string | null, data: string | Uint8Array | null): Payload {
  return {
    metadata: encoding === null ? {} : { encoding: bytes(encoding) },
    ...(data === null ? {} : { data: typeof data === 'string' ? bytes(data) : data }),
  };
}

export const jsonPayload = (value: unknown) => payload('json/plain', JSON.stringify(value));

/** Sends one signal with exactly these payloads. */
export async function sendRaw(client: Client, runId: string, signalName: string, payloads: Payload[]): Promise<void> {
  await client.workflowService.signalWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId: runId },
    signalName,
    input: { payloads },
    requestId: `${signalName}-${Math.random()}`,
  });
}
