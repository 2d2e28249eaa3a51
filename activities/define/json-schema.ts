/** JSON Schema beside zod: what models and callers are shown, and the judge of what has no zod schema (MCP tools). */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import { z } from 'zod';
import type { JsonObject } from '../../workflows/contract';

/** What a zod schema takes, as JSON Schema 2020-12. Throws when it cannot be told in JSON. */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _, ...printed } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' });
  return JSON.parse(JSON.stringify(printed)) as JsonObject;
}

const MAX_PROBLEMS = 5;
const MAX_COMPILED = 500;
const compiled = new Map<string, ValidateFunction | null>();

/**
 * What is wrong with `value` by a JSON Schema, in words for a model; null when nothing is. A schema that cannot be
 * compiled refuses nothing: it came from a server, whose own verdict follows.
 */
export function problemBySchema(schema: JsonObject, value: unknown): string | null {
  const validate = compile(schema);
  if (!validate || validate(value)) return null;
  const problems = (validate.errors ?? []).slice(0, MAX_PROBLEMS).map((error) => {
    const extra = (error.params as { additionalProperty?: unknown }).additionalProperty;
    const where = error.instancePath.slice(1).replace(/\//g, '.') || 'the whole';
    return `${where} ${error.message ?? 'is wrong'}${typeof extra === 'string' ? ` (${extra})` : ''}`;
  });
  return problems.join('; ').slice(0, 1_000);
}

function compile(schema: JsonObject): ValidateFunction | null {
  const key = JSON.stringify(schema);
  const known = compiled.get(key);
  if (known !== undefined) return known;
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  // One Ajv each: schemas of strangers may share an $id.
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  let validate: ValidateFunction | null = null;
  try {
    const { $schema: _, ...plain } = schema;
    validate = ajv.compile(plain);
  } catch {
    // Not a schema that we understand.
  }
  compiled.set(key, validate);
  return validate;
}

/** What is wrong with `value` by a zod schema, in words for a model; null when nothing is. Refinements may be async. */
export async function parsedBy(
  schema: z.ZodType,
  value: unknown,
): Promise<{ ok: true; value: unknown } | { ok: false; problem: string }> {
  const parsed = await schema.safeParseAsync(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const problems = parsed.error.issues
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) => `${path.map(String).join('.') || 'the whole'}: ${message}`);
  return { ok: false, problem: problems.join('; ').slice(0, 1_000) };
}
