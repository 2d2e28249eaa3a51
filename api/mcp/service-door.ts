/** The tools' door onto the service, for one caller. */
import { requireScope } from '../auth';
import { ApiError } from '../errors';
import type { Principal } from '../keys';
import type { RunService } from '../service/runs';
import type { Follower } from '../streams/watcher';
import { DEFAULT_PAGE } from './schemas';
import type { McpDoor } from './door';

export function serviceDoor(service: RunService, principal: Principal): McpDoor {
  return {
    may: (scope) => principal.scopes.has(scope),
    caller: async () => principal.name,
    agents: async () => service.definitions(),
    start: async (body, idempotencyKey) => {
      requireScope(principal, 'start');
      return service.start(principal, body, idempotencyKey);
    },
    read: (runId) => service.read(principal, runId),
    questions: (runId) => service.asks(principal, runId, 'pending'),
    inbox: ({ limit = DEFAULT_PAGE, cursor, ...filter }) => service.inboxPage(principal, filter, { limit, cursor }),
    // A user's form comes back to a tool that a reader may call.
    answer: async (runId, answer) => {
      requireScope(principal, 'answer');
      return service.resume(principal, runId, { ...answer, channel: 'mcp' });
    },
    cancel: async (runId) => {
      requireScope(principal, 'cancel');
      return service.cancel(principal, runId);
    },
    watch: async (runId, onNews, signal) => {
      const run = await service.find(principal, runId);
      if (signal.aborted) return;
      await new Promise<void>((resolve) => {
        const end = () => {
          unfollow();
          resolve();
        };
        const follower: Follower = { cursor: run.snapshot.last_event_id, send: onNews, end };
        const unfollow = service.follow(run, follower);
        signal.addEventListener('abort', end, { once: true });
        onNews();
      });
    },
    told: (error) => (error instanceof ApiError ? error.body : null),
  };
}
