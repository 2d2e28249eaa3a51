/** Questions to the person at the terminal. On stderr, so that stdout holds nothing but what was asked for. */
import { interrupted } from './exit';
import { PastingInput } from './pasted-lines';
import { safeBlock, safeLine } from './safe-text';

/** Loaded when somebody is asked: it is an ES module, and most commands ask nobody. */
const load = () => import('@clack/prompts');

export interface Choice {
  value: string;
  label: string;
  hint?: string;
}

/** One of several. Throws `interrupted`, or the signal's reason when it was aborted meanwhile. */
export async function askChoice(message: string, choices: readonly Choice[], signal: AbortSignal): Promise<string> {
  const { select } = await load();
  const options = choices.map(({ value, label, hint }) => ({
    value: value,
    label: safeLine(label),
    ...(hint === undefined ? {} : { hint: safeLine(hint) }),
  }));
  const picked = await select({ message: safeBlock(message), options, signal, output: process.stderr });
  return answered(picked, signal);
}

/**
 * A line of text, or several that are pasted. `fault` says what is wrong with it, and the person goes on with what was
 * typed.
 */
export async function askText(
  message: string,
  fault: (text: string) => string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const { text } = await load();
  const input = PastingInput.open(process.stdin, process.stderr);
  try {
    const options = { message: safeBlock(message), signal, input, output: process.stderr };
    const typed = await text({ ...options, validate: (value) => fault(input.textOf(value ?? '')) });
    return input.textOf(answered(typed, signal));
  } finally {
    input.close();
  }
}

export async function askYesNo(message: string, signal: AbortSignal): Promise<boolean> {
  const { confirm } = await load();
  return answered(
    await confirm({ message: safeBlock(message), initialValue: false, signal, output: process.stderr }),
    signal,
  );
}

function answered<T>(value: T, signal: AbortSignal): Exclude<T, symbol> {
  if (signal.aborted) throw signal.reason;
  if (typeof value === 'symbol') throw interrupted();
  return value as Exclude<T, symbol>;
}
