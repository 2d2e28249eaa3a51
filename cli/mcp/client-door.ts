/** The tools' door onto the HTTP API, with one key. */
import type { McpDoor } from '../../api/mcp/door';
import { HoldpointClient, HoldpointError, type Answer, type ClientOptions } from '../../client';
import type { GivenBy } from '../../workflows/contract';

/** Talks to the API at `url`. What it answers is recorded as it would be over the API's own `/mcp`. */
export function clientDoor(connection: ClientOptions): McpDoor {
  // A model that is told of a failure can try again itself, and its host does not wait for ever.
  const api = { retries: 1, ...connection };
  const client = new HoldpointClient(api);
  const answering = { human: answerer(api, 'human'), model: answerer(api, 'model') };
  return {
    // Only the API knows what the key may do.
    may: () => true,
    caller: async () => (await client.me()).name,
    agents: () => client.definitions(),
    start: (body, idempotencyKey) => client.start(body, { idempotencyKey }),
    read: (runId) => client.get(runId),
    questions: (runId) => client.asks(runId),
    inbox: (filter) => client.inbox(filter),
    answer: async (runId, { input, ask_id, given_by, idempotencyKey }) => {
      // The API judges it, whatever it is.
      const { answer, ...record } = await answering[given_by].resume(runId, input as Answer, {
        askId: ask_id,
        idempotencyKey,
      });
      return { record, queued: answer === 'queued' };
    },
    cancel: (runId) => client.cancel(runId),
    watch: async (runId, onNews, signal) => {
      const onConnection = (state: string) => (state === 'open' ? onNews() : undefined);
      for await (const _event of client.watch(runId, { signal, onConnection })) onNews();
    },
    told: (error) => {
      if (!(error instanceof HoldpointError)) return null;
      const { code, message, issues } = error;
      return { error: code, message, ...(issues.length > 0 ? { issues } : {}) };
    },
  };
}

function answerer(api: ClientOptions, givenBy: GivenBy): HoldpointClient {
  const provenance = { 'holdpoint-channel': 'mcp', 'holdpoint-given-by': givenBy };
  return new HoldpointClient({ ...api, headers: { ...api.headers, ...provenance } });
}
