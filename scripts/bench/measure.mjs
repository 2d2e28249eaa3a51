// Small helpers of the bench: timing, percentiles, a bounded crowd.

export async function timed(fn) {
  const start = performance.now();
  await fn();
  return performance.now() - start;
}

export function summary(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

export function line(name, { p50, p95, p99 }) {
  const ms = (value) => `${value.toFixed(1)} ms`.padStart(10);
  return `  ${name.padEnd(32)} p50 ${ms(p50)}  p95 ${ms(p95)}  p99 ${ms(p99)}`;
}

export function ratio(ours, theirs) {
  return (summary(ours).p50 / summary(theirs).p50).toFixed(2);
}

/** Calls `fn(0) … fn(count - 1)`, at most `atOnce` under way. */
export async function eachAtOnce(count, atOnce, fn) {
  let next = 0;
  const work = async () => {
    while (next < count) {
      const i = next;
      next += 1;
      await fn(i);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, work));
}
