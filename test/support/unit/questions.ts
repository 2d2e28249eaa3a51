/** Questions for tests, built the way a run builds them. */
import { buildQuestion, type Question } from '../../../workflows/contract';

export const ASKED_AT = '2026-11-30T09:31:00.000Z';

export function freeForm(n = 1): Question {
  const ask = { kind: 'free_form' as const, question: 'Which quarter?', context: null, labels: null };
  return buildQuestion(ask, { n, askedAt: ASKED_AT });
}

export function multipleChoice(labels: string[] = ['A', 'B'], n = 1): Question {
  const ask = { kind: 'multiple_choice' as const, question: 'Which one?', context: null, labels };
  return buildQuestion(ask, { n, askedAt: ASKED_AT });
}

/** JSON as it comes off the wire: `__proto__` is an ordinary field of it. */
export function jsonObject(fields: readonly (readonly [string, unknown])[]): unknown {
  return JSON.parse(`{${fields.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`);
}
