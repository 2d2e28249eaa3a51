/** What the tools need of the product. Two have it: the service with its caller, and a client of the HTTP API with a key. */
import type { Definition, ErrorBody, GivenBy, Holder, Question, RunRecord, StartRun } from '../../workflows/contract';
import type { Scope } from '../keys';

/** A question that waits, and the run that asks it: the one that is answered. */
export type PendingQuestion = Question & {
  run_id: string;
  /** Who holds it, and until when: nobody else's answer is taken. */
  claim: Holder | null;
};

export interface QuestionPage {
  asks: PendingQuestion[];
  /** Of all pages. */
  count: number;
  next_cursor: string | null;
}

export interface QuestionFilter {
  agent?: string | undefined;
  assignee?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** An answer as it came over MCP. Which channel and which principal it is recorded with is the door's own business. */
export interface GivenAnswer {
  input: unknown;
  ask_id?: string | undefined;
  given_by: GivenBy;
  idempotencyKey?: string | undefined;
}

/** An error as a caller is told it. */
export type Told = Pick<ErrorBody, 'message' | 'issues'> & { error: string };

/** Every method throws what `told` can tell. */
export interface McpDoor {
  /** Whether the caller's key has this scope. A door that cannot know says yes and is refused later. */
  may(scope: Scope): boolean;
  /** The name of the caller's key: who an answer or a claim of theirs is by. */
  caller(): Promise<string>;
  agents(): Promise<Definition[]>;
  start(body: StartRun, idempotencyKey: string | undefined): Promise<RunRecord>;
  read(runId: string): Promise<RunRecord>;
  /** Pending questions of a run and its descendants, oldest first. */
  questions(runId: string): Promise<PendingQuestion[]>;
  /** Pending questions of all runs of the workspace, oldest first. */
  inbox(filter: QuestionFilter): Promise<QuestionPage>;
  /** `queued`: no worker has judged it yet. */
  answer(runId: string, answer: GivenAnswer): Promise<{ record: RunRecord; queued: boolean }>;
  cancel(runId: string): Promise<RunRecord>;
  /**
   * Follows a run: calls `onNews` once it does, and then whenever something has happened. Resolves when nothing more will
   * come, or `signal` is aborted.
   */
  watch(runId: string, onNews: () => void, signal: AbortSignal): Promise<void>;
  /** Null for what is no refusal but a fault of ours. */
  told(error: unknown): Told | null;
}
