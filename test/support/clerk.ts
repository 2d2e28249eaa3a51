/** An agent with a form for an input schema. */
import { z } from 'zod';
import { defineAgent } from '../../activities/define';

/** Takes a form's worth of input and hands it back. */
export const clerk = defineAgent({
  name: 'clerk',
  description: 'Files what it is given.',
  model: {
    respond: ({ input }) =>
      Promise.resolve({ text: JSON.stringify(input), calls: [], final: true, tokens: 0, context_tokens: 0 } as never),
  },
  input: z.object({
    title: z.string().min(3).meta({ description: 'What it is about.' }),
    amount: z.number().min(1),
    urgent: z.boolean().optional(),
    kind: z.enum(['invoice', 'receipt']),
    tags: z.array(z.string()).optional(),
    address: z.object({ city: z.string() }),
  }),
});
