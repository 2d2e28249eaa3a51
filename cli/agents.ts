import path from 'node:path';
import { agentRegistry, scriptedAgent } from '../activities/agents';
import { agentsInFolder } from '../activities/define/agents-in-folder';
import { SettingsError, type Settings } from './settings';

/** The agents that come with Holdpoint. */
const EXAMPLES = path.resolve(__dirname, '..', 'examples', 'agents');

/**
 * The agents of this installation: those of the folder that `HOLDPOINT_AGENTS` names, else the examples, and the scripted
 * one where it is switched on. Throws `SettingsError`.
 */
export async function installedAgents(settings: Settings) {
  const folder = settings.HOLDPOINT_AGENTS;
  try {
    const agents = await agentsInFolder(folder === undefined ? EXAMPLES : path.resolve(folder));
    return agentRegistry([...agents, ...(settings.HOLDPOINT_SCRIPTED ? [scriptedAgent] : [])]);
  } catch (error) {
    throw new SettingsError(`HOLDPOINT_AGENTS: ${error instanceof Error ? error.message : String(error)}`);
  }
}
