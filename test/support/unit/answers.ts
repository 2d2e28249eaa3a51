/** Answers that must change nothing: what a refused one may touch, and what it may not. */
import type { AnswerOutcome } from '../../../workflows/contract';
import { takeAnswer } from '../../../workflows/state/judge';
import { expectGoodEvents, expectPlainJson, type TestRun } from './runs';

/** All of a run that a refused answer must not touch. */
export function untouched(run: TestRun): unknown {
  const { log: _log, outcomes: _outcomes, ...rest } = run.state.data;
  return structuredClone({ rest, outbox: run.state.outbox, revision: run.state.revision });
}

/** Sends an answer that has to be refused, and gives back what became of it. */
export function refused(run: TestRun, payload: unknown): AnswerOutcome {
  const before = untouched(run);
  const outcome = takeAnswer(run.state, payload);
  expect(outcome.verdict).not.toBe('taken');
  expect(untouched(run)).toStrictEqual(before);
  expectGoodEvents(run.events);
  expectPlainJson(outcome);
  return outcome;
}
