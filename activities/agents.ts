import type { Agent } from './model';
import { ScriptedModel, scriptIssues } from './scripted-model';

/** The agent of CONTRACT §10, for demos, tests and checks: its input is its script. */
export const scriptedAgent: Agent = {
  name: 'scripted',
  description: 'Plays the script in its input: {"turns":[{"calls":[{"tool","args"}]}],"text"}. For demos and tests.',
  model: new ScriptedModel((input) => input),
  checkInput: scriptIssues,
};

/** Agents by name; two of one name are a mistake of who put them together. */
export function agentRegistry(agents: readonly Agent[]): ReadonlyMap<string, Agent> {
  const registry = new Map<string, Agent>();
  for (const agent of agents) {
    if (registry.has(agent.name)) throw new Error(`two agents are named ${agent.name}`);
    registry.set(agent.name, agent);
  }
  return registry;
}
