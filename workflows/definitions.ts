/** Signals and queries of a run, as Temporal objects. Names and descriptions are the contract's. */
import { defineQuery, defineSignal } from '@temporalio/workflow';
import {
  QUERIES,
  SIGNALS,
  type AnswerOutcomeReply,
  type AskPage,
  type ChildAskClosedSignal,
  type ChildNeedsHumanSignal,
  type ClaimOutcomeReply,
  type EventPage,
  type MessagePage,
  type RunSnapshot,
  type StepsReply,
} from './contract';

export const childNeedsHumanSignal = defineSignal<[ChildNeedsHumanSignal]>(SIGNALS.childNeedsHuman.name);
export const childAskClosedSignal = defineSignal<[ChildAskClosedSignal]>(SIGNALS.childAskClosed.name);

export const runQuery = defineQuery<RunSnapshot>(QUERIES.run.name);
export const eventsQuery = defineQuery<EventPage, [{ after?: number; limit?: number }?]>(QUERIES.events.name);
export const asksQuery = defineQuery<AskPage, [{ state?: 'pending' | 'all'; from?: number }?]>(QUERIES.asks.name);
export const messagesQuery = defineQuery<MessagePage, [{ from?: number; limit?: number }?]>(QUERIES.messages.name);
export const stepsQuery = defineQuery<StepsReply>(QUERIES.steps.name);
export const answerOutcomeQuery = defineQuery<AnswerOutcomeReply, [{ answer_id?: string }?]>(
  QUERIES.answerOutcome.name,
);
export const claimOutcomeQuery = defineQuery<ClaimOutcomeReply, [{ claim_id?: string }?]>(QUERIES.claimOutcome.name);
