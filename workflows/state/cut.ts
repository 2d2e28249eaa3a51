import { jsonBytes, type Json } from '../contract/json';
import { LIMITS } from '../contract/limits';
import { characters, firstCharacters } from '../contract/text';

const KEPT = 200;

/**
 * Cuts long texts inside `items`, the oldest first, until all of them fit into `maxBytes` of JSON or nothing long is
 * left. Items keep their number, order and shape; a cut text ends in "…". Changes the array in place.
 */
export function cutLongTexts<T>(items: T[], maxBytes: number): void {
  const sizes = items.map((item) => jsonBytes(item));
  let total = sizes.reduce((sum, size) => sum + size, 0);
  for (let i = 0; i < items.length && total > maxBytes; i += 1) {
    const cut = cutValue(items[i] as Json) as T;
    total += jsonBytes(cut) - (sizes[i] ?? 0);
    items[i] = cut;
  }
}

/** A copy of `value` in which no text is longer than `kept` characters and the "…" of a cut. */
export function cutValue(value: Json, kept: number = KEPT): Json {
  if (typeof value === 'string') return cutText(value, kept);
  if (Array.isArray(value)) return value.map((inner) => cutValue(inner, kept));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cutValue(inner, kept)]));
  }
  return value;
}

/** `value` cut until it takes at most `maxBytes` (64 or more) of JSON: its long texts, else all but its beginning. */
export function cutToFit(value: Json, maxBytes: number): Json {
  if (jsonBytes(value) <= maxBytes) return value;
  const cut = cutValue(value);
  if (jsonBytes(cut) <= maxBytes) return cut;
  // Many small parts. The text of JSON holds no control characters, so none of it takes more than four bytes.
  return cutText(JSON.stringify(cut), Math.floor(maxBytes / 4) - 2);
}

/** As `cutToFit`, and of long texts as much stays as there is room for: for a value whose reader wants all it can get. */
export function cutGently(value: Json, maxBytes: number): Json {
  // From one long text of plain letters, with room for what is around it, to many texts of characters of several bytes.
  for (let kept = Math.floor(maxBytes * 0.95); kept > KEPT; kept = Math.floor(kept / 2)) {
    const longer = cutValue(value, kept);
    if (jsonBytes(longer) <= maxBytes) return longer;
  }
  return cutToFit(value, maxBytes);
}

function cutText(text: string, kept: number): string {
  return text.length <= kept || characters(text) <= kept ? text : `${firstCharacters(text, kept)}…`;
}

/** Drops the oldest items until the rest fits into `maxBytes` of JSON. Returns how many went. */
export function dropOldest<T>(items: T[], maxBytes: number): number {
  let total = 0;
  let keep = items.length;
  while (keep > 0) {
    total += jsonBytes(items[keep - 1]);
    if (total > maxBytes) break;
    keep -= 1;
  }
  items.splice(0, keep);
  return keep;
}

/** Items from index `start`, at most `limit` of them and about `LIMITS.pageBytes` of JSON, but at least one. */
export function pageFrom<T>(items: readonly T[], start: number, limit: number): { taken: T[]; hasMore: boolean } {
  const taken: T[] = [];
  let bytes = 0;
  let next = start;
  for (; next < items.length && taken.length < limit; next += 1) {
    const item = items[next] as T;
    bytes += jsonBytes(item);
    if (taken.length > 0 && bytes > LIMITS.pageBytes) break;
    taken.push(item);
  }
  return { taken, hasMore: next < items.length };
}
