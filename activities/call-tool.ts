import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import {
  firstCharacters,
  isDeeperThan,
  LIMITS,
  toolError,
  type Json,
  type JsonObject,
  type ToolDefinition,
} from '../workflows/contract';
import { boundedResult } from '../workflows/state/transcript-log';
import type { ToolSpec } from './define/spec';
import { whileBeating } from './heartbeat';
import { judgedArgs, type ArgsVerdict } from './judge-calls';
import { callMcpTool } from './mcp/tools';
import type { Agent } from './model';
import { withoutKeys } from './models/providers';

/** One call of an agent's own tool. */
export interface ToolRequest {
  run_id: string;
  agent: string;
  call_id: string;
  /** The tool as the run has recorded it. */
  tool: ToolDefinition;
  args: Json;
  /** Bytes that the result may take; what is larger is cut, with a note. */
  result_bytes: number;
}

/** What is wrong with arguments that a person has written; null when nothing is. */
export type ArgsProblem = { problem: string | null };

/** The activities behind an agent's own tools: running one, and judging arguments before a person's edit is taken. */
export function createToolActivities(deps: { agents: ReadonlyMap<string, Agent> }) {
  return {
    /** Runs the tool once for each attempt. Bad arguments and a lost tool are results: the model is told. */
    async callTool(request: ToolRequest): Promise<Json> {
      const agent = deps.agents.get(request.agent);
      const verdict = await judgedArgs(agent, request.tool, request.args);
      const refusal = refusalOf(verdict);
      if (!('ok' in verdict)) return refusal;
      const result = await whileBeating(async () => {
        try {
          return await run(request, verdict, agent);
        } catch (error) {
          throw failureOf(error, request.tool.name);
        }
      });
      return boundedResult(resultOf(result, request.tool.name), request.result_bytes);
    },

    async checkToolArgs({ agent, tool, args }: Pick<ToolRequest, 'agent' | 'tool' | 'args'>): Promise<ArgsProblem> {
      const verdict = await judgedArgs(deps.agents.get(agent), tool, args);
      // A tool that is gone is told to the model when it is called, not to the person.
      return { problem: 'problem' in verdict ? verdict.problem : null };
    },
  };
}

function refusalOf(verdict: ArgsVerdict): Json {
  if ('lost' in verdict) return toolError('tool_unavailable', verdict.lost) as unknown as Json;
  if ('problem' in verdict) return toolError('invalid_arguments', verdict.problem) as unknown as Json;
  return null;
}

async function run(request: ToolRequest, verdict: Extract<ArgsVerdict, { ok: true }>, agent: Agent | undefined) {
  const { run_id, call_id, tool } = request;
  const context = Context.current();
  if (tool.mcp) {
    const server = agent?.spec?.mcpServers.find(({ name }) => name === tool.mcp?.server);
    if (!server) return refusalOf({ lost: `the tool ${tool.name} is no longer there: go on without it` });
    const limits = { signal: context.cancellationSignal, timeout: tool.timeout_ms };
    return callMcpTool(server, tool.mcp.tool, request.args as JsonObject, limits);
  }
  return (verdict.spec as ToolSpec).execute(verdict.args as never, {
    runId: run_id,
    agent: request.agent,
    callId: call_id,
    idempotencyKey: `${run_id}:${call_id}`,
    attempt: context.info.attempt,
    signal: context.cancellationSignal,
  });
}

/** What an author's code throws, as a failure that the run can tell: its message, no stack, no key. */
function failureOf(error: unknown, tool: string): Error {
  if (Context.current().cancellationSignal.aborted) return new CancelledFailure(`the tool ${tool} was cancelled`);
  const said = error instanceof Error ? error.message : String(error);
  const message = firstCharacters(withoutKeys(said), 1_000) || `the tool ${tool} failed without a message`;
  if (error instanceof ApplicationFailure) {
    const nextRetryDelay = error.nextRetryDelay as number | undefined;
    return ApplicationFailure.create({
      message,
      type: error.type ?? 'tool_failed',
      nonRetryable: error.nonRetryable === true,
      ...(nextRetryDelay === undefined ? {} : { nextRetryDelay }),
    });
  }
  return ApplicationFailure.create({ type: 'tool_failed', message });
}

function resultOf(value: unknown, tool: string): Json {
  let json: Json;
  try {
    const text = JSON.stringify(value) as string | undefined;
    json = text === undefined ? null : (JSON.parse(text) as Json);
  } catch {
    throw ApplicationFailure.nonRetryable(`what the tool ${tool} returned is not JSON`, 'invalid_result');
  }
  if (isDeeperThan(json, LIMITS.jsonDepth)) {
    throw ApplicationFailure.nonRetryable(`what the tool ${tool} returned is nested too deep`, 'invalid_result');
  }
  return json;
}
