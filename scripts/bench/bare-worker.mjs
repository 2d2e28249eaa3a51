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
  activities: {
    step: async (name) => name,
    /** A model turn as one writes it without Holdpoint: one request, its text. */
    ask: async (model) => {
      const response = await fetch(`${process.env.HOLDPOINT_MODEL_BASE_URL}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'go' }] }),
      });
      return (await response.json()).choices[0].message.content;
    },
  },
});
const worker = await Worker.create({
  ...options,
  workflowBundle: undefined,
  workflowsPath: require.resolve('./bare-workflow.js'),
});
console.log('bare worker: polling');
await worker.run();
await connection.close();
