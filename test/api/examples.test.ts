/** The examples in the OpenAPI document are true: each fits its schema, and each request does what it shows. */

import { offsitePlanner, travelDesk, venueScout } from '../../examples/agents/offsite-planner';
import { DocumentedCaller } from '../support/documented';
import { choice, freeForm, script } from '../support/scripts';
import { TestStack } from '../support/stack';

interface Media {
  schema?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface Operation {
  parameters?: { in: string; example?: unknown }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
}

/** The id of a run in the examples. */
const RUN_ID = 'run_7d9f2c41b8e04a6fa1c35e80';
/** Clients of MCP say both; everybody else takes what there is. */
const acceptedBy = (route: string) => (route === '/mcp' ? 'application/json, text/event-stream' : '*/*');

describe('examples of openapi.json', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  let calls: { method: string; route: string; operation: Operation }[];
  beforeAll(async () => {
    const agents = [offsitePlanner, travelDesk, venueScout];
    stack = await TestStack.start({ agents });
    api = await DocumentedCaller.of(stack.api);
    calls = Object.entries(api.document.paths).flatMap(([route, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ method, route, operation: operation })),
    );
  });
  afterAll(() => stack.stop());

  const named = ({ method, route }: { method: string; route: string }) => `${method} ${route}`;

  test('there is one of every body and of every reply, errors included, and each fits its schema', () => {
    const missing: string[] = [];
    const wrong: unknown[] = [];
    let seen = 0;
    const look = (where: string[], content: Record<string, Media> = {}) => {
      for (const [type, { examples = {} }] of Object.entries(content)) {
        if (Object.keys(examples).length === 0) missing.push([...where, type].join(' '));
        for (const { value } of Object.values(examples)) {
          seen += 1;
          const validate = api.validator([...where, 'content', type, 'schema']);
          if (!validate(value)) wrong.push({ where, value, errors: validate.errors });
        }
      }
    };
    for (const { method, route, operation } of calls) {
      if (operation.requestBody) look(['paths', route, method, 'requestBody'], operation.requestBody.content);
      for (const [status, { content }] of Object.entries(operation.responses)) {
        look(['paths', route, method, 'responses', status], content);
      }
      for (const parameter of operation.parameters ?? []) {
        if (parameter.in === 'path' && parameter.example === undefined)
          missing.push(`${named({ method, route })} path`);
      }
    }
    expect({ missing, wrong }).toEqual({ missing: [], wrong: [] });
    expect(seen).toBeGreaterThan(100);
  });

  /** A run that waits for what the example answers. */
  async function runFor(body: unknown): Promise<string> {
    const asksChoice = JSON.stringify(body ?? null).includes('multiple_choice');
    const { run_id } = await api.start(script([asksChoice ? choice('A', 'B') : freeForm()]));
    await api.untilWaiting(run_id);
    return run_id;
  }

  test('each request that is shown is taken, and is answered as the document says', async () => {
    const sent: string[] = [];
    for (const { method, route, operation } of calls) {
      const shown = Object.entries(operation.requestBody?.content['application/json']?.examples ?? { none: undefined });
      for (const [name, example] of shown) {
        const shownText = JSON.stringify(example?.value);
        const ofRun = route.includes('{run_id}') || shownText?.includes(RUN_ID);
        const runId = ofRun ? await runFor(example?.value) : '';
        // The id in the example is that of a run elsewhere.
        const text = shownText?.replaceAll(RUN_ID, runId);
        const target = route.replace('{run_id}', runId).replace('{agent}', 'offsite-planner');
        const response = await fetch(`${api.url}${target}`, {
          method: method.toUpperCase(),
          headers: {
            authorization: `Bearer ${api.key}`,
            accept: acceptedBy(route),
            ...(text ? { 'content-type': 'application/json' } : {}),
          },
          ...(text ? { body: text } : {}),
        });
        const reply = { status: response.status, headers: response.headers, text: await response.text() };
        // Throws unless the reply is one of the document's.
        api.check(method.toUpperCase(), target, reply);
        const taken = Object.keys(operation.responses)
          .map(Number)
          .filter((status) => status < 300 || status === 405);
        const told = { call: named({ method, route }), name, status: reply.status, text: reply.text.slice(0, 300) };
        expect({ ...told, taken: taken.includes(reply.status) }).toEqual({ ...told, taken: true });
        sent.push(`${method} ${route} ${name}`);
      }
    }
    expect(sent.length).toBeGreaterThanOrEqual(calls.length);
  });
});
