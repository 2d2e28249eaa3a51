import { agentRegistry, scriptedAgent } from '../activities/agents';
import { exampleAgents } from '../examples/agents';
import type { Settings } from './settings';

/** The agents of this installation: the examples, and the scripted one where it is switched on. */
export function installedAgents(settings: Settings) {
  return agentRegistry([...exampleAgents, ...(settings.HOLDPOINT_SCRIPTED ? [scriptedAgent] : [])]);
}
