/** Receiving signals. They come from any program, so what they carry is not even sure to be readable. */
import { defaultPayloadConverter, rawValueTypeInfo, type RawValue, type TypeInfo } from '@temporalio/common';
import { defineSignal, setHandler } from '@temporalio/workflow';
import { payloadConverter, serializationContext } from './activator';

/**
 * Hands each signal's payload to `take`; `undefined` when it has none or it cannot be decoded. The SDK decodes
 * arguments before it calls a handler, and where that throws (an unknown encoding, broken JSON) the workflow task fails
 * for ever: one such signal would wedge the run. So the payload is taken raw and decoded here.
 */
export function onSignal(signal: { name: string; description: string }, take: (payload: unknown) => void): void {
  const definition = defineSignal<[RawValue?]>(signal.name, { typeInfo: { inputTypes: everyArgumentRaw } });
  setHandler(definition, (raw) => take(decoded(raw)), { description: signal.description });
}

/** The types of any number of arguments: a second one that nobody reads must not be decoded either. */
const everyArgumentRaw = new Proxy<TypeInfo[]>([], {
  get: (list, key, self) =>
    typeof key === 'string' && /^\d+$/.test(key) ? rawValueTypeInfo : (Reflect.get(list, key, self) as unknown),
});

/**
 * By the worker's own converter, which is what the API's client encodes with; else as plain JSON, which is what the
 * `temporal` program and the Web UI send.
 */
function decoded(raw: RawValue | undefined): unknown {
  if (!raw) return undefined;
  for (const converter of [payloadConverter(), defaultPayloadConverter]) {
    try {
      return converter.fromPayload<unknown>(raw.payload, serializationContext());
    } catch {
      // The other one may know it.
    }
  }
  return undefined;
}
