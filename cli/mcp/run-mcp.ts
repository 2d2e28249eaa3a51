/** `holdpoint mcp`: the tools on stdin and stdout, for hosts that start their servers themselves. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { mcpServer } from '../../api/mcp/server';
import { stopRequested } from '../shutdown';
import { connectionOf } from '../terminal/connection';
import { clientDoor } from './client-door';

/**
 * Serves until stdin ends or it is told to stop. Stdout is the protocol's alone: whatever else there is to say goes to
 * stderr. An API that is not there is no reason to stop: each call tells of it, and the host keeps its server. Throws
 * `CommandError` when it is not told which key to use.
 */
export async function mcpCommand(): Promise<number> {
  const door = clientDoor(connectionOf(undefined, process.env));
  const onFault = (error: unknown) => console.error('holdpoint mcp:', error);
  const ended = new Promise((resolve) => process.stdin.once('end', resolve).once('close', resolve));
  const stopped = stopRequested();
  const server = serveStdio(() => mcpServer(door, onFault));
  await Promise.race([ended, stopped]);
  await server.close();
  return 0;
}
