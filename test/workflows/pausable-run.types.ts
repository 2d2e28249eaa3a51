/** What the types of `run` say, checked by `tsc`: nothing here is run. */
import {
  pausableRun,
  type ChoiceAsk,
  type FreeFormAsk,
  type PausableRun,
  type PausableWorkflow,
} from '../../workflows/library';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function holds<_T extends true>(): void {}

const child = pausableRun('child', async (_run, input: { n: number }) => input.n > 1);
holds<Same<typeof child, PausableWorkflow<[input: { n: number }], boolean>>>();
const _none = pausableRun('none', async () => 'x');
holds<Same<typeof _none, PausableWorkflow<[], string>>>();
pausableRun('typed', { assignee: (who: string) => who, metadata: { a: 1 } }, async (_run, who: string) => who);
// @ts-expect-error -- no such mode
pausableRun('mode', { onQuestion: 'maybe' }, async () => 1);

export async function asks(run: PausableRun): Promise<void> {
  const choice = await run.askAHuman({
    kind: 'multiple_choice',
    question: 'Which?',
    options: ['SMB', 'Enterprise', ' Other '],
  });
  if ('answer' in choice) {
    // The caller's own Other is dropped, so it is no answer; a write-in is any text.
    if (choice.option_id !== 'other') holds<Same<typeof choice.answer, 'SMB' | 'Enterprise'>>();
    else holds<Same<typeof choice.answer, string>>();
  } else if ('skipped' in choice) {
    holds<Same<typeof choice.skipped, true>>();
  } else {
    const error: 'ask_in_flight' | 'invalid_question' | 'no_human_in_loop' = choice.error;
    void error;
  }
  const labels = ['A', 'B'] as const;
  const fixed = await run.askAHuman({ kind: 'multiple_choice', question: '?', options: labels });
  if ('answer' in fixed && fixed.option_id !== 'other') holds<Same<typeof fixed.answer, 'A' | 'B'>>();
  const free = await run.askAHuman({ kind: 'free_form', question: '?' });
  if ('answer' in free) holds<Same<typeof free.answer, string>>();

  const result = await run.delegate(child, { n: 1 });
  if ('result' in result) holds<Same<typeof result.result, boolean>>();
  // @ts-expect-error -- not what the workflow takes
  await run.delegate(child, { n: 'one' });
  const _step = await run.step('s', 'S', () => 7);
  holds<Same<typeof _step, number>>();
}

export async function asksOfUnknownShape(
  run: PausableRun,
  either: ChoiceAsk<string[]> | FreeFormAsk,
  args: unknown,
): Promise<void> {
  const one = await run.askAHuman(either);
  if ('answer' in one) holds<Same<typeof one.answer, string>>();
  const judged = await run.askAHumanAsTool(args);
  if ('answer' in judged) holds<Same<typeof judged.answer, string>>();
  // @ts-expect-error -- unjudged arguments
  await run.askAHuman(args);
}

export async function mistakes(run: PausableRun): Promise<void> {
  // @ts-expect-error -- a misspelt name
  await run.askAHuman({ kind: 'multiple_choice', question: 'q', optoins: ['A', 'B'] });
  // @ts-expect-error -- a choice without its options
  await run.askAHuman({ kind: 'multiple_choice', question: 'q' });
  // @ts-expect-error -- options, and one name too many
  await run.askAHuman({ kind: 'multiple_choice', question: 'q', options: ['A', 'B'], contxt: 'c' });
  // @ts-expect-error -- a free-form question has no options
  await run.askAHuman({ kind: 'free_form', question: 'x', options: ['a', 'b'] });
  const made = { kind: 'free_form' as const, question: 'x', options: ['a', 'b'] };
  // @ts-expect-error -- nor has one that was made elsewhere
  await run.askAHuman(made);
  // @ts-expect-error -- no such kind
  await run.askAHuman({ kind: 'choice', question: 'q', options: ['A', 'B'] });
  // @ts-expect-error -- no question
  await run.askAHuman({ kind: 'free_form' });
  // @ts-expect-error -- a label is a text
  await run.askAHuman({ kind: 'multiple_choice', question: 'q', options: [1, 2] });
}
