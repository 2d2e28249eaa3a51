/** Workflows of a team of its own, built with the library: what its tests run, and what its kept histories are of. */
import {
  ApplicationFailure,
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  isCancellation,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { agentRun, pausableRun, type Json } from '../../../workflows/library';

export { agentRun };

const { double } = proxyActivities<{ double(n: number): Promise<number> }>({ startToCloseTimeout: '10 seconds' });

export interface Invoice {
  id: string;
  amount: number;
}

/** Steps around an ask, an activity, an event of its own. */
export const approveInvoice = pausableRun(
  'approveInvoice',
  { assignee: (invoice: Invoice) => `${invoice.id}@contoso.com`, metadata: { team: 'billing' } },
  async (run, invoice: Invoice) => {
    const total = await run.step('fetch', 'Fetch invoice', () => double(invoice.amount));
    run.emit('invoice.fetched', { total });
    const decision = await run.askAHuman({
      kind: 'multiple_choice',
      question: `Approve ${invoice.id} over ${total}?`,
      options: ['Approve', 'Reject'],
      context: 'From **billing**.',
    });
    if (!('answer' in decision)) return { outcome: 'not answered', decision };
    return { outcome: decision.answer, option_id: decision.option_id, total };
  },
);

/** Nothing but an ask: whatever it is given, as a model would. */
export const asks = pausableRun('asks', async (run, ask: Json) => run.askAHumanAsTool(ask));

/** Sub-runs of both kinds, side by side with its own ask. */
export const coordinator = pausableRun('coordinator', async (run, input: { agentInput: Json; invoice: Invoice }) => {
  const taskQueue = workflowInfo().taskQueue;
  const background = await run.delegate(approveInvoice, input.invoice, { background: true });
  const [agent, own] = await Promise.all([
    run.delegate({ agent: 'scripted', taskQueue }, input.agentInput),
    run.askAHuman({ kind: 'free_form', question: 'And you?' }),
  ]);
  const invoice = 'error' in background ? background : await run.collect(background.child_run_id);
  return { agent, own, invoice };
});

export const noteSignal = defineSignal<[string]>('note');
export const notesQuery = defineQuery<string[]>('notes');

/** Signals and queries of its own beside Holdpoint's; goes on as new once, and withdraws an ask by its own timeout. */
export const ownHandlers = pausableRun('ownHandlers', async (run, round: number = 1): Promise<Json> => {
  const notes: string[] = [];
  setHandler(noteSignal, (note) => void notes.push(note));
  setHandler(notesQuery, () => notes);
  const answer = await run.askAHuman({ kind: 'free_form', question: `Round ${round}?` });
  run.emit('round.over', { round });
  if (round === 1) await run.continueAsNew(2);
  await condition(() => notes.length > 0);
  const hurried = CancellationScope.withTimeout('1 second', () =>
    run.askAHuman({ kind: 'free_form', question: 'Quick?' }),
  );
  const late = await hurried.catch((failure: unknown) => {
    if (isCancellation(failure)) return 'too late';
    throw failure;
  });
  return { round, answer, notes, late };
});

/** Ends in each way that a workflow can. */
export const ends = pausableRun('ends', async (run, how: string): Promise<unknown> => {
  switch (how) {
    case 'fails':
      throw ApplicationFailure.nonRetryable('no money left', 'broke', { left: 0 });
    case 'step fails':
      return run.step('pay', 'Pay', () => {
        throw ApplicationFailure.nonRetryable('card refused', 'refused');
      });
    case 'bad event':
      run.emit('Not A Type');
      return null;
    case 'large':
      return 'x'.repeat(600_000);
    case 'nothing':
      return undefined;
    case 'waits':
      await run.step('wait', 'Wait', () => sleep('1 hour'));
      return null;
    case 'compensates':
      try {
        await run.askAHuman({ kind: 'free_form', question: 'Go on?' });
      } catch (failure) {
        if (!isCancellation(failure)) throw failure;
        return CancellationScope.nonCancellable(() => run.step('undo', 'Undo', () => double(21)));
      }
      return null;
    default:
      return run.askAHuman({ kind: 'free_form', question: 'How?' });
  }
});

/** Steps of one id, and events that are bounded. */
export const loops = pausableRun('loops', async (run) => {
  for (const n of [1, 2, 3]) await run.step('check', `Check ${n}`, () => double(n));
  run.emit('app.big', { text: 'y'.repeat(100_000) });
  return run.id;
});
