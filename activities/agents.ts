import { shownDefinition } from './agent-definition';
import type { Agent } from './model';
import { ScriptedModel, scriptIssues, scriptJsonSchema } from './scripted-model';

export { shownDefinition, type Agent };

/** The agent of CONTRACT §10, for demos, tests and checks: its input is its script. */
export const scriptedAgent: Agent = {
  name: 'scripted',
  description: 'Plays the script in its input: {"turns":[{"calls":[{"tool","args"}]}],"text"}. For demos and tests.',
  model: new ScriptedModel((input) => input),
  checkInput: scriptIssues,
  inputSchema: scriptJsonSchema,
};

/**
 * Agents by name, those that others name as sub-agents included. Two of one name, or a sub-agent that nobody defines,
 * are a mistake of who put them together: throws one line that names it. `others` are names of workflows that agents may
 * delegate to.
 */
export function agentRegistry(agents: readonly Agent[], others: readonly string[] = []): ReadonlyMap<string, Agent> {
  const registry = new Map<string, Agent>();
  const add = (agent: Agent): void => {
    const known = registry.get(agent.name);
    if (known === agent) return;
    if (known) throw new Error(`two agents are named ${agent.name}`);
    registry.set(agent.name, agent);
    agent.spec?.nested.forEach(add);
  };
  agents.forEach(add);
  for (const { name, spec } of registry.values()) {
    const missing = spec?.subAgents.find((subAgent) => !registry.has(subAgent) && !others.includes(subAgent));
    if (missing !== undefined) throw new Error(`agent ${name} names a sub-agent that is not there: ${missing}`);
  }
  return registry;
}
