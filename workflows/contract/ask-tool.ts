/** `ask_a_human` as a model is offered it, whoever runs the model. It teaches what the seed "Asking a human" asks of agents. */
import type { JsonObject } from './json';
import { LIMITS } from './limits';

/** A tool as a model sees it. */
export interface OfferedTool {
  name: string;
  description: string;
  input_schema: JsonObject;
}

export const ASK_A_HUMAN: OfferedTool = {
  name: 'ask_a_human',
  description: [
    'Asks a person one structured question and waits for the answer, minutes or days. Ask only what a person alone can',
    'know or decide: a preference, a confirmation, a pick among options. Never ask what a tool, a search or the',
    'conversation so far can answer: use those up first. Never ask for permission to use a tool, and never ask to chat.',
    'One question at a time: a second one in the same turn is refused with {"error":"ask_in_flight"}.',
    'kind "multiple_choice" takes 2 to 6 options, short and different from one another; an "Other" for a free answer is',
    'added by itself, so do not add one. kind "free_form" takes no options. Put what the person needs to know to decide',
    'into context, as Markdown: they see nothing else of your work.',
    'The result is {"answer":"…"} (with option_id for a choice). {"skipped":true} means that nobody answers: go on by',
    'your own judgement and say in your answer what you assumed. {"error":"no_human_in_loop"} means the same: do not ask again.',
  ].join(' '),
  input_schema: {
    type: 'object',
    properties: {
      kind: { type: 'string', enum: ['multiple_choice', 'free_form'] },
      question: { type: 'string', description: `One question, at most ${LIMITS.question} characters.` },
      options: {
        type: 'array',
        items: { type: 'string' },
        description: `For multiple_choice: ${LIMITS.minOptions} to ${LIMITS.maxOptions} labels. Leave out for free_form.`,
      },
      context: { type: 'string', description: `Markdown for the person, at most ${LIMITS.context} characters.` },
    },
    required: ['kind', 'question'],
    additionalProperties: false,
  },
};
