/** How long a stop may take before the process goes all the same (CONTRACT §12: within 10 s). */
const HARD_LIMIT_MS = 9_500;

/** Resolves at the first SIGTERM or SIGINT. A second one ends the process at once. */
export function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = () => {
      if (asked) process.exit(1);
      asked = true;
      setTimeout(() => process.exit(0), HARD_LIMIT_MS).unref();
      resolve();
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}
