import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How long a request that is still being sent may take once the server closes. */
const GRACE_MS = 1_000;

/**
 * Lets go of clients that would hold up a server that closes: connections on which only part of a request has come.
 * Node waits a minute and more for the rest; a request that has come whole is answered in any case.
 */
export function dropUnfinishedRequests(app: FastifyInstance): void {
  const requests = new Map<Socket, IncomingMessage | null>();
  app.server.on('connection', (socket: Socket) => {
    requests.set(socket, null);
    socket.once('close', () => requests.delete(socket));
  });
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    requests.set(socket, request);
    response.once('close', () => {
      if (requests.get(socket) === request) requests.set(socket, null);
    });
  });
  app.addHook('preClose', async () => {
    const drop = () => {
      for (const [socket, request] of requests) if (!request?.complete) socket.destroy();
    };
    setTimeout(drop, GRACE_MS).unref();
  });
}
