/**
 * What a person has begun to write, kept over a reload and a crash of the browser: in local storage, one entry an ask, gone once
 * it was sent. Never holds a key of the API.
 */
import type { Answer } from '../../client';
import { isBlank } from '../../workflows/contract/text';

/** One answer on its way: the same body is always sent with the same idempotency key, so a retry is one answer. */
export interface Attempt {
  key: string;
  body: Answer;
  /** True once the server said that it keeps the answer until a worker is back. */
  queued: boolean;
  /** Whose answer is kept. The same body under the same key is an answer of its own when somebody else sends it. */
  by: string | null;
}

export interface Draft {
  optionId: string | null;
  otherText: string;
  text: string;
  declining: boolean;
  reason: string;
  attempt: Attempt | null;
}

export const EMPTY_DRAFT: Draft = {
  optionId: null,
  otherText: '',
  text: '',
  declining: false,
  reason: '',
  attempt: null,
};

const PREFIX = 'holdpoint:draft:';
const KEPT_MS = 30 * 86_400_000;

/** Texts of the draft that a person would miss. */
export function unsentTexts(draft: Draft): string[] {
  return [draft.text, draft.otherText, draft.reason].filter((text) => !isBlank(text));
}

/** The drafts of one API. Where a page may not store anything, they live as long as the page. */
export class DraftStore {
  private readonly memory = new Map<string, string>();

  constructor(private readonly api: string) {
    this.dropOld();
  }

  read(runId: string, askId: string): Draft {
    const name = this.nameOf(runId, askId);
    try {
      const kept: unknown = JSON.parse(this.memory.get(name) ?? storage()?.getItem(name) ?? 'null');
      return typeof kept === 'object' && kept !== null ? { ...EMPTY_DRAFT, ...(kept as Partial<Draft>) } : EMPTY_DRAFT;
    } catch {
      return EMPTY_DRAFT;
    }
  }

  write(runId: string, askId: string, draft: Draft): void {
    const name = this.nameOf(runId, askId);
    const content = JSON.stringify({ ...draft, at: Date.now() });
    this.memory.set(name, content);
    try {
      storage()?.setItem(name, content);
    } catch {
      // Full: it is kept as long as the page lives.
    }
  }

  remove(runId: string, askId: string): void {
    const name = this.nameOf(runId, askId);
    this.memory.delete(name);
    storage()?.removeItem(name);
  }

  private nameOf(runId: string, askId: string): string {
    return `${PREFIX}${this.api}:${runId}:${askId}`;
  }

  private dropOld(): void {
    const store = storage();
    if (!store) return;
    for (const name of Object.keys(store).filter((key) => key.startsWith(PREFIX))) {
      try {
        const { at } = JSON.parse(store.getItem(name) ?? '{}') as { at?: number };
        if (!(Number(at) > Date.now() - KEPT_MS)) store.removeItem(name);
      } catch {
        store.removeItem(name);
      }
    }
  }
}

/** Null where the browser refuses it: a sandboxed frame, a setting. */
function storage(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}
