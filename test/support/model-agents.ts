/** A stack whose agents ask the test's own model server over the real wire. */
import { defineAgent, type AgentOptions } from '../../activities/define';
import type { Agent } from '../../activities';
import { OpenAiServer } from './openai-server';
import { TestStack, type StackOptions } from './stack';

/** What no history, log or error may ever show. */
export const MODEL_KEY = 'sk-test-key-of-the-model-4711';

/** An agent on the test's model server. Its model has the agent's name. */
export function wireAgent(name: string, more: Partial<AgentOptions> = {}): Agent {
  return defineAgent({
    name,
    description: `The agent ${name}.`,
    model: `openai-compatible:${name}`,
    instructions: `You are ${name}.`,
    ...more,
  });
}

export class ModelStack {
  private constructor(
    readonly stack: TestStack,
    readonly models: OpenAiServer,
  ) {}

  static async start(agents: readonly Agent[], options: StackOptions = {}): Promise<ModelStack> {
    const models = await OpenAiServer.start();
    process.env.HOLDPOINT_MODEL_BASE_URL = models.url;
    process.env.HOLDPOINT_MODEL_API_KEY = MODEL_KEY;
    return new ModelStack(await TestStack.start({ ...options, agents }), models);
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    await this.models.stop();
  }

  async start(agent: string, input: unknown = 'go', more: Record<string, unknown> = {}): Promise<string> {
    return (await this.stack.api.start(input, { agent, ...more })).run_id;
  }

  /** Starts a run and reads it when it has ended. */
  async ended(agent: string, input: unknown = 'go', more: Record<string, unknown> = {}) {
    return this.stack.api.untilEnded(await this.start(agent, input, more));
  }

  /** All that the server keeps of a run, payloads decoded, as one text. */
  async historyText(runId: string): Promise<string> {
    const history = await this.stack.client.workflow.getHandle(runId).fetchHistory();
    const text = JSON.stringify(history);
    const payloads = [...text.matchAll(/"data":"([^"]+)"/g)].map(([, data]) => Buffer.from(data ?? '', 'base64'));
    return [text, ...payloads].join('\n');
  }
}
