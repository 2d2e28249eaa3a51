/** What `<holdpoint-ask>` tells the page around it, as `detail` of its events. */
import type { Answer, Issue } from '../../client';
import type { Closing } from './ask-session';

/** `answered`: this widget's answer was taken, or is stored until a worker is back (`queued`). */
export interface AnsweredDetail {
  run_id: string;
  ask_id: string;
  answer: Answer;
  queued: boolean;
}
/**
 * `refused`: by the server, or before it was sent (`status` null) by the same rules. What was written is kept. It also comes after
 * `answered` with `queued`, when the run refuses what was stored.
 */
export interface RefusedDetail {
  run_id: string;
  ask_id: string;
  status: number | null;
  error: string;
  message: string;
  issues: readonly Issue[];
}
/** `closed`: the question is open no more, whoever closed it; `here` when it was this widget. */
export interface ClosedDetail {
  run_id: string;
  ask_id: string;
  outcome: Closing['outcome'];
  here: boolean;
}

/** The events by name. All bubble, out of shadow roots too. */
export interface AskEvents {
  answered: AnsweredDetail;
  refused: RefusedDetail;
  closed: ClosedDetail;
}
