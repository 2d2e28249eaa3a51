/** Examples of every call, for the OpenAPI document. Each request is sent to a live API by `test/api/examples.test.ts`. */
import {
  ApiError,
  askMismatch,
  claimedByAnother,
  engineUnavailable,
  runNotFound,
  runNotWaiting,
  unsupportedMediaType,
} from '../errors';
import { unauthorized } from '../auth';
import { agUi, mcp } from './protocols';
import { answers, replies, RUN_ID } from './values';

interface Examples {
  /** Bodies by what they say. */
  requests?: Record<string, unknown>;
  /** Replies by status. */
  replies: Record<number, unknown>;
  /** What a stream says. */
  stream?: string;
  /** Errors by status, where a call has ones of its own. */
  errors?: Record<number, ApiError>;
}

const waiting = { 409: runNotWaiting() };
const held = { 409: claimedByAnother({ ask_id: 'q1', by: 'sam', until: '2026-11-30T09:50:00.000Z' }) };

/** By method and path, the base path left out. A call that is missing here fails the test. */
const CALLS: Record<string, Examples> = {
  'post /agents': {
    requests: {
      'start a run': { agent: 'offsite-planner', input: { team: 'Platform' }, metadata: { ticket: 'OPS-12' } },
      'start one that asks nobody': { agent: 'offsite-planner', input: {}, on_question: 'auto' },
    },
    replies: { 201: replies.running },
    errors: { 409: new ApiError('run_exists', 'this run_id is taken: choose another one, or leave it out') },
  },
  'get /agents': { replies: { 200: replies.runs } },
  'get /agents/{run_id}': { replies: { 200: replies.waiting } },
  'post /agents/{run_id}/resume': {
    requests: answers,
    replies: { 200: replies.answered, 202: { ...replies.waiting, answer: 'queued' } },
    errors: { 409: askMismatch('q2') },
  },
  'post /agents/{run_id}/cancel': { requests: { 'nothing to set': {} }, replies: { 202: replies.cancelled } },
  'get /agents/{run_id}/events': { replies: { 200: replies.events }, stream: replies.stream },
  'get /agents/{run_id}/messages': { replies: { 200: replies.messages } },
  'get /agents/{run_id}/asks': { replies: { 200: replies.asks } },
  'post /agents/{run_id}/claim': {
    requests: { 'for a quarter of an hour': { ask_id: 'q1' }, 'for an hour': { ask_id: 'q1', for: '1h' } },
    replies: { 200: replies.claimed, 202: { ...replies.waiting, request: 'queued' } },
    errors: held,
  },
  'post /agents/{run_id}/release': {
    requests: { 'give it back': { ask_id: 'q1' } },
    replies: { 200: replies.waiting, 202: { ...replies.waiting, request: 'queued' } },
    errors: held,
  },
  'get /healthz': { replies: { 200: { status: 'ok' } } },
  'get /readyz': { replies: { 200: { status: 'ready' } } },
  'get /inbox': {
    replies: { 200: replies.inbox },
    stream: `retry: 2000\n\nevent: inbox.snapshot\ndata: ${JSON.stringify(replies.inbox)}\n\n`,
  },
  'get /definitions': { replies: { 200: replies.definitions } },
  'get /me': { replies: { 200: replies.me } },
  'get /metrics': { replies: { 200: replies.metrics } },
  'get /runs/{run_id}/status': { replies: { 200: replies.missionStatus } },
  'post /runs/{run_id}/messages': {
    requests: {
      'answer the waiting step': { orchestratorRunId: RUN_ID, stepId: 'q1', message: '12 people' },
      'answer with a file': {
        message: '12 people',
        attachments: [{ kind: 'file', filename: 'team.csv', mediaType: 'text/csv', sizeBytes: 2048 }],
      },
    },
    replies: { 200: replies.missionAnswered, 202: replies.missionStatus },
    errors: waiting,
  },
  'get /runs/{run_id}/events': { replies: { 200: replies.missionEvents }, stream: replies.missionStream },
  'post /mcp': {
    requests: { 'list the agents': mcp.listAgents, 'answer a question': mcp.resumeRun },
    replies: { 200: mcp.agents, 202: null, 400: mcp.malformed, 404: mcp.noMethod, 406: mcp.notAcceptable },
    stream: mcp.stream,
  },
  'get /mcp': { replies: { 405: mcp.noSession } },
  'delete /mcp': { replies: { 405: mcp.noSession } },
  'post /ag-ui/{agent}': {
    requests: { 'start a thread': agUi.start },
    replies: {},
    stream: agUi.stream,
    errors: { 409: new ApiError('run_exists', 'this threadId is a run of another agent: choose another threadId') },
  },
};

const ERRORS: Record<number, ApiError> = {
  400: new ApiError('malformed_request', 'the query is not what this call takes: see issues', [
    { path: 'limit', code: 'too_big', message: 'must be at most 100' },
  ]),
  401: unauthorized(),
  403: new ApiError('forbidden', 'this key lacks the scope "answer"'),
  404: runNotFound(),
  409: runNotWaiting(),
  413: new ApiError('body_too_large', 'the body is larger than 256 KiB'),
  415: unsupportedMediaType(),
  422: new ApiError('invalid_input', 'the body is not what this call takes: see issues', [
    { path: 'input', code: 'custom', message: 'is missing: the answer goes here' },
  ]),
  429: new ApiError('rate_limited', 'too many requests with this key: slow down'),
  503: engineUnavailable(),
};

type Content = Record<string, { examples?: object } & Record<string, unknown>>;
interface Operation {
  parameters?: unknown[];
  requestBody?: { content?: Content };
  responses?: Record<string, { content?: unknown }>;
}

/** Adds the examples of one call to its operation in the document. */
export function addExamples(call: string, operation: Operation): void {
  const known = CALLS[call];
  const body = operation.requestBody?.content?.['application/json'];
  if (body && known?.requests) body.examples = named(known.requests);
  for (const [status, response] of Object.entries(operation.responses ?? {})) {
    const own = known?.replies[Number(status)];
    const refused = own === undefined && Number(status) >= 400;
    const error = refused ? (known?.errors?.[Number(status)] ?? ERRORS[Number(status)]) : undefined;
    const value = error ? error.body : own;
    for (const [type, media] of Object.entries((response.content ?? {}) as Content)) {
      const shown = type === 'text/event-stream' ? known?.stream : value;
      if (shown !== undefined) media.examples = named({ [error?.code ?? 'reply']: shown });
    }
  }
  for (const parameter of operation.parameters ?? []) {
    const { name, in: place } = parameter as { name?: string; in?: string };
    if (place === 'path' && name === 'run_id') Object.assign(parameter as object, { example: RUN_ID });
    if (place === 'path' && name === 'agent') Object.assign(parameter as object, { example: 'offsite-planner' });
  }
}

function named(values: Record<string, unknown>) {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name.replaceAll(' ', '-'), { summary: name, value }]),
  );
}
