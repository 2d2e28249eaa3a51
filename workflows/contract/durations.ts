/** Durations as people write them: a whole number and a unit, `90s`, `15m`, `4h`, `3d`. */
import { z } from 'zod';

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Matches every duration. No sums (`1h30m`), no fractions, no sign. */
export const DURATION_PATTERN = '^[0-9]{1,9}(ms|s|m|h|d)$';
const duration = new RegExp(DURATION_PATTERN);

/** Milliseconds of a duration; null when `text` is none. Zero is a duration: whether it makes sense is the caller's. */
export function durationMs(text: string): number | null {
  if (!duration.test(text)) return null;
  const [count, unit] = [Number.parseInt(text, 10), text.replace(/^\d+/, '') as keyof typeof UNIT_MS];
  return count * UNIT_MS[unit];
}

/** A duration from `min` to `max`, both included and written as durations themselves. */
export function durationBetween(min: string, max: string) {
  const [least, most] = [durationMs(min) ?? 0, durationMs(max) ?? 0];
  return z
    .string()
    .regex(duration, `must be a whole number and a unit (ms, s, m, h, d), such as "15m"`)
    .refine((text) => {
      const ms = durationMs(text);
      return ms === null || (ms >= least && ms <= most);
    }, `must be from ${min} to ${max}`)
    .meta({ description: `A duration from ${min} to ${max}, such as "15m".` });
}
