/** The Holdpoint API as a typed object. Runs in browsers and in Node: it needs `fetch` and nothing else. */
import type { WatchOptions } from './stream';
import { Transport, type CallOptions, type ClientOptions } from './transport';
import type {
  Answer,
  Ask,
  Caller,
  ClaimReply,
  ClaimRequest,
  Definition,
  EventPage,
  InboxEvent,
  InboxFilter,
  InboxPage,
  ListFilter,
  MessagePage,
  MissionControlMessage,
  MissionControlStatus,
  ResumeReply,
  RunEvent,
  RunList,
  RunRecord,
  StartRequest,
} from './types';
import { newKey } from './uuid';
import { watchInbox, watchRun, type WatchRunOptions } from './watch';

const BASE = '/api/platform/v1';

export interface KeyedOptions extends CallOptions {
  /** Names this wish, so that a repeat of it is one. Default: a new one for each call, for the call's own new tries. */
  idempotencyKey?: string | undefined;
}

/**
 * A client of one API with one key. Every method throws a `HoldpointError` (a class for each kind, see errors), or the
 * signal's reason when it was aborted.
 */
export class HoldpointClient {
  private readonly transport: Transport;

  constructor(options: ClientOptions) {
    this.transport = new Transport(options);
  }

  /** Starts a run. `RunExistsError` when a chosen `run_id` is taken; `InvalidInputError` for an unknown agent, which names the known ones. */
  start(request: StartRequest, options: KeyedOptions = {}): Promise<RunRecord> {
    return this.post('/agents', request, options, keyHeader(options));
  }

  get(runId: string, options: CallOptions = {}): Promise<RunRecord> {
    return this.read(`/agents/${segment(runId)}`, {}, options);
  }

  /** Runs, newest first. */
  list(filter: ListFilter = {}, options: CallOptions = {}): Promise<RunList> {
    return this.read('/agents', filter, options);
  }

  /**
   * Answers the pending ask. `askId` makes sure that it is that one. `InvalidInputError`: it does not fit, the run waits
   * on. `NotWaitingError`: somebody was first, or it does not ask. `ClaimedError`: somebody else holds the ask.
   */
  resume(
    runId: string,
    answer: Answer,
    options: KeyedOptions & { askId?: string | undefined } = {},
  ): Promise<ResumeReply> {
    const body = { input: answer, ask_id: options.askId };
    return this.post(`/agents/${segment(runId)}/resume`, body, options, keyHeader(options));
  }

  /** Asks the run and its descendants to cancel. A run that has ended stays as it is. */
  cancel(runId: string, options: CallOptions = {}): Promise<RunRecord> {
    return this.post(`/agents/${segment(runId)}/cancel`, undefined, options);
  }

  /**
   * Events of a run, from the first kept one or after `after`, until the run has ended. Goes on over lost connections,
   * each event once and in order. After a `stream.reset` events are missing: forget what was built from earlier ones.
   */
  watch(runId: string, options: WatchRunOptions = {}): AsyncGenerator<RunEvent, void, undefined> {
    return watchRun(this.transport, `${BASE}/agents/${segment(runId)}/events`, options);
  }

  /** One page of a run's events. */
  events(runId: string, page: { after?: number; limit?: number } = {}, options: CallOptions = {}): Promise<EventPage> {
    return this.read(`/agents/${segment(runId)}/events`, page, options);
  }

  /** One page of the transcript. */
  messages(
    runId: string,
    page: { from?: number; limit?: number } = {},
    options: CallOptions = {},
  ): Promise<MessagePage> {
    return this.read(`/agents/${segment(runId)}/messages`, page, options);
  }

  /** Asks of a run and its descendants, oldest first: those that wait, or `all`. */
  async asks(runId: string, { state, ...options }: CallOptions & { state?: 'pending' | 'all' } = {}): Promise<Ask[]> {
    return (await this.read<{ asks: Ask[] }>(`/agents/${segment(runId)}/asks`, { state }, options)).asks;
  }

  /** Who this client's key is, and what it may do. */
  me(options: CallOptions = {}): Promise<Caller> {
    return this.read('/me', {}, options);
  }

  /** Agents that can be started. */
  async definitions(options: CallOptions = {}): Promise<Definition[]> {
    return (await this.read<{ definitions: Definition[] }>('/definitions', {}, options)).definitions;
  }

  /** One page of the pending asks of all runs, oldest first. */
  inbox(filter: InboxFilter = {}, options: CallOptions = {}): Promise<InboxPage> {
    return this.read('/inbox', filter, options);
  }

  /** The inbox as it is, and then each change of it, until the signal is aborted. A new connection begins with a new snapshot. */
  watchInbox({
    assignee,
    agent,
    ...options
  }: Pick<InboxFilter, 'assignee' | 'agent'> & WatchOptions = {}): AsyncGenerator<InboxEvent, void, undefined> {
    return watchInbox(this.transport, `${BASE}/inbox`, { assignee, agent }, options);
  }

  /** Holds an ask, so that nobody else answers it meanwhile. `ClaimedError` when somebody else holds it. */
  claim(runId: string, request: ClaimRequest, options: CallOptions = {}): Promise<ClaimReply> {
    return this.post(`/agents/${segment(runId)}/claim`, request, options);
  }

  /** Lets go of an ask that this key holds. */
  release(runId: string, request: Pick<ClaimRequest, 'ask_id'>, options: CallOptions = {}): Promise<ClaimReply> {
    return this.post(`/agents/${segment(runId)}/release`, request, options);
  }

  /** The run as mission control polls it. */
  status(runId: string, options: CallOptions = {}): Promise<MissionControlStatus> {
    return this.transport.json({ ...options, method: 'GET', path: `/runs/${segment(runId)}/status`, safe: true });
  }

  /**
   * Answers as mission control does: text for the step that waits. Never tried again by itself: read the status to see
   * whether a message whose reply was lost has arrived.
   */
  sendMessage(runId: string, body: MissionControlMessage, options: CallOptions = {}): Promise<MissionControlStatus> {
    const path = `/runs/${segment(runId)}/messages`;
    return this.transport.json({ ...options, method: 'POST', path, body, safe: false });
  }

  private read<Body>(path: string, query: object, options: CallOptions): Promise<Body> {
    const { signal } = options;
    return this.transport.json<Body>({
      signal,
      method: 'GET',
      path: `${BASE}${path}`,
      query: query as Record<string, string | number | undefined>,
      safe: true,
    });
  }

  /** A call that may be made again: under an idempotency key, or one that asks for a state rather than a change. */
  private post<Body>(
    path: string,
    body: unknown,
    { signal }: CallOptions,
    headers: Record<string, string> = {},
  ): Promise<Body> {
    return this.transport.json<Body>({ signal, method: 'POST', path: `${BASE}${path}`, body, headers, safe: true });
  }
}

function keyHeader({ idempotencyKey }: KeyedOptions): Record<string, string> {
  return { 'idempotency-key': idempotencyKey ?? newKey() };
}

/** An id as one segment of a path. */
function segment(id: string): string {
  return encodeURIComponent(id);
}
