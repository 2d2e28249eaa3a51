import { proxyActivities } from '@temporalio/workflow';
import { pausableRun } from 'holdpoint/workflow';
import type * as activities from './activities';

const { fetchInvoice, pay } = proxyActivities<typeof activities>({ startToCloseTimeout: '1 minute' });

export const payInvoice = pausableRun('payInvoice', async (run, id: string): Promise<string> => {
  const invoice = await fetchInvoice(id);
  if (invoice.total > 5_000) {
    const question = `Pay ${invoice.total} EUR to ${invoice.to}?`;
    const decision = await run.askAHuman({ kind: 'multiple_choice', question, options: ['Pay', 'Reject'] });
    if (!('answer' in decision) || decision.answer !== 'Pay') return `${id} is rejected`;
  }
  await pay(invoice);
  return `${id} is paid`;
});
