import net, { type AddressInfo } from 'node:net';
import { Connection } from '@temporalio/client';
import { quickRetries } from '../../../api/service/grpc-retries';

/** A port on which nobody listens. */
async function deadPort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('a connection that is closed while a call waits to be tried again takes nothing down with it', async () => {
  const retries = quickRetries();
  let tries = 0;
  let closedAt: number | undefined;
  const connection = Connection.lazy({
    address: `127.0.0.1:${await deadPort()}`,
    interceptors: [
      (options, nextCall) =>
        retries(options, (of) => {
          tries += 1;
          return nextCall(of);
        }),
    ],
  });
  const describe = () => connection.workflowService.describeNamespace({ namespace: 'default' });
  void connection.withDeadline(Date.now() + 60_000, describe).catch(() => undefined);
  while (closedAt === undefined || tries === closedAt) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (closedAt !== undefined || tries < 2) continue;
    closedAt = tries;
    await connection.close();
  }
  // What the last try threw would have ended the process, and ends this file.
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(tries).toBe(closedAt + 1);
});
