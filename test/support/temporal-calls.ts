/** What a client asks of the Temporal server: seen on the real calls, which go through unchanged. */
import type { Client } from '@temporalio/client';

type Call = (...args: unknown[]) => Promise<unknown>;

export class TemporalCalls {
  /** Names of all calls so far, in order: `describeWorkflowExecution`, `queryWorkflow`, … */
  readonly made: string[] = [];
  private readonly open = new Map<string, number>();

  /** Watches every call that this client makes from now on. */
  constructor(client: Client) {
    const service = client.workflowService as unknown as Record<string, Call>;
    for (const name of methodsOf(service)) {
      const call = service[name] as Call;
      service[name] = async (...args) => {
        this.made.push(name);
        this.open.set(name, this.inFlight(name) + 1);
        try {
          return await call.apply(service, args);
        } finally {
          this.open.set(name, this.inFlight(name) - 1);
        }
      };
    }
  }

  /** Calls of this name that have no reply yet. */
  inFlight(name: string): number {
    return this.open.get(name) ?? 0;
  }
}

function methodsOf(service: object): string[] {
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(service)) as (keyof typeof service)[];
  return own.filter((name) => (name as string) !== 'constructor' && typeof service[name] === 'function');
}
