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
