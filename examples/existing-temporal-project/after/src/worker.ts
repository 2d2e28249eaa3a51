import { NativeConnection, Worker } from '@temporalio/worker';
import { HoldpointPlugin } from 'holdpoint/worker';
import * as activities from './activities';

async function main(): Promise<void> {
  const connection = await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS ?? 'localhost:7233' });
  const worker = await Worker.create({
    connection,
    taskQueue: 'payments',
    workflowsPath: require.resolve('./workflows'),
    activities,
    plugins: [new HoldpointPlugin()],
  });
  await worker.run();
  await connection.close();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
