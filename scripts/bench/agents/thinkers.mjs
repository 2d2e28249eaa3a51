// Model-driven agents of the bench: their models think 0, 50 and 300 ms.
import { createRequire } from 'node:module';

const { defineAgent } = createRequire(import.meta.url)('../../../dist/activities/define');

export const thinkers = [0, 50, 300].map((ms) =>
  defineAgent({
    name: `after-${ms}`,
    description: 'Answers at once.',
    instructions: 'Answer.',
    model: `openai-compatible:after-${ms}`,
  }),
);
