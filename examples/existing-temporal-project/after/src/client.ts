import { Client, Connection } from '@temporalio/client';
import { payInvoice } from './workflows';

async function main(id: string): Promise<void> {
  const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS ?? 'localhost:7233' });
  const client = new Client({ connection });
  const options = { taskQueue: 'payments', workflowId: `invoice-${id}`, args: [id] as [string] };
  console.log(await client.workflow.execute(payInvoice, options));
  await connection.close();
}

main(process.argv[2] ?? 'INV-1').catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
