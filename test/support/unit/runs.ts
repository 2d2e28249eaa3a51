/** Runs without Temporal: a `RunState` on a clock that only moves when a test says so. */
import { runEventSchema, type RunEvent, type RunIdentity } from '../../../workflows/contract';
import type { Child } from '../../../workflows/state/children';
import { newRunState, type RunStateData } from '../../../workflows/state/run-data';
import { RunState } from '../../../workflows/state/run-state';

export const START = Date.parse('2026-11-30T09:00:00.000Z');

export class TestRun {
  private ms = START;
  readonly now = () => new Date(this.ms).toISOString();
  state: RunState;

  constructor(identity: Partial<RunIdentity> = {}, runId = 'run_root') {
    this.state = new RunState(newRunState(identityOf(runId, identity), this.now()), runId, this.now);
  }

  tick(ms: number): void {
    this.ms += ms;
  }

  /** What continue-as-new does: cut, through JSON, and on. Fails when JSON would change anything. */
  continueAsNew(): RunStateData {
    const carried = this.state.carry();
    expectPlainJson(carried);
    const next = JSON.parse(JSON.stringify(carried)) as RunStateData;
    this.state = new RunState(next, this.state.runId, this.now);
    return next;
  }

  get events(): readonly RunEvent[] {
    return this.state.data.log.events;
  }

  types(from = 0): string[] {
    return this.events.slice(from).map((event) => event.type);
  }

  dataOf(type: RunEvent['type']): unknown[] {
    return this.events.filter((event) => event.type === type).map((event) => event.data);
  }

  /** Starts a sub-agent, as the delegation's step does. */
  startChild(run_id: string, agent = 'child', stepName = 'delegate child'): Child {
    const { step_id } = this.state.beginStep({ kind: 'delegation', name: stepName });
    const child = this.state.children.add({ run_id, agent, step_id });
    this.state.childStarted(child);
    return child;
  }

  /** Opens an ask that is known to be good. */
  ask(args: unknown = { kind: 'free_form', question: 'Which quarter?' }, more: { approval?: boolean } = {}) {
    const opened = this.state.openAsk(args, more);
    if ('refused' in opened) throw new Error(`refused: ${JSON.stringify(opened.refused)}`);
    return opened.question;
  }
}

export function identityOf(runId: string, identity: Partial<RunIdentity> = {}): RunIdentity {
  return {
    root_run_id: runId,
    parent_run_id: null,
    ancestors: [],
    agent: 'tester',
    workspace: 'default',
    on_question: 'pause',
    assignee: null,
    metadata: {},
    ...identity,
  };
}

export const askOfChoices = (labels: string[] = ['A', 'B']) => ({
  kind: 'multiple_choice',
  question: 'Which one?',
  options: labels,
});

/** No Map, Set, Date, class or undefined: what a payload would lose. */
export function expectPlainJson(value: unknown): void {
  expect(JSON.parse(JSON.stringify(value))).toStrictEqual(value);
}

/** Every event has the form that the contract publishes, and ids rise by one. */
export function expectGoodEvents(events: readonly RunEvent[]): void {
  events.forEach((event, index) => {
    const parsed = runEventSchema.safeParse(event);
    if (!parsed.success) throw new Error(`${event.type}: ${parsed.error.message}`);
    expect(parsed.data).toStrictEqual(event);
    if (index > 0) expect(event.id).toBe((events[index - 1]?.id ?? 0) + 1);
  });
}
