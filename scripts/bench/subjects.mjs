// What is measured, in the same three steps for both: start until the question can be read, answer, end.
import { randomUUID } from 'node:crypto';

const POLL_MS = 4;
const script = {
  turns: [{ calls: [{ tool: 'ask_a_human', args: { kind: 'free_form', question: 'Which quarter?' } }] }],
  text: 'done',
};
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Holdpoint over HTTP. */
export function holdpoint({ base, headers }) {
  const call = async (path, body) => {
    const response = await fetch(
      `${base}${path}`,
      body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
    );
    const json = await response.json();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(json)}`);
    return json;
  };
  return {
    name: 'holdpoint',
    async start() {
      const { run_id } = await call('/agents', { agent: 'scripted', input: script });
      return run_id;
    },
    async untilPaused(runId) {
      while ((await call(`/agents/${runId}`)).status !== 'awaiting_input') await pause(POLL_MS);
    },
    answer: (runId) => call(`/agents/${runId}/resume`, { input: { kind: 'free_form', text: 'Q3' } }),
    read: (runId) => call(`/agents/${runId}`),
    /** Resolves to the times at which the stream showed the pause and the answer. */
    async stream(runId) {
      const response = await fetch(`${base}/agents/${runId}/events`, {
        headers: { ...headers, accept: 'text/event-stream' },
      });
      const seen = {};
      const waiters = new Map();
      void (async () => {
        let text = '';
        for await (const chunk of response.body) {
          text += Buffer.from(chunk).toString();
          for (const type of ['step.paused', 'ask.answered']) {
            if (seen[type] === undefined && text.includes(`event: ${type}\n`)) {
              seen[type] = performance.now();
              waiters.get(type)?.(seen[type]);
            }
          }
        }
      })();
      return (type) =>
        seen[type] === undefined ? new Promise((resolve) => waiters.set(type, resolve)) : Promise.resolve(seen[type]);
    },
  };
}

/** The bare workflow over the Temporal client. */
export function bare({ client }, shows) {
  const handle = (runId) => client.workflow.getHandle(runId);
  return {
    name: shows ? 'bare, memo and attributes too' : 'bare',
    async start() {
      const workflowId = `bare-${randomUUID()}`;
      await client.workflow.start('bareRun', { workflowId, taskQueue: 'bare', args: [{ shows }] });
      return workflowId;
    },
    async untilPaused(runId) {
      while (!(await handle(runId).query('outcome', '')).pending) await pause(POLL_MS);
    },
    async answer(runId) {
      const id = randomUUID();
      await handle(runId).signal('answer', { id, text: 'Q3' });
      const { taken } = await handle(runId).query('outcome', id);
      if (!taken) throw new Error('the bare answer was not taken');
    },
  };
}
