/** A fault at the client's seam: Temporal's visibility that has stopped hearing of anything, for as long as a test wants. */
import type { Client } from '@temporalio/client';

type Service = Client['workflowService'];
type List = Service['listWorkflowExecutions'];
type Found = Awaited<ReturnType<List>>;

export class LateVisibility {
  private readonly seen = new Map<string, Found>();
  private frozen = false;
  /** The client whose lists are late; all else it does as ever. */
  readonly client: Client;

  constructor(client: Client) {
    const list = async (request: { query?: string | null }, ...rest: never[]): Promise<Found> => {
      const query = request.query ?? '';
      if (this.frozen) return this.seen.get(query) ?? ({ executions: [], nextPageToken: new Uint8Array() } as never);
      const found = await (client.workflowService.listWorkflowExecutions as (...args: unknown[]) => Promise<Found>)(
        request,
        ...rest,
      );
      this.seen.set(query, found);
      return found;
    };
    const service = new Proxy(client.workflowService, {
      get: (target, key) => (key === 'listWorkflowExecutions' ? list : Reflect.get(target, key)),
    });
    this.client = new Proxy(client, {
      get: (target, key) => (key === 'workflowService' ? service : Reflect.get(target, key)),
    });
  }

  /** From now on every list tells what it told last, and an unknown one nothing. */
  freeze(): void {
    this.frozen = true;
  }

  thaw(): void {
    this.frozen = false;
  }
}
