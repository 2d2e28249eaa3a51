/** `holdpoint dev | api | worker | mcp`: commands that run a server until they are told to stop. */
import type { AddCommand } from '../program';
import { readSettings, type Settings } from '../settings';
import { EXIT } from '../terminal/exit';

interface ServerCommand {
  about: string;
  /** Loads what it needs when it is run: Temporal's native library takes a second that `holdpoint inbox` has no use for. */
  load: () => Promise<(settings: Settings) => Promise<number>>;
}

const SERVERS: Record<string, ServerCommand> = {
  dev: {
    about: 'an embedded Temporal server, a worker and the API, all in one',
    load: async () => (await import('../run-dev.js')).devCommand,
  },
  api: {
    about: 'the API, against the Temporal server that TEMPORAL_ADDRESS names',
    load: async () => (await import('../run-api.js')).apiCommand,
  },
  worker: {
    about: 'a worker, against the Temporal server that TEMPORAL_ADDRESS names',
    load: async () => (await import('../run-worker.js')).workerCommand,
  },
  mcp: {
    about: 'MCP tools on stdin and stdout, for the API that HOLDPOINT_URL names',
    load: async () => (await import('../mcp/run-mcp.js')).mcpCommand,
  },
};

export const serverCommands: AddCommand = (program, onExit) => {
  for (const [name, { about, load }] of Object.entries(SERVERS)) {
    program
      .command(name)
      .description(about)
      .action(async () => onExit(await runServer(name, load)));
  }
};

/** What stops a start is printed as one line; a stack trace is shown with LOG_LEVEL=debug alone. */
async function runServer(name: string, load: ServerCommand['load']): Promise<number> {
  try {
    const settings = readSettings();
    return await (
      await load()
    )(settings);
  } catch (error) {
    const debug = process.env.LOG_LEVEL === 'debug' || process.env.LOG_LEVEL === 'trace';
    console.error(debug ? error : `holdpoint ${name}: ${oneLine(error)}`);
    return EXIT.failed;
  }
}

function oneLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, ' ');
}
