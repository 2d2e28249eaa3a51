// Worker of the bare workflow, a process of its own like Holdpoint's, with the same worker options.
import { createRequire } from 'node:module';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';

const require = createRequire(import.meta.url);
const { workerOptions } = require('../../dist/worker/options.js');

Runtime.install({ logger: new DefaultLogger('ERROR') });
const connection = await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS });
const options = workerOptions({
  connection,
  namespace: 'default',
  taskQueue: 'bare',
  activities: { step: async (name) => name },
});
const worker = await Worker.create({
  ...options,
  workflowBundle: undefined,
  workflowsPath: require.resolve('./bare-workflow.js'),
});
console.log('bare worker: polling');
await worker.run();
await connection.close();
