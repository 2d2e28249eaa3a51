/**
 * The workflows of the kept histories `pausable-*`. A history is kept for ever, so these are never changed: a new kind of run
 * is a new workflow here and a new scenario in scripts/histories.
 */
import { ApplicationFailure, proxyActivities } from '@temporalio/workflow';
import { pausableRun, type Json } from '../../workflows/library';

export { agentRun } from '../../workflows/library';

const { recordEffect } = proxyActivities<{ recordEffect(request: Json): Promise<void> }>({
  startToCloseTimeout: '10 seconds',
});

export const keptAsk = pausableRun('keptAsk', async (run, question: string) => {
  const choice = await run.askAHuman({ kind: 'multiple_choice', question, options: ['A', 'B'] });
  const text = await run.askAHuman({ kind: 'free_form', question: 'Why?' });
  return { choice, text };
});

export const keptSteps = pausableRun('keptSteps', { metadata: { kept: true } }, async (run) => {
  await run.step('effect', 'Record an effect', () => recordEffect({ run_id: run.id, name: 'paid', nth: 0 }));
  run.emit('effect.recorded', { name: 'paid' });
  return run.step('ask', 'Ask for more', () => run.askAHuman({ kind: 'free_form', question: 'More?' }));
});

export const keptDelegation = pausableRun('keptDelegation', async (run, taskQueue: string) => {
  const background = await run.delegate({ agent: 'scripted', taskQueue }, askScript, { background: true });
  const own = await run.delegate(keptAsk, 'Sub-run?');
  return { own, agent: 'error' in background ? null : await run.collect(background.child_run_id) };
});

export const keptFailure = pausableRun('keptFailure', async (run) => {
  await run.askAHuman({ kind: 'free_form', question: 'Still there?' });
  throw ApplicationFailure.nonRetryable('nobody is', 'empty');
});

export const keptContinued = pausableRun('keptContinued', async (run, round: number) => {
  const answer = await run.askAHuman({ kind: 'free_form', question: `Round ${round}?` });
  if (round < 2) await run.continueAsNew(round + 1);
  return answer;
});

const askScript: Json = {
  turns: [{ calls: [{ tool: 'ask_a_human', args: { kind: 'free_form', question: 'Agent?' } }] }],
  text: 'done',
};
