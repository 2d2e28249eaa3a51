/** A payload converter of a team's own, which no default one can read: JSON, reversed. Loaded in the sandbox too. */
import {
  CompositePayloadConverter,
  UndefinedPayloadConverter,
  type Payload,
  type PayloadConverterWithEncoding,
} from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/encoding';

class ReversedJson implements PayloadConverterWithEncoding {
  readonly encodingType = 'json/reversed';

  toPayload(value: unknown): Payload | undefined {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) return undefined;
    return { metadata: { encoding: encode(this.encodingType) }, data: encode([...text].reverse().join('')) };
  }

  fromPayload<T>(payload: Payload): T {
    return JSON.parse([...decode(payload.data ?? new Uint8Array())].reverse().join('')) as T;
  }
}

export const payloadConverter = new CompositePayloadConverter(new UndefinedPayloadConverter(), new ReversedJson());
