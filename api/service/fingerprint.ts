import { createHash } from 'node:crypto';

/** A fingerprint of some parts, as 64 hex digits; parts of any text never run into each other. */
export function fingerprint(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** A fingerprint of a JSON value that does not depend on the order of keys. */
export function fingerprintOfJson(value: unknown): string {
  return fingerprint(JSON.stringify(value, sortKeys));
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
