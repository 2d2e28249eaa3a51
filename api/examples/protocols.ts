/** Examples in the words of other protocols: MCP and AG-UI. */
import { EventType, PROTOCOL_VERSION } from '@ag-ui/core';
import { replies, RUN_ID } from './values';

const call = (id: number, name: string, args: object) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: args },
});
const failed = (id: number | null, code: number, message: string) => ({ jsonrpc: '2.0', error: { code, message }, id });

const agents = {
  jsonrpc: '2.0',
  id: 1,
  result: {
    content: [{ type: 'text', text: 'Agents that start_run can start: …' }],
    structuredContent: { agents: replies.definitions.definitions },
  },
};

export const mcp = {
  agents,
  stream: `event: message\ndata: ${JSON.stringify(agents)}\n\n`,
  listAgents: call(1, 'list_agents', {}),
  resumeRun: call(2, 'resume_run', {
    ...{ run_id: RUN_ID, ask_id: 'q1', input: { kind: 'free_form', text: '12 people' } },
    answered_by: 'user',
  }),
  malformed: failed(null, -32700, 'Parse error: the body is no JSON-RPC message'),
  noMethod: failed(1, -32601, 'Method not found'),
  notAcceptable: failed(null, -32000, 'Not Acceptable: Client must accept both application/json and text/event-stream'),
  noSession: failed(null, -32000, 'Method not allowed.'),
};

const thread = { threadId: 'offsite-2027', runId: 'ag-ui-run-1' };
const says = (event: { type: EventType } & Record<string, unknown>) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

export const agUi = {
  start: {
    ...thread,
    state: {},
    messages: [{ id: 'm1', role: 'user', content: 'Plan an offsite for the platform team.' }],
    tools: [],
    context: [],
    forwardedProps: {},
  },
  stream:
    'retry: 2000\n\n' +
    says({ type: EventType.RUN_STARTED, ...thread, protocolVersion: PROTOCOL_VERSION }) +
    says({
      ...{ type: EventType.RUN_FINISHED, ...thread },
      outcome: { type: 'interrupt', interrupts: [{ id: 'offsite-2027:q1', reason: 'input_required' }] },
    }),
};
