import path from 'node:path';
import { agentRegistry, scriptedAgent } from '../activities/agents';
import type { Agent, DelegableWorkflow } from '../activities';
import { allInFolder } from '../activities/define/agents-in-folder';
import type { StartableAgent } from '../api/service/start';
import { SettingsError, type Settings } from './settings';

/** The agents that come with Holdpoint. */
const EXAMPLES = path.resolve(__dirname, '..', 'examples', 'agents');

/** What this installation can start. */
export interface Installed {
  agents: ReadonlyMap<string, Agent>;
  /** Workflows of a team's own, for agents that delegate to them. */
  workflows: DelegableWorkflow[];
  /** Both by name, for the API. */
  startable: ReadonlyMap<string, StartableAgent>;
}

/**
 * The agents and workflows of this installation: those of the folder that `HOLDPOINT_AGENTS` names, else the examples, and
 * the scripted agent where it is switched on. Throws `SettingsError`.
 */
export async function installedAgents(settings: Settings): Promise<Installed> {
  const folder = settings.HOLDPOINT_AGENTS;
  try {
    const found = await allInFolder(folder === undefined ? EXAMPLES : path.resolve(folder));
    const own = [...found.agents, ...(settings.HOLDPOINT_SCRIPTED ? [scriptedAgent] : [])];
    const agents = agentRegistry(
      own,
      found.workflows.map(({ name }) => name),
    );
    const startable = new Map<string, StartableAgent>(agents);
    for (const workflow of found.workflows) {
      if (startable.has(workflow.name)) throw new Error(`two agents are named ${workflow.name}`);
      startable.set(workflow.name, workflow);
    }
    const workflows = found.workflows.map(({ name, description, inputSchema, workflow }) => {
      return { agent: name, description, inputSchema, ...workflow };
    });
    return { agents, workflows, startable };
  } catch (error) {
    throw new SettingsError(`HOLDPOINT_AGENTS: ${error instanceof Error ? error.message : String(error)}`);
  }
}
