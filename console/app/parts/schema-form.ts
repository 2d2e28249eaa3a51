/** A form from a JSON Schema: the shapes that people fill in. What it cannot draw is written as JSON. */
import type { Json } from '../../../workflows/contract';

export interface JsonSchema {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: Json[];
  const?: Json;
  default?: Json;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  [key: string]: unknown;
}

export type FieldKind = 'text' | 'long-text' | 'number' | 'boolean' | 'choice' | 'lines' | 'json';

export interface Field {
  /** Path in the input, dotted: `team.name`. */
  path: string;
  label: string;
  description: string | null;
  kind: FieldKind;
  required: boolean;
  /** Of a choice. */
  choices: Json[];
  whole: boolean;
  initial: string;
}

const MAX_FIELDS = 60;
const MAX_NESTING = 3;

/** The fields of an input schema; null when it is none of an object with fields, and the whole is written as JSON. */
export function fieldsOf(schema: JsonSchema): Field[] | null {
  const fields = objectFields(schema, '', 0);
  return fields && fields.length > 0 && fields.length <= MAX_FIELDS ? fields : null;
}

function objectFields(schema: JsonSchema, prefix: string, depth: number): Field[] | null {
  if (!schema.properties || (schema.type !== undefined && schema.type !== 'object')) return null;
  return Object.entries(schema.properties).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const required = schema.required?.includes(name) ?? false;
    // A nested object that may be left out as a whole cannot be told from one with empty fields.
    const nested = required && depth < MAX_NESTING ? objectFields(property, `${path}.`, depth + 1) : null;
    return nested ?? [fieldOf(property, path, required)];
  });
}

function fieldOf(schema: JsonSchema, path: string, required: boolean): Field {
  const { kind, choices, whole } = kindOf(schema);
  const initial = initialOf(schema.default, kind, choices);
  return {
    path,
    label: schema.title ?? path,
    description: schema.description ?? null,
    kind,
    required,
    choices,
    whole,
    initial,
  };
}

/** The default as it stands in the control. */
function initialOf(value: Json | undefined, kind: FieldKind, choices: readonly Json[]): string {
  if (value === undefined) return '';
  if (kind === 'choice') {
    const index = choices.findIndex((choice) => JSON.stringify(choice) === JSON.stringify(value));
    return index < 0 ? '' : String(index);
  }
  if (kind === 'lines' && Array.isArray(value)) return value.map(String).join('\n');
  return typeof value === 'string' && kind !== 'json' ? value : JSON.stringify(value);
}

function kindOf(schema: JsonSchema): { kind: FieldKind; choices: Json[]; whole: boolean } {
  const choices = choicesOf(schema);
  if (choices) return { kind: 'choice', choices, whole: false };
  const none = { choices: [], whole: false };
  switch (schema.type) {
    case 'string':
      return { kind: (schema.maxLength ?? 0) > 200 ? 'long-text' : 'text', ...none };
    case 'integer':
      return { kind: 'number', choices: [], whole: true };
    case 'number':
      return { kind: 'number', ...none };
    case 'boolean':
      return { kind: 'boolean', ...none };
    case 'array':
      return { kind: schema.items?.type === 'string' && !schema.items.enum ? 'lines' : 'json', ...none };
    default:
      return { kind: 'json', ...none };
  }
}

function choicesOf(schema: JsonSchema): Json[] | null {
  if (schema.enum) return schema.enum;
  const branches = schema.anyOf ?? schema.oneOf;
  if (!branches?.length || !branches.every((branch) => branch.const !== undefined)) return null;
  return branches.map((branch) => branch.const as Json);
}

export type ReadField = { value: Json | undefined } | { problem: string };

/** What was written in a field, as the input wants it; undefined when it was left empty and may be. */
export function readField(field: Field, text: string): ReadField {
  if (text === '') {
    if (!field.required) return { value: undefined };
    if (field.kind === 'boolean') return { value: false };
    return field.kind === 'text' || field.kind === 'long-text' ? { value: '' } : { problem: 'must be filled in' };
  }
  switch (field.kind) {
    case 'text':
    case 'long-text':
      return { value: text };
    case 'boolean':
      return { value: text === 'true' };
    case 'number': {
      const value = Number(text);
      if (!Number.isFinite(value)) return { problem: 'must be a number' };
      return field.whole && !Number.isInteger(value) ? { problem: 'must be a whole number' } : { value };
    }
    case 'choice':
      return { value: field.choices[Number(text)] };
    case 'lines':
      return { value: text.split('\n').filter((line) => line !== '') };
    case 'json':
      return readJson(text);
  }
}

export function readJson(text: string): { value: Json } | { problem: string } {
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { problem: `is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Puts a value at a dotted path. */
export function setAt(target: Record<string, Json>, path: string, value: Json): void {
  const names = path.split('.');
  const last = names.pop() as string;
  let at = target;
  for (const name of names) {
    const inner = Object.hasOwn(at, name) ? at[name] : undefined;
    const next = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? inner : {};
    Object.defineProperty(at, name, { value: next, enumerable: true, writable: true, configurable: true });
    at = next;
  }
  Object.defineProperty(at, last, { value, enumerable: true, writable: true, configurable: true });
}
