/** A team's own data converter: payloads encrypted by a codec, values wrapped by a payload converter of its own. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';

const KEY = Buffer.alloc(32, 7);
const ENCODING = 'binary/encrypted';
const { Payload: PayloadMessage } = temporal.api.common.v1;

/** AES-256-GCM over the whole payload, as Temporal's encryption sample does it. */
export class EncryptionCodec implements PayloadCodec {
  async encode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', KEY, iv);
      const sealed = Buffer.concat([cipher.update(PayloadMessage.encode(payload).finish()), cipher.final()]);
      return {
        metadata: { encoding: Buffer.from(ENCODING) },
        data: Buffer.concat([iv, cipher.getAuthTag(), sealed]),
      };
    });
  }

  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => {
      if (Buffer.from(payload.metadata?.encoding ?? []).toString() !== ENCODING || !payload.data) return payload;
      const data = Buffer.from(payload.data);
      const decipher = createDecipheriv('aes-256-gcm', KEY, data.subarray(0, 12));
      decipher.setAuthTag(data.subarray(12, 28));
      const open = Buffer.concat([decipher.update(data.subarray(28)), decipher.final()]);
      return PayloadMessage.decode(open);
    });
  }
}
