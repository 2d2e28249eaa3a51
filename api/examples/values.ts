/** What a conversation with the example agent `offsite-planner` looks like over HTTP: the values of OpenAPI's examples. */
import { askOf, buildQuestion, type Question, type RunRecord } from '../../workflows/contract';
import { askView } from '../service/asks';
import type { InboxAsk } from '../service/inbox-asks';
import { schemaOf } from '../service/record';

export const RUN_ID = 'run_7d9f2c41b8e04a6fa1c35e80';
const AT = ['2026-11-30T09:31:00.000Z', '2026-11-30T09:31:00.412Z', '2026-11-30T09:35:12.034Z'] as const;

const question: Question = buildQuestion(
  { kind: 'free_form', question: 'How many people of team Platform come along?', context: null, labels: null },
  { n: 1, askedAt: AT[1] },
);

const running: RunRecord = {
  run_id: RUN_ID,
  root_run_id: RUN_ID,
  parent_run_id: null,
  agent: 'offsite-planner',
  status: 'running',
  on_question: 'pause',
  assignee: null,
  metadata: { ticket: 'OPS-12' },
  pending_input_type: null,
  pending_input_schema: null,
  pending_input_context: null,
  claim: null,
  children_awaiting: [],
  result: null,
  error: null,
  created_at: AT[0],
  updated_at: AT[0],
  ended_at: null,
  active_ms: 12,
  waiting_ms: 0,
};
const waiting: RunRecord = {
  ...running,
  status: 'awaiting_input',
  pending_input_type: 'ask_human',
  pending_input_schema: schemaOf(question),
  pending_input_context: question,
  updated_at: AT[1],
  active_ms: 412,
  waiting_ms: 5_000,
};
const claim = { by: 'ops', until: '2026-11-30T09:50:00.000Z' };
const ask = askView(askOf(RUN_ID, question, null));
const inboxAsk: InboxAsk = {
  ...ask,
  root_run_id: RUN_ID,
  parent_run_id: null,
  agent: 'offsite-planner',
};
const missionEvent = {
  id: 1,
  type: 'run.started',
  orchestratorRunId: RUN_ID,
  timestamp: AT[0],
  data: { agent: 'offsite-planner' },
};
const step = (step_id: string, name: string, status: string) => ({ step_id, name, status });
const event = (id: number, type: string, timestamp: string, data: object) => ({ id, type, timestamp, data });
const events = [
  event(1, 'run.started', AT[0], { agent: 'offsite-planner' }),
  event(2, 'step.started', AT[0], step('s1', 'model turn 1', 'running')),
];

export const replies = {
  running,
  waiting,
  answered: { ...running, updated_at: AT[2], waiting_ms: 251_622, active_ms: 430 },
  claimed: { ...waiting, claim: { ask_id: question.ask_id, ...claim } },
  cancelled: { ...running, status: 'cancelled', updated_at: AT[2], ended_at: AT[2] },
  runs: { runs: [waiting], next_cursor: null },
  asks: { asks: [ask] },
  inbox: { asks: [inboxAsk], count: 1, next_cursor: null },
  events: {
    run_id: RUN_ID,
    events: events.map((one) => ({ run_id: RUN_ID, ...one })),
    first_event_id: 1,
    last_event_id: 2,
    has_more: false,
  },
  stream:
    'retry: 2000\n\n' +
    events
      .map((one) => `id: ${one.id}\nevent: ${one.type}\ndata: ${JSON.stringify({ run_id: RUN_ID, ...one })}\n\n`)
      .join(''),
  messages: {
    run_id: RUN_ID,
    messages: [
      { role: 'user', content: { team: 'Platform' } },
      {
        role: 'assistant',
        text: null,
        tool_calls: [{ id: 'call_1_3', tool: 'ask_a_human', args: { kind: 'free_form', question: question.question } }],
      },
      { role: 'tool', tool_call_id: 'call_1_3', tool: 'ask_a_human', result: { answer: '12 people' } },
    ],
    from: 0,
    total: 3,
    has_more: false,
    tokens: 0,
  },
  me: {
    name: 'ops',
    workspace: 'acme',
    scopes: ['read', 'answer'],
    temporal_ui: 'http://127.0.0.1:8233/namespaces/default/workflows/',
  },
  definitions: {
    definitions: [
      {
        name: 'offsite-planner',
        description: 'Plans a team offsite.',
        input_schema: {},
        model: null,
        sub_agents: ['venue-scout', 'travel-desk'],
        tools: [],
      },
    ],
  },
  missionStatus: {
    orchestratorRunId: RUN_ID,
    status: 'human_intervention',
    currentStep: 2,
    totalSteps: 2,
    steps: [
      { stepId: 's1', name: 'model turn 1', status: 'completed', startedAt: AT[0], tokenCount: 0 },
      {
        stepId: question.ask_id,
        name: 'ask_a_human',
        status: 'waiting',
        startedAt: AT[1],
        tokenCount: 0,
        delivered: question.question,
      },
    ],
  },
  missionAnswered: {
    orchestratorRunId: RUN_ID,
    status: 'running',
    currentStep: 2,
    totalSteps: 2,
    steps: [
      { stepId: 's1', name: 'model turn 1', status: 'completed', startedAt: AT[0], tokenCount: 0 },
      { stepId: question.ask_id, name: 'ask_a_human', status: 'completed', startedAt: AT[1], tokenCount: 0 },
    ],
  },
  missionEvents: {
    orchestratorRunId: RUN_ID,
    events: [missionEvent],
    firstEventId: 1,
    lastEventId: 1,
    hasMore: false,
  },
  missionStream: `retry: 2000\n\nid: 1\nevent: run.started\ndata: ${JSON.stringify(missionEvent)}\n\n`,
  metrics:
    '# HELP holdpoint_asks_pending Asks that wait for an answer now, by Temporal’s index.\n' +
    '# TYPE holdpoint_asks_pending gauge\nholdpoint_asks_pending 1\n',
};

/** A body for each way to answer, as `answerSchema` has them. */
export const answers = {
  'free text': { input: { kind: 'free_form', text: '12 people' }, ask_id: 'q1' },
  'an option': { input: { kind: 'multiple_choice', option_id: 'q1_o2' } },
  'something else': { input: { kind: 'multiple_choice', option_id: 'other', other_text: 'Porto' } },
  'no answer': { input: { kind: 'decline', reason: 'Ask finance.' } },
};
