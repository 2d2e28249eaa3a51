/** What a run is made of, as it is carried from one execution to the next. */
import type { AskClosing } from '../contract/asks';
import type { RunError } from '../contract/events';
import type { Json } from '../contract/json';
import type { AnswerOutcome } from '../contract/messages';
import type { Question } from '../contract/question';
import type { RunIdentity, RunSnapshot } from '../contract/run';
import type { Child } from './children';
import { emptyClaims, type ClaimsData } from './claims';
import { emptyDescendantAsks, type DescendantAsksData } from './descendant-asks';
import type { EventLogData } from './event-log';
import { emptyOwnAsks, type OwnAsksData } from './own-asks';
import { emptySteps, type StepsData } from './steps';
import type { TranscriptData } from './transcript-log';
import type { WaitingClockData } from './waiting-clock';

/** Everything a run knows, as plain JSON: what continue-as-new carries and nothing else survives. */
export interface RunStateData {
  identity: RunIdentity;
  status: RunSnapshot['status'];
  result: Json;
  error: RunError | null;
  clock: WaitingClockData;
  log: EventLogData;
  asks: OwnAsksData;
  descendants: DescendantAsksData;
  outcomes: AnswerOutcome[];
  /** Absent in what an older release carries on. */
  claims?: ClaimsData;
  steps: StepsData;
  transcript: TranscriptData;
  children: Child[];
}

/** News for the runs above, in the order in which it came to be. Sent by the workflow, which drains the outbox. */
export type Notice =
  { kind: 'opened'; question: Question } | { kind: 'closed'; run_id: string; ask_id: string; closing: AskClosing };

export function newRunState(identity: RunIdentity, now: string): RunStateData {
  return {
    identity,
    status: 'running',
    result: null,
    error: null,
    clock: { created_at: now, updated_at: now, ended_at: null, waited_ms: 0, waiting_since: null },
    log: { last_id: 0, events: [] },
    asks: emptyOwnAsks(),
    descendants: emptyDescendantAsks(),
    outcomes: [],
    claims: emptyClaims(),
    steps: emptySteps(),
    transcript: { dropped: 0, messages: [] },
    children: [],
  };
}
