/** The built-in tools as models are offered them. */
import { ASK_A_HUMAN, type AgentDefinition, type JsonObject, type OfferedTool } from '../../workflows/contract';

export type { OfferedTool };

const collect: OfferedTool = {
  name: 'collect',
  description:
    'Waits for sub-agents that were started with background: true and returns their results: of the one that ' +
    'child_run_id names, or of all that were not collected yet.',
  input_schema: {
    type: 'object',
    properties: { child_run_id: { type: 'string' } },
    additionalProperties: false,
  },
};

function delegate(subAgents: NonNullable<AgentDefinition['sub_agents']>): OfferedTool {
  const list = subAgents.map(({ name, description, input_schema }) => {
    return `- ${name}: ${description} Input: ${JSON.stringify(input_schema)}`;
  });
  return {
    name: 'delegate',
    description: [
      'Hands a part of the work to a sub-agent and returns its result. Sub-agents of one turn work side by side. With',
      'background: true it returns {"child_run_id"} at once; use collect for the result later. A sub-agent knows nothing',
      'of this conversation: put all that it needs into input. It asks people itself when it has to. The sub-agents are:',
      `\n${list.join('\n')}`,
    ].join(' '),
    input_schema: {
      type: 'object',
      properties: {
        agent: { type: 'string', enum: subAgents.map(({ name }) => name) },
        input: inputOf(subAgents.map(({ input_schema }) => input_schema)),
        background: { type: 'boolean' },
      },
      required: ['agent', 'input'],
      additionalProperties: false,
    },
  };
}

/** One schema for all inputs. A schema with definitions of its own cannot be put inside another one as it stands. */
function inputOf(schemas: JsonObject[]): JsonObject {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  const movable = different.every((schema) => !('$defs' in schema) && Object.keys(schema).length > 0);
  if (!movable) return { description: 'What the sub-agent takes: see the list of sub-agents.' };
  return different.length === 1 && different[0] ? different[0] : { anyOf: different };
}

/** Names of the built-in tools that a model-driven agent has. */
export function builtInsOf(hasSubAgents: boolean): string[] {
  return hasSubAgents ? ['ask_a_human', 'delegate', 'collect'] : ['ask_a_human'];
}

/** Every tool that a model is offered, from the definition that its run has recorded. */
export function offeredTools(definition: AgentDefinition): OfferedTool[] {
  const { built_ins = [], sub_agents = [], tools = [] } = definition;
  const builtIns = [ASK_A_HUMAN, ...(sub_agents.length > 0 ? [delegate(sub_agents), collect] : [])];
  return [...builtIns.filter(({ name }) => built_ins.includes(name)), ...tools.map(withApprovalNote)];
}

function withApprovalNote({
  name,
  description,
  input_schema,
  needs_approval,
}: NonNullable<AgentDefinition['tools']>[number]) {
  if (needs_approval === 'never') return { name, description, input_schema };
  const note =
    `${needs_approval === 'always' ? 'Each call is' : 'Some calls are'} shown to a person first, who approves it, ` +
    'edits its arguments or rejects it: just call it, never ask for permission. A rejection is final: do not call it again with the same arguments.';
  return { name, description: `${description}\n${note}`, input_schema };
}
