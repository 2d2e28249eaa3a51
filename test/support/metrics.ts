/** Reads Prometheus' text format. */

/** The sum of the samples of this name whose labels have these values; undefined when there is none. */
export function metric(text: string, name: string, labels: Record<string, string> = {}): number | undefined {
  const values = text.split('\n').flatMap((line) => {
    const parsed = /^([a-zA-Z_:]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (parsed?.[1] !== name) return [];
    const has = Object.entries(labels).every(([label, value]) =>
      `,${parsed[2] ?? ''},`.includes(`,${label}="${value}",`),
    );
    return has ? [Number(parsed[3])] : [];
  });
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}
