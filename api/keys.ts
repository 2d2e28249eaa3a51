/** API keys (CONTRACT §11): who may call, for which workspace, and what. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

export const SCOPES = ['read', 'start', 'answer', 'cancel'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who calls: the key a request came with, never a field of its body. */
export interface Principal {
  /** Tells keys apart that share a name; of this process alone, shown to nobody. */
  keyId: string;
  name: string;
  workspace: string;
  scopes: ReadonlySet<Scope>;
}

const keySchema = z
  .strictObject({
    name: z.string().min(1).max(200),
    key: z
      .string()
      .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII without spaces: it travels in a header')
      .optional(),
    key_sha256: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex digits')
      .optional(),
    workspace: z.string().min(1).max(200),
    scopes: z.array(z.enum(SCOPES)).default([...SCOPES]),
  })
  .refine((entry) => (entry.key === undefined) !== (entry.key_sha256 === undefined), {
    message: 'needs either key or key_sha256',
  });
export const apiKeysSchema = z.array(keySchema).min(1);
export type ApiKeySettings = z.input<typeof apiKeysSchema>;

/** Finds the principal of a key. Keys are held as digests only. */
export class KeyRing {
  private readonly entries: { digest: Buffer; principal: Principal }[];

  constructor(settings: z.output<typeof apiKeysSchema>) {
    this.entries = settings.map((entry, index) => ({
      digest: entry.key === undefined ? Buffer.from(entry.key_sha256 ?? '', 'hex') : sha256(entry.key),
      principal: {
        keyId: `key ${index}`,
        name: entry.name,
        workspace: entry.workspace,
        scopes: new Set(entry.scopes),
      },
    }));
  }

  /**
   * The principal of an `Authorization` header, or null. Digests are of one length and every entry is compared, so
   * that the time tells nothing about how much of a key was right.
   */
  authenticate(header: string | undefined): Principal | null {
    const presented = /^Bearer ([\x21-\x7e]+)$/i.exec(header ?? '')?.[1];
    if (presented === undefined) return null;
    const digest = sha256(presented);
    let found: Principal | null = null;
    for (const entry of this.entries) {
      if (timingSafeEqual(entry.digest, digest)) found ??= entry.principal;
    }
    return found;
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
