/** A model's calls, judged before the run acts on them: arguments that do not fit, and which ones a person must approve. */
import type { AgentDefinition, Json, ToolCall, ToolDefinition } from '../workflows/contract';
import { parsedBy, problemBySchema } from './define/json-schema';
import type { ToolSpec } from './define/spec';
import { isGuarded } from './mcp/tools';
import type { Agent } from './model';

interface Worker {
  /** The agent as this worker has it; undefined when a deploy has taken it away. */
  agent: Agent | undefined;
  agents: ReadonlyMap<string, Agent>;
}

/** The call with what the run needs to know about it. Built-in tools judge their own arguments, in the run. */
export async function judgedCall(worker: Worker, definition: AgentDefinition, call: ToolCall): Promise<ToolCall> {
  if (call.refused !== undefined) return call;
  if (call.tool === 'delegate') return judgedDelegation(worker.agents, call);
  const recorded = definition.tools?.find(({ name }) => name === call.tool);
  if (!recorded) return call;
  const verdict = await judgedArgs(worker.agent, recorded, call.args);
  if ('lost' in verdict) return { ...call, refused: verdict.lost, refused_as: 'tool_unavailable' };
  if ('problem' in verdict) return { ...call, refused: verdict.problem };
  return verdict.needsApproval ? { ...call, needs_approval: true } : call;
}

/** The input of a sub-agent is judged here, so that the model can mend it before a run is started for it. */
function judgedDelegation(agents: Worker['agents'], call: ToolCall): ToolCall {
  const { args } = call;
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return call;
  const subAgent = typeof args.agent === 'string' ? agents.get(args.agent) : undefined;
  if (!subAgent?.spec || args.input === undefined) return call;
  const [issue] = subAgent.checkInput?.(args.input) ?? [];
  return issue ? { ...call, refused: `input${issue.path ? `.${issue.path}` : ''}: ${issue.message}` } : call;
}

export type ArgsVerdict =
  { ok: true; args: unknown; needsApproval: boolean; spec: ToolSpec | null } | { problem: string } | { lost: string };

/**
 * Arguments against the schema that the run has recorded (the one its model was shown) and against the tool as this
 * worker has it. What the worker does not have any more is `lost`, whatever its arguments.
 */
export async function judgedArgs(agent: Agent | undefined, recorded: ToolDefinition, args: Json): Promise<ArgsVerdict> {
  const { name, mcp, input_schema, needs_approval } = recorded;
  const server = mcp && agent?.spec?.mcpServers.find((candidate) => candidate.name === mcp.server);
  const spec = mcp ? undefined : agent?.spec?.tools.find((tool) => tool.name === name);
  if (!server && !spec) return { lost: `the tool ${name} is no longer there: go on without it` };
  const problem = problemBySchema(input_schema, args);
  if (problem !== null) return { problem };
  // The stricter of what was recorded and what is now.
  const always = needs_approval === 'always';
  if (server) {
    const needsApproval = always || isGuarded(server, mcp?.tool ?? '');
    return { ok: true, args, needsApproval, spec: null };
  }
  const tool = spec as ToolSpec;
  const parsed = await parsedBy(tool.input, args);
  if (!parsed.ok) return { problem: parsed.problem };
  return {
    ok: true,
    args: parsed.value,
    needsApproval: always || (await isApprovalNeeded(tool, parsed.value)),
    spec: tool,
  };
}

/** Asks the tool. One that cannot say is taken to need it: nothing may run unapproved because of a bug. */
async function isApprovalNeeded({ needsApproval }: ToolSpec, args: unknown): Promise<boolean> {
  if (typeof needsApproval === 'boolean') return needsApproval;
  try {
    return Boolean(await needsApproval(args as never));
  } catch {
    return true;
  }
}
