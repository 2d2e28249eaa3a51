/** A stack with MCP clients on it, each of a key and an age of its own. */
import { OTHER_KEY, TEST_KEY, TEST_KEYS, type ApiCaller } from './http';
import { McpCaller, type McpOptions } from './mcp';
import { TestStack } from './stack';

export const READER_KEY = 'reader-key-0000000';

export class McpStack {
  private readonly callers: McpCaller[] = [];
  private constructor(
    readonly stack: TestStack,
    /** Of the key `tester`, and with no user. */
    readonly mcp: McpCaller,
  ) {
    this.callers.push(mcp);
  }

  /** A reader's key is there besides those of every stack. */
  static async start(): Promise<McpStack> {
    const reader = { name: 'reader', key: READER_KEY, workspace: 'acme', scopes: ['read' as const] };
    const stack = await TestStack.start({ app: { keys: [...TEST_KEYS, reader] } });
    return new McpStack(stack, await McpCaller.http(stack.api.url, TEST_KEY));
  }

  get api(): ApiCaller {
    return this.stack.api;
  }

  async connect(options: McpOptions = {}, key = TEST_KEY): Promise<McpCaller> {
    const caller = await McpCaller.http(this.api.url, key, options);
    this.callers.push(caller);
    return caller;
  }

  stranger(): Promise<McpCaller> {
    return this.connect({}, OTHER_KEY);
  }

  /** `wait_for_run` by hand, as by a client whose user has filled in forms, whether or not it was shown them. */
  async returned(runId: string, inputResponses: object, key = TEST_KEY): Promise<string> {
    const protocol = '2026-07-28';
    const about = {
      'io.modelcontextprotocol/protocolVersion': protocol,
      'io.modelcontextprotocol/clientInfo': { name: 'by-hand', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    };
    const reply = await fetch(`${this.api.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': protocol,
        'mcp-method': 'tools/call',
        'mcp-name': 'wait_for_run',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'wait_for_run',
          _meta: about,
          arguments: { run_id: runId, timeout_seconds: 0 },
          inputResponses,
        },
      }),
    });
    return reply.text();
  }

  /** What the answers of a run are recorded with. */
  async answered(runId: string): Promise<Record<string, unknown>[]> {
    const events = await this.api.events(runId);
    return events.filter(({ type }) => /^ask\.(answered|declined)$/.test(type)).map(({ data }) => data);
  }

  async stop(): Promise<void> {
    for (const caller of this.callers) await caller.close();
    await this.stack.stop();
  }
}

/** Arguments of `start_run` for the scripted agent. */
export const startOf = (input: unknown, more = {}) => ({ agent: 'scripted', input, ...more });
