/**
 * What was filled in on the start page, kept in this tab over a reload and a look at another page: one entry for each agent, gone
 * once a run was started with it, or its writer has signed out. Never holds a key of the API.
 */
import type { Caller } from '../../../client';

/** One start on its way: the same body is always sent with the same idempotency key, so a retry is one run. */
export interface StartAttempt {
  key: string;
  body: string;
}

export interface StartDraft {
  values: Record<string, string>;
  attempt: StartAttempt | null;
}

const PREFIX = 'holdpoint:start:';

/** The drafts of one caller: who signs in next in this tab finds none of theirs. */
export class StartDrafts {
  constructor(private readonly caller: Caller) {}

  read(agent: string): StartDraft {
    const none: StartDraft = { values: {}, attempt: null };
    try {
      const kept: unknown = JSON.parse(sessionStorage.getItem(this.nameOf(agent)) ?? 'null');
      return typeof kept === 'object' && kept !== null ? { ...none, ...(kept as Partial<StartDraft>) } : none;
    } catch {
      return none;
    }
  }

  write(agent: string, draft: StartDraft): void {
    try {
      sessionStorage.setItem(this.nameOf(agent), JSON.stringify(draft));
    } catch {
      // A browser that stores nothing, or no more: it is kept as long as the page is shown.
    }
  }

  remove(agent: string): void {
    try {
      sessionStorage.removeItem(this.nameOf(agent));
    } catch {
      // Nothing was kept.
    }
  }

  private nameOf(agent: string): string {
    const { workspace, name } = this.caller;
    return `${PREFIX}${JSON.stringify([workspace, name, agent])}`;
  }
}

/** At signing out: everybody's. */
export function forgetStartDrafts(): void {
  try {
    for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
  } catch {
    // Nothing was kept.
  }
}
