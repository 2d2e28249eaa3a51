/** Times as people read them. */

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** "5 minutes ago", "in 2 days": in whole units, so that it does not change at every look. */
export function relativeTime(iso: string, lang: string | undefined, now: number = Date.now()): string {
  const distance = Date.parse(iso) - now;
  const format = new Intl.RelativeTimeFormat(lang, { numeric: 'auto' });
  for (const [unit, ms] of STEPS) {
    if (Math.abs(distance) >= ms) return format.format(Math.trunc(distance / ms), unit);
  }
  return format.format(0, 'second');
}

/** Date and time of day where the reader is. */
export function absoluteTime(iso: string, lang: string | undefined): string {
  return new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));
}

/** A language that `Intl` takes; undefined is the browser's own. */
export function knownLanguage(lang: string | null | undefined): string | undefined {
  try {
    return lang ? Intl.getCanonicalLocales(lang)[0] : undefined;
  } catch {
    return undefined;
  }
}
