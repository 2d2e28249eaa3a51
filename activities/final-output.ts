/** The final answer of an agent with an output schema: found in the model's text and judged. */
import type { AgentDefinition, Json } from '../workflows/contract';
import { parsedBy, problemBySchema } from './define/json-schema';
import type { Agent } from './model';

export type FinalOutput = { output: Json } | { output_problem: string };

/** The value in `text`, if it fits the schema that the run has recorded and the agent's own; else what is wrong with it. */
export async function finalOutput(
  schema: NonNullable<AgentDefinition['output_schema']>,
  agent: Agent | undefined,
  text: string | null,
): Promise<FinalOutput> {
  const found = jsonIn(text ?? '');
  if (!found) return { output_problem: 'it is not JSON' };
  const problem = problemBySchema(schema, found.value);
  if (problem !== null) return { output_problem: problem };
  const own = agent?.spec?.output;
  // The schema may have changed since: then the recorded one alone counts.
  if (!own || JSON.stringify(own.jsonSchema) !== JSON.stringify(schema)) return { output: found.value };
  const parsed = await parsedBy(own.schema, found.value);
  if (!parsed.ok) return { output_problem: parsed.problem };
  const kept = JSON.stringify(parsed.value) as string | undefined;
  return { output: kept === undefined ? null : (JSON.parse(kept) as Json) };
}

/** JSON as models write it: bare, in a code fence, or with prose around one object. */
function jsonIn(text: string): { value: Json } | undefined {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n?```/.exec(text)?.[1];
  const braced = text.includes('{') ? text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1) : undefined;
  for (const candidate of [text, fenced, braced]) {
    if (candidate === undefined) continue;
    try {
      return { value: JSON.parse(candidate) as Json };
    } catch {
      // The next form may be it.
    }
  }
  return undefined;
}
