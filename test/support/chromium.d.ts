export function findChromium(env?: NodeJS.ProcessEnv): string | null;
export const LAUNCH_ARGS: readonly string[];
