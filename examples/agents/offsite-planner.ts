/**
 * A scripted example: three agents that plan a team offsite. No model is called; what a model would say is written
 * down here, in the same form in which a model says it.
 *
 * The planner sends out two sub-agents and asks you how many people come. While it waits, the venue scout asks you for
 * a city, and the travel desk simply works. Answer both and the planner puts the answers together.
 */
import type { Agent, ModelResponse, ModelTurnRequest } from '../../activities';
import type { Json } from '../../workflows/contract';

export const offsitePlanner: Agent = {
  name: 'offsite-planner',
  description: 'Plans a team offsite: asks how many people come and has sub-agents find the rest. Scripted, no model.',
  model: {
    respond: ({ turn, input, messages }) => {
      switch (turn) {
        case 0:
          return say(turn, [
            call('delegate', { agent: 'venue-scout', input, background: true }),
            call('delegate', { agent: 'travel-desk', input, background: true }),
            call('ask_a_human', {
              kind: 'free_form',
              question: `How many people of team ${teamOf(input)} come along?`,
            }),
          ]);
        case 1:
          return say(turn, [call('collect', {})]);
        default:
          return finish(
            `Offsite for ${field(resultOf(messages, 'ask_a_human'), 'answer')}: ` +
              textsOf(resultOf(messages, 'collect')).join(' '),
          );
      }
    },
  },
};

export const venueScout: Agent = {
  name: 'venue-scout',
  description: 'Finds a venue; which city is for a person to say. Scripted, no model.',
  model: {
    respond: ({ turn, messages }) =>
      turn === 0
        ? say(turn, [
            call('ask_a_human', {
              kind: 'multiple_choice',
              question: 'Which city shall the offsite be in?',
              options: ['Lisbon', 'Copenhagen', 'Turin'],
              context: 'All three have a venue free in the **second week of May**.',
            }),
          ])
        : finish(`Venue: the old library in ${field(resultOf(messages, 'ask_a_human'), 'answer')}.`),
  },
};

export const travelDesk: Agent = {
  name: 'travel-desk',
  description: 'Books trains, and asks nobody. Scripted, no model.',
  model: {
    respond: ({ turn }) => (turn === 0 ? say(turn, [call('sleep', { ms: 1_500 })]) : finish('Trains: booked.')),
  },
};

function call(tool: string, args: Json) {
  return { tool, args };
}

function say(turn: number, toolCalls: { tool: string; args: Json }[]): Promise<ModelResponse> {
  const calls = toolCalls.map((toolCall, k) => ({ id: `call_${turn + 1}_${k + 1}`, ...toolCall }));
  return Promise.resolve({ text: null, calls, final: false, tokens: 0 });
}

function finish(text: string): Promise<ModelResponse> {
  return Promise.resolve({ text, calls: [], final: true, tokens: 0 });
}

/** The latest result of a tool, as the transcript has it. */
function resultOf(messages: ModelTurnRequest['messages'], tool: string): Json {
  const found = messages.filter((message) => message.role === 'tool' && message.tool === tool).at(-1);
  return found?.role === 'tool' ? found.result : null;
}

function field(value: Json | undefined, name: string): string {
  const found = typeof value === 'object' && value !== null && !Array.isArray(value) ? value[name] : undefined;
  return typeof found === 'string' ? found : 'nobody said';
}

function teamOf(input: Json): string {
  const team = field(input, 'team');
  return team === 'nobody said' ? 'yours' : team;
}

/** The final texts of collected sub-agents. */
function textsOf(collected: Json): string[] {
  const results =
    typeof collected === 'object' && collected !== null && !Array.isArray(collected) ? collected.results : [];
  return (Array.isArray(results) ? results : []).map((child) => {
    const result = typeof child === 'object' && child !== null && !Array.isArray(child) ? child.result : null;
    return field(result, 'text');
  });
}
