/** What goes over the wire, as types alone: nothing of the contract's code is taken along. */
import type {
  Answer,
  AskClosing,
  AskKind,
  Ask as ContractAsk,
  Holder,
  EventPage as ContractEventPage,
  MessagePage as ContractMessagePage,
  Question,
  RunRecord,
  RunStatus,
  startRunSchema,
  StepStatus,
} from '../workflows/contract';

export type {
  Answer,
  AskKind,
  AskOutcome,
  Attachment as AnswerAttachment,
  Channel,
  Claim,
  ContractIssue as Issue,
  Definition,
  ErrorCode,
  EventData,
  EventType,
  Message,
  OnQuestion,
  Option,
  Question,
  RunEvent,
  RunRecord,
  RunStatus,
  StepStatus,
  ToolCall,
} from '../workflows/contract';

/** Body of a start: `agent` and `input`, and what may be left out. */
export type StartRequest = Omit<(typeof startRunSchema)['_zod']['input'], 'input'> & {
  /** Any JSON value: what the agent takes is said by its definition. */
  input: unknown;
};

/** The record after an answer. `answer: 'queued'`: it is durable and is judged when a worker is up again. */
export type ResumeReply = RunRecord & { answer?: 'queued' };

/** An ask in a list: its question's own fields, whose it is, and how it ended (null while it is pending). */
export interface Ask extends Question {
  run_id: string;
  state: ContractAsk['state'];
  pending_input_schema: Record<string, unknown> | null;
  closed_at: string | null;
  answer: string | null;
  option_id: string | null;
  /** A decline's reason. */
  message: string | null;
  principal: string | null;
  channel: AskClosing['channel'];
  by: AskClosing['by'];
  /** Where the door could tell: whether a connected model gave the answer, or the person it works for. */
  given_by: NonNullable<AskClosing['given_by']> | null;
  /** Files that came with it, by name and size. */
  attachments: NonNullable<AskClosing['attachments']>;
  /** Who holds it, and until when; null when nobody does. */
  claim: Holder | null;
}

export interface ListFilter {
  status?: RunStatus | undefined;
  agent?: string | undefined;
  assignee?: string | undefined;
  root_run_id?: string | undefined;
  /** 1 to 100. Default 20. */
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface RunList {
  runs: RunRecord[];
  /** For the next page; null on the last one. */
  next_cursor: string | null;
}

/** Who a key is. */
export interface Caller {
  name: string;
  workspace: string;
  scopes: ('read' | 'start' | 'answer' | 'cancel')[];
  /** Where workflows are in Temporal's Web UI: a run id comes behind it. Null where the deployment does not say. */
  temporal_ui: string | null;
}

export type EventPage = ContractEventPage & { run_id: string };
export type MessagePage = ContractMessagePage & { run_id: string };

export interface InboxFilter {
  assignee?: string | undefined;
  agent?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** A pending ask of any run that the key may see. */
export interface InboxAsk extends Ask {
  root_run_id: string;
  parent_run_id: string | null;
  agent: string;
}

export interface InboxPage {
  asks: InboxAsk[];
  /** Pending asks that fit the filter, those of other pages too. */
  count: number;
  next_cursor: string | null;
}

export type InboxEvent =
  | { type: 'inbox.snapshot'; data: InboxPage }
  | { type: 'ask.opened' | 'ask.changed'; data: { ask: InboxAsk; count: number } }
  | { type: 'ask.closed'; data: { run_id: string; ask_id: string; count: number } };

/** The record after a claim or a release. `request: 'queued'`: it is durable and is judged when a worker is up again. */
export type ClaimReply = RunRecord & { request?: 'queued' };

export interface ClaimRequest {
  ask_id: string;
  /** How long, such as `15m`, which is the default; from `1s` to `24h`. */
  for?: string | undefined;
}

/** A file's name and size, as mission control tells them with a message; never the file. */
export interface MissionControlAttachment {
  filename: string;
  kind?: string | null;
  mediaType?: string | null;
  sizeBytes?: number | null;
}

/** Body of a message to a run, as mission control sends it. */
export interface MissionControlMessage {
  message: string;
  stepId?: string | undefined;
  orchestratorRunId?: string | undefined;
  attachments?: MissionControlAttachment[] | undefined;
}

export interface MissionControlStep {
  stepId: string;
  name: string;
  status: StepStatus;
  startedAt: string;
  tokenCount: number;
  /** The question and its options, on the step that waits. */
  delivered?: string | undefined;
}

/** A run as mission control sees it. */
export interface MissionControlStatus {
  orchestratorRunId: string;
  status: 'running' | 'human_intervention' | 'completed' | 'failed' | 'cancelled';
  /** From 1; 0 while no step is known. */
  currentStep: number;
  totalSteps: number;
  steps: MissionControlStep[];
  assigneeRef?: string | undefined;
}

/** The input kinds that a question of each kind takes, for those who build a form. */
export type AnswerTo<K extends AskKind> = Extract<Answer, { kind: K | 'decline' }>;
