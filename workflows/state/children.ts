import type { RunError } from '../contract/events';
import { jsonBytes, type Json } from '../contract/json';
import { LIMITS } from '../contract/limits';
import { firstCharacters } from '../contract/text';
import { cutToFit } from './cut';

/** A sub-agent of a run, from its start to its end. */
export interface Child {
  run_id: string;
  agent: string;
  /** The delegation's step. */
  step_id: string;
  status: 'running' | 'completed' | 'failed' | 'cancelled';
  result: Json;
  error: RunError | null;
  /** True once the agent has got the outcome as a tool result. */
  collected: boolean;
}

/** The sub-agents of a run, in the order in which they were started. */
export class Children {
  constructor(private readonly data: Child[]) {}

  add(child: Pick<Child, 'run_id' | 'agent' | 'step_id'>): Child {
    const added: Child = { ...child, status: 'running', result: null, error: null, collected: false };
    this.data.push(added);
    return added;
  }

  find(runId: string): Child | undefined {
    return this.data.find((child) => child.run_id === runId);
  }

  remove(child: Child): void {
    const at = this.data.indexOf(child);
    if (at >= 0) this.data.splice(at, 1);
  }

  get unfinished(): number {
    return this.data.filter((child) => child.status === 'running').length;
  }

  get uncollected(): Child[] {
    return this.data.filter((child) => !child.collected);
  }

  /**
   * Forgets those whose outcome the agent has: nothing will ask for them again. What the others brought is cut when
   * together it is too much for a payload.
   */
  trimForCarrying(): void {
    const kept = this.data.filter((child) => !child.collected || child.status === 'running');
    this.data.splice(0, this.data.length, ...kept);
    const share = Math.max(256, LIMITS.carriedBytes / 4 / Math.max(1, kept.length));
    for (const child of kept) {
      child.result = cutToFit(child.result, share);
      if (child.error && jsonBytes(child.error) > share) {
        child.error = { ...child.error, message: firstCharacters(child.error.message, 200) };
      }
    }
  }
}
