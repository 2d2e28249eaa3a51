/** Every module of the contract is shared by the runs of a worker, and closed to the SDK's deep freeze (zod breaks by it). */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import '../../../workflows/preloaded';

const CONTRACT = path.resolve(__dirname, '../../../workflows/contract');

test.each(readdirSync(CONTRACT))('contract/%s is shared by all runs of a worker', async (file) => {
  expect(Object.isFrozen(await import(path.join(CONTRACT, file)))).toBe(true);
});
