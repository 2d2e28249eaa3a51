/** Real MCP clients, of the protocol's official package, as hosts of a model use them. */
import { Client, StreamableHTTPClientTransport, type ElicitResult, type Tool } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Ajv2020 } from 'ajv/dist/2020';
import type { RunView } from '../../api/mcp/waiting';
import { MAIN } from './processes';

/** What the client's user is shown. */
export interface ShownForm {
  message: string;
  requestedSchema: { properties: Record<string, Record<string, unknown>>; required?: string[] };
}

export interface McpOptions {
  /** The user of a client that can ask it. Without one the client has no such capability. */
  user?: (form: ShownForm) => ElicitResult | Promise<ElicitResult>;
  /** A client of before 2026-07-28. */
  old?: boolean;
}

/** What a tool said. */
export interface ToolSaid {
  isError: boolean;
  text: string;
  structured: Record<string, unknown>;
}

export class McpCaller {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private constructor(
    readonly client: Client,
    private readonly outputSchemas: ReadonlyMap<string, Tool['outputSchema']>,
  ) {}

  private static async of(client: Client): Promise<McpCaller> {
    const { tools } = await client.listTools();
    return new McpCaller(client, new Map(tools.map(({ name, outputSchema }) => [name, outputSchema])));
  }

  /** Over HTTP, to the API at `url`. */
  static async http(url: string, key: string, options: McpOptions = {}): Promise<McpCaller> {
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    });
    const client = newClient(options);
    await client.connect(transport);
    return McpCaller.of(client);
  }

  /** On stdio, to a `holdpoint mcp` of its own. */
  static async stdio(env: Record<string, string>, options: McpOptions = {}): Promise<McpCaller> {
    const client = newClient(options);
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp'], env, stderr: 'ignore' }),
    );
    return McpCaller.of(client);
  }

  /** Calls a tool. Throws when what it says does not fit the schema that the tool has for it. */
  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolSaid> {
    const result = await this.client.callTool({ name, arguments: args });
    const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    const isError = result.isError === true;
    if (!isError) this.checkOutput(name, result.structuredContent);
    return { isError, text, structured: (result.structuredContent ?? {}) as Record<string, unknown> };
  }

  /** A call that has to go well, of a tool that shows a run. */
  async run(name: string, args: Record<string, unknown>): Promise<RunView & { text: string }> {
    const { isError, text, structured } = await this.call(name, args);
    if (isError) throw new Error(`${name}: ${text}`);
    return { ...(structured as unknown as RunView), text };
  }

  /** The code of a call that has to be refused. */
  async refused(
    name: string,
    args: Record<string, unknown>,
  ): Promise<{ error: string; message: string; issues?: { path: string }[] }> {
    const { isError, text } = await this.call(name, args);
    if (!isError) throw new Error(`${name} was not refused: ${text}`);
    return JSON.parse(text) as { error: string; message: string };
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private checkOutput(name: string, structured: unknown): void {
    const validate = this.ajv.compile(this.outputSchemas.get(name) ?? false);
    if (!validate(structured)) throw new Error(`${name}: ${this.ajv.errorsText(validate.errors)}`);
  }
}

function newClient({ user, old = false }: McpOptions): Client {
  const client = new Client(
    { name: 'holdpoint-test', version: '1.0.0' },
    { capabilities: user ? { elicitation: {} } : {}, versionNegotiation: { mode: old ? 'legacy' : 'auto' } },
  );
  if (user) client.setRequestHandler('elicitation/create', async ({ params }) => user(params as unknown as ShownForm));
  return client;
}
