/**
 * Model-driven agents: one writes a market brief, two research for it side by side, and one of those asks a person what
 * no note says. With no key in the environment they play recorded turns; what you answer is in the brief all the same.
 */
import { z } from 'zod';
import { defineAgent, defineTool, member } from '../../../activities/define';
import { modelOr } from '../_model';
import { notes } from './notes';

const searchNotes = defineTool({
  name: 'search_notes',
  title: 'Search notes',
  description: 'Finds notes of the research team by words. Use it before you ask anybody.',
  input: z.object({ words: z.string().min(1).max(200) }),
  execute: ({ words }) => {
    const wanted = words.toLowerCase().split(/\s+/);
    return { notes: notes.filter((note) => wanted.some((word) => note.toLowerCase().includes(word))) };
  },
});

const researchInput = z.object({ market: z.string().min(1).max(200) });
const research = 'Answer in two or three sentences with what the notes say. Do not invent figures.';

const competitors = modelOr([
  ({ input }) => ({ calls: [{ tool: 'search_notes', args: { words: `competitor ${marketOf(input)}` } }] }),
  ({ input }) => ({
    calls: [
      {
        tool: 'ask_a_human',
        args: {
          kind: 'multiple_choice',
          question: `Which competitors in ${marketOf(input)} matter to you?`,
          options: ['The two large ones', 'New entrants', 'All of them'],
          context:
            'The notes name two large competitors and three that came last year. They do not say whom the brief is about.',
        },
      },
    ],
  }),
  ({ result }) => ({
    text: `Competitors, as asked for (${said(result('ask_a_human'))}): Northwind leads on price, Halcyon on service.`,
  }),
]);

const competitorResearcher = defineAgent({
  name: 'competitor-researcher',
  description: `Finds out about competitors in a market; asks a person which ones matter. ${competitors.note}`,
  instructions: `You research competitors. Search the notes first. Which competitors matter is for a person to say: ask once. ${research}`,
  input: researchInput,
  tools: [searchNotes],
  model: competitors.model,
});

const demand = modelOr([
  ({ input }) => ({ calls: [{ tool: 'search_notes', args: { words: `demand ${marketOf(input)}` } }] }),
  () => ({ text: 'Demand: orders grew by a third over the year, most of them from small firms.' }),
]);

const demandResearcher = defineAgent({
  name: 'demand-researcher',
  description: `Finds out about demand in a market, and asks nobody. ${demand.note}`,
  instructions: `You research demand. Search the notes; never ask a person. ${research}`,
  input: researchInput,
  tools: [searchNotes],
  model: demand.model,
});

const brief = modelOr([
  ({ input }) => ({
    calls: [
      { tool: 'delegate', args: { agent: 'competitor-researcher', input: { market: marketOf(input) } } },
      { tool: 'delegate', args: { agent: 'demand-researcher', input: { market: marketOf(input) } } },
    ],
  }),
  // Both results came with that one turn; the recording reads them as the model did.
  ({ input, results }) => ({
    text: [`Market brief: ${marketOf(input)}.`, ...results('delegate').map(textOf)].join(' '),
  }),
]);

export const marketBrief = defineAgent({
  name: 'market-brief',
  description: `Writes a market brief from what two sub-agents find out; one of them asks you something. ${brief.note}`,
  instructions: [
    'You write a market brief of at most 150 words.',
    'Send out both researchers in one turn, so that they work side by side, each with the market as its input.',
    'Then put together what they found. Name what nobody could find out.',
  ].join(' '),
  input: z.object({ market: z.string().min(1).max(200) }),
  subAgents: [competitorResearcher, demandResearcher],
  model: brief.model,
});

type Value = Parameters<typeof member>[0];

function marketOf(input: Value): string {
  const market = member(input, 'market');
  return typeof market === 'string' ? market : 'the market';
}

function said(result: Value): string {
  const answer = member(result, 'answer');
  return typeof answer === 'string' ? answer : 'nobody said which';
}

function textOf(delegated: Value): string {
  const text = member(member(delegated, 'result'), 'text');
  return typeof text === 'string' ? text : 'One researcher found nothing.';
}
