/** The OpenAPI document: what the zod schemas print, with what they cannot say put in. */
import { jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { GIVEN_BY } from '../workflows/contract';
import { NAMED_CHANNELS } from './routes/provenance';
import { addExamples } from './examples';
import { BASE_PATH } from './routes/agents';

type JsonObject = Record<string, unknown>;
type Operation = { parameters?: unknown[]; requestBody?: RequestBody; responses?: Record<string, JsonObject> };
type RequestBody = { required?: boolean; content?: Record<string, { schema?: { anyOf?: { type?: string }[] } }> };
interface Document {
  components?: { schemas?: Record<string, JsonObject> };
  paths?: Record<string, Record<string, Operation>>;
}

const idempotencyKey = header('Idempotency-Key', 'The same key and body give the first outcome again.');
const channel = header('Holdpoint-Channel', 'What the answer is recorded with; default `http`.', [...NAMED_CHANNELS]);
const givenBy = header('Holdpoint-Given-By', 'With channel `mcp`: who gave the answer.', [...GIVEN_BY]);
const lastEventId = header('Last-Event-ID', 'Of a stream: goes on after this event.');

/** For `@fastify/swagger`. Throws when a shared schema without a name turns up, which no reader could follow. */
export function transformObject(input: Parameters<typeof jsonSchemaTransformObject>[0]) {
  const document = withJsonSchemaNamed(jsonSchemaTransformObject(input) as Document);
  for (const [path, operations] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(operations)) complete(method, path, operation);
  }
  return document as ReturnType<typeof jsonSchemaTransformObject>;
}

/**
 * Recursive schemas without an id are printed under `__shared` with references that are no JSON pointers. There is one
 * such schema, `z.json()`, printed several times over; it becomes the component `Json`.
 */
function withJsonSchemaNamed(document: Document): Document {
  const text = JSON.stringify(document).replace(/#\/components\/schemas\/__shared#\/\$defs\/\w+/g, () => JSON_REF);
  const named = JSON.parse(text) as Document;
  const { __shared, ...schemas } = named.components?.schemas ?? {};
  const shapes = new Map(Object.values((__shared?.$defs ?? {}) as JsonObject).map((def) => [JSON.stringify(def), def]));
  if (shapes.size > 1) throw new Error('a recursive schema needs a name for OpenAPI: give it .meta({ id })');
  const [shape] = shapes.values();
  named.components = { ...named.components, schemas: shape ? { ...schemas, Json: shape as JsonObject } : schemas };
  return named;
}

const JSON_REF = '#/components/schemas/Json';

function complete(method: string, path: string, operation: Operation): void {
  const { requestBody, responses = {} } = operation;
  const takesNothing = requestBody?.content?.['application/json']?.schema?.anyOf?.some(({ type }) => type === 'null');
  if (requestBody && takesNothing) requestBody.required = false;
  if (responses['204']) delete responses['204'].content;
  if (path.endsWith('/mcp')) delete responses['202']?.content;
  const headers = [];
  if (method === 'post' && /\/(agents|resume)$/.test(path)) headers.push(idempotencyKey);
  if (method === 'post' && path.endsWith('/resume')) headers.push(channel, givenBy);
  if (path.endsWith('/events')) headers.push(lastEventId);
  if (/\/(events|inbox|mcp)$/.test(path)) {
    Object.assign(responses['200']?.content ?? {}, { 'text/event-stream': { schema: { type: 'string' } } });
  }
  if (headers.length > 0) operation.parameters = [...(operation.parameters ?? []), ...headers];
  addExamples(`${method} ${path.replace(BASE_PATH, '')}`, operation);
}

function header(name: string, description: string, values?: string[]) {
  const schema = { type: 'string', ...(values && { enum: values }) };
  return { in: 'header', name, required: false, description, schema };
}
