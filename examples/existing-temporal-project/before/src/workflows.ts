import { proxyActivities } from '@temporalio/workflow';
import type * as activities from './activities';

const { fetchInvoice, pay } = proxyActivities<typeof activities>({ startToCloseTimeout: '1 minute' });

export async function payInvoice(id: string): Promise<string> {
  const invoice = await fetchInvoice(id);
  if (invoice.total > 5_000) return `${id} is above the limit`;
  await pay(invoice);
  return `${id} is paid`;
}
