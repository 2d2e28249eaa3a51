/** Connections to MCP servers: one for each server, kept while it is used and closed after a minute without use. */
import { ApplicationFailure } from '@temporalio/common';
import type { Client } from '@modelcontextprotocol/client' with { 'resolution-mode': 'import' };
import type { McpServer } from '../define/spec';
import { withoutKeys } from '../models/providers';

const IDLE_MS = 60_000;
const CONNECT_MS = 30_000;

interface Connection {
  client: Promise<Client>;
  users: number;
  idle?: NodeJS.Timeout;
}

// By the server's settings as a whole, so that two agents with the same server share one program.
const connections = new Map<string, Connection>();

/**
 * Calls `use` with a client of the server. A connection that failed is not used again. What goes wrong on the way is a
 * retryable `ApplicationFailure` `mcp_unavailable`.
 */
export async function withMcpClient<T>(server: McpServer, use: (client: Client) => Promise<T>): Promise<T> {
  const key = JSON.stringify(server);
  const connection = connections.get(key) ?? open(key, server);
  clearTimeout(connection.idle);
  connection.users += 1;
  try {
    const client = await connection.client.catch((error: unknown) => {
      throw unavailable(server, error);
    });
    return await use(client);
  } catch (error) {
    forget(key, connection);
    throw error instanceof ApplicationFailure ? error : unavailable(server, error);
  } finally {
    connection.users -= 1;
    if (connection.users === 0) {
      if (connections.get(key) === connection) {
        connection.idle = setTimeout(() => close(key, connection), IDLE_MS);
        connection.idle.unref();
      } else close(key, connection);
    }
  }
}

/** Closes every connection: programs on stdio end with it. */
export function closeMcpClients(): void {
  for (const [key, connection] of connections) close(key, connection);
}

function open(key: string, server: McpServer): Connection {
  const connection: Connection = { client: connect(key, server), users: 0 };
  connections.set(key, connection);
  return connection;
}

async function connect(key: string, server: McpServer): Promise<Client> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const client = new Client({ name: 'holdpoint', version: '1.0.0' });
  client.onclose = () => connections.delete(key);
  if (server.url !== undefined) {
    const transport = new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: server.headers ?? {} },
    });
    await client.connect(transport, { timeout: CONNECT_MS });
  } else {
    const { getDefaultEnvironment, StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    const transport = new StdioClientTransport({
      command: server.command ?? '',
      args: server.args ?? [],
      env: { ...getDefaultEnvironment(), ...server.env },
      ...(server.cwd === undefined ? {} : { cwd: server.cwd }),
      stderr: 'ignore',
    });
    await client.connect(transport, { timeout: CONNECT_MS });
  }
  return client;
}

function forget(key: string, connection: Connection): void {
  if (connections.get(key) === connection) connections.delete(key);
}

function close(key: string, connection: Connection): void {
  forget(key, connection);
  void connection.client.then((client) => client.close()).catch(() => undefined);
}

function unavailable({ name }: McpServer, error: unknown): ApplicationFailure {
  const said = withoutKeys(error instanceof Error ? error.message : String(error)).slice(0, 300);
  return ApplicationFailure.create({ type: 'mcp_unavailable', message: `the MCP server ${name} failed: ${said}` });
}
