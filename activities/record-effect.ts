import { appendFileSync, readFileSync } from 'node:fs';
import { ApplicationFailure } from '@temporalio/common';

export interface EffectRequest {
  run_id: string;
  name: string;
  /** How many effects of this name the run has recorded before this one. */
  nth: number;
}

/**
 * Appends `<run_id> <name>` to the effects file. An attempt that was killed between writing and reporting is tried
 * again; the number tells that the line is there already, so it is written once. A run sends effects of one name one
 * after another, which is what makes counting enough.
 */
export function createRecordEffect(deps: { effectsFile?: string | undefined }) {
  return function recordEffect({ run_id, name, nth }: EffectRequest): Promise<void> {
    const file = deps.effectsFile;
    if (!file) {
      throw ApplicationFailure.nonRetryable('HOLDPOINT_EFFECTS_FILE is not set', 'effects_file_not_set');
    }
    const line = `${run_id} ${name}`;
    // Read and append in one go: nothing else in this process comes between.
    if (countLines(file, line) <= nth) appendFileSync(file, `${line}\n`);
    return Promise.resolve();
  };
}

function countLines(file: string, line: string): number {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
  return content.split('\n').filter((existing) => existing === line).length;
}
