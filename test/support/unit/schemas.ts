import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import { pendingInputSchema, type AnswerRules } from '../../../workflows/contract';

const compiled = new Map<string, ValidateFunction>();

/** What anyone gets who validates with the published schema: Ajv as it comes, its strict mode on. */
export function publishedValidator(question: AnswerRules): ValidateFunction {
  const text = JSON.stringify(pendingInputSchema(question));
  const known = compiled.get(text);
  if (known) return known;
  // The published schema as it comes off the wire.
  const validator = new Ajv2020().compile(JSON.parse(text) as object);
  compiled.set(text, validator);
  return validator;
}
