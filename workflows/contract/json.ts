/** A value that survives a payload: no Date, Map, Set or undefined. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Bytes that a value takes as JSON in UTF-8. Text only: the size that Temporal's limits are about. */
export function jsonBytes(value: unknown): number {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? 0 : byteLength(text);
}

function byteLength(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    // JSON.stringify escapes lone surrogates, so each unit of a pair is half of four bytes.
    if (unit >= 0xd800 && unit <= 0xdfff) bytes += 1;
    else if (unit >= 0x800) bytes += 2;
    else if (unit >= 0x80) bytes += 1;
  }
  return bytes;
}

/** True when `value` is nested deeper than `levels`. Walks level by level, so no depth ends its own stack. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item === 'object' && item !== null) for (const inner of Object.values(item)) next.push(inner);
    }
    level = next;
  }
  return false;
}

/**
 * `value` as JSON has it: what a payload would carry of it. Null where JSON has nothing to say (undefined, a function,
 * a cycle, a BigInt), so that whatever an author's code hands back can be shown.
 */
export function toJson(value: unknown): Json {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? null : (JSON.parse(text) as Json);
  } catch {
    return null;
  }
}
