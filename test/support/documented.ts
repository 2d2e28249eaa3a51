/** A caller that holds every reply against the OpenAPI document: its status, its media type, its schema. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import { ERROR_STATUS, errorBodySchema, type ErrorCode } from '../../workflows/contract';
import { ApiCaller, type Reply } from './http';

interface MediaTypes {
  content?: Record<string, { schema?: unknown }>;
}
export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, { responses: Record<string, MediaTypes> } & Record<string, unknown>>>;
  components: { schemas: Record<string, unknown> } & Record<string, unknown>;
}

const DOCUMENT_ID = 'https://holdpoint.test/openapi.json';

export class DocumentedCaller extends ApiCaller {
  private constructor(
    api: ApiCaller,
    readonly document: OpenApiDocument,
    private readonly ajv: Ajv2020,
  ) {
    super(api.url, api.key, api.boundMs);
  }

  /** Reads the document of the API that `api` calls. */
  static async of(api: ApiCaller): Promise<DocumentedCaller> {
    const document = (await (await fetch(`${api.url}/openapi.json`)).json()) as OpenApiDocument;
    return new DocumentedCaller(api, document, documentedSchemas(document));
  }

  /** The same, with another key. */
  as(key: string): DocumentedCaller {
    return new DocumentedCaller(new ApiCaller(this.url, key, this.boundMs), this.document, this.ajv);
  }

  override async call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply<Body>> {
    const reply = await super.call<Body>(method, path, body, headers);
    this.check(method, path, reply);
    return reply;
  }

  /** Throws unless the document has this status for this call and the body fits its schema. */
  check(method: string, path: string, { status, headers, text }: Pick<Reply, 'status' | 'headers' | 'text'>): void {
    const told = `${method} ${path} answered ${status} ${text.slice(0, 500)}`;
    // What the Model Context Protocol itself refuses is an error of its own form.
    const ofMcp = path === '/mcp' && text.includes('"jsonrpc"');
    if (status >= 400 && !ofMcp) expectErrorBody(status, headers.get('content-type'), text);
    const template = this.templateOf(path);
    const operation = template && this.document.paths[template]?.[method.toLowerCase()];
    if (!template || !operation) {
      if (status !== 404 && status !== 401) throw new Error(`no such route in the document, and yet ${told}`);
      return;
    }
    const documented = operation.responses[status];
    if (!documented) throw new Error(`the document does not have this status: ${told}`);
    if (!documented.content) {
      if (text !== '') throw new Error(`the document has no body: ${told}`);
      return;
    }
    const type = (headers.get('content-type') ?? '').split(';')[0] as string;
    if (!documented.content[type]) throw new Error(`the document does not have ${type}: ${told}`);
    if (type !== 'application/json') return;
    const pointer = ['paths', template, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema'];
    const validate = this.validator(pointer);
    if (!validate(JSON.parse(text))) throw new Error(`${told}: ${this.ajv.errorsText(validate.errors)}`);
  }

  /** The compiled schema at a place in the document. */
  validator(pointer: string[]): ValidateFunction {
    const path = pointer.map((part) => encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'))).join('/');
    const validate = this.ajv.getSchema(`${DOCUMENT_ID}#/${path}`);
    if (!validate) throw new Error(`the document has no schema at ${pointer.join(' ')}`);
    return validate;
  }

  private templateOf(path: string): string | undefined {
    // Below the base, or at the root as Mission Control's are.
    const candidates = [`/api/platform/v1${path}`, path].map((full) => (full.split('?')[0] ?? '').split('/'));
    const fits = (template: string, segments: string[]) => {
      const parts = template.split('/');
      return parts.length === segments.length && parts.every((part, i) => part.startsWith('{') || part === segments[i]);
    };
    const templates = Object.keys(this.document.paths);
    return templates.find((template) => candidates.some((segments) => fits(template, segments)));
  }
}

/** Ajv that knows the whole document, so that references between its parts resolve as they stand. */
export function documentedSchemas(document: OpenApiDocument): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema({ ...document, $id: DOCUMENT_ID });
  return ajv;
}

/** Every error is `{error, message, issues?}` in JSON, its code that of its status, and nothing of our insides in it. */
export function expectErrorBody(status: number, contentType: string | null, text: string): void {
  const type = { status, contentType, text };
  expect(type).toEqual({ status, contentType: expect.stringMatching(/^application\/json\b/), text });
  const parsed = errorBodySchema.safeParse(JSON.parse(text));
  expect({ text, issues: parsed.error?.issues ?? [] }).toEqual({ text, issues: [] });
  const { error, message } = JSON.parse(text) as { error: ErrorCode; message: string };
  expect({ error, status: ERROR_STATUS[error] }).toEqual({ error, status });
  expect(message).not.toBe('');
  expect(text).not.toMatch(/\\n\s*at |node_modules|\.[jt]s:\d|file:\/\//);
  expect(text).not.toContain(process.cwd());
}
