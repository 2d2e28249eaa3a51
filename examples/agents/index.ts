import type { Agent } from '../../activities';
import { offsitePlanner, travelDesk, venueScout } from './offsite-planner';

/** The agents that come with Holdpoint, for a first look. */
export const exampleAgents: readonly Agent[] = [offsitePlanner, venueScout, travelDesk];
