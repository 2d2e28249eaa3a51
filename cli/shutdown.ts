/** How long a stop may take before the process goes all the same (CONTRACT §12: within 10 s). */
const HARD_LIMIT_MS = 9_500;

/** npm hands on a Ctrl-C that the terminal has sent us already: what comes this soon after the first is no second wish. */
const SAME_WISH_MS = 1_000;

/** Resolves at the first SIGTERM or SIGINT. A later one ends the process at once. */
export function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    const onSignal = () => {
      if (askedAt !== undefined) {
        if (performance.now() - askedAt > SAME_WISH_MS) process.exit(1);
        return;
      }
      askedAt = performance.now();
      setTimeout(() => process.exit(0), HARD_LIMIT_MS).unref();
      resolve();
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}
