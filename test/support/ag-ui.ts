/** AG-UI as its own client package speaks it, with every event held against the protocol's schemas. */
import { EventType, type Event, type Interrupt, type RunAgentInput } from '@ag-ui/core';
import { EventSchema } from '@ag-ui/core/schemas';
import { HttpAgent, type RunAgentParameters } from '@ag-ui/client';
import type { ApiCaller } from './http';

/** One segment as the client got it. */
export interface Segment {
  events: Event[];
  error: Error | undefined;
}

export type Finished = Extract<Event, { type: EventType.RUN_FINISHED }>;
export type RunError = Extract<Event, { type: EventType.RUN_ERROR }>;

/** An `HttpAgent` of the client package for one thread. */
export function agentOn(api: ApiCaller, options: { threadId?: string; agent?: string } = {}): HttpAgent {
  const { agent = 'scripted', ...rest } = options;
  return new HttpAgent({
    url: `${api.url}/ag-ui/${agent}`,
    headers: { authorization: `Bearer ${api.key}` },
    ...rest,
  });
}

/**
 * Plays one segment with `runAgent`, whose pipeline checks the order of events and throws when it is wrong. The raw
 * stream is read besides: each event must fit its schema as sent, with nothing in it that the protocol does not know.
 */
export async function play(agent: HttpAgent, parameters: RunAgentParameters = {}): Promise<Segment> {
  const raw: Event[] = [];
  const fetchOf = agent.fetch;
  agent.fetch = async (url, init) => {
    const response = await fetchOf(url, init);
    if (!response.ok || !response.body) return response;
    const [theirs, ours] = response.body.tee();
    void readEvents(ours, (event) => raw.push(event)).catch(() => undefined);
    return new Response(theirs, { status: response.status, headers: response.headers });
  };
  const seen: Event[] = [];
  let error: Error | undefined;
  const noise = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  const warnings = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  try {
    await agent
      .runAgent(parameters, { onEvent: ({ event }) => void seen.push(event as Event) })
      .catch((failure: Error) => (error = failure));
    // The client warns of whatever it strips: nothing of ours may be unknown to it.
    expect(warnings.mock.calls.map(([first]) => String(first))).toEqual([]);
  } finally {
    noise.mockRestore();
    warnings.mockRestore();
    agent.fetch = fetchOf;
  }
  checkEvents(raw);
  if (!error) expect(seen.map(({ type }) => type)).toEqual(raw.map(({ type }) => type));
  return { events: raw, error };
}

/** Every event fits the schema of its type. */
export function checkEvents(events: readonly Event[]): void {
  for (const event of events) {
    const parsed = EventSchema.safeParse(event);
    expect({ event, issues: parsed.error?.issues ?? [] }).toEqual({ event, issues: [] });
  }
}

/** The frames of a stream, as they come. */
export async function readEvents(body: ReadableStream<Uint8Array>, take: (event: Event) => void): Promise<string> {
  const decoder = new TextDecoder();
  let all = '';
  let rest = '';
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true });
    all += text;
    rest += text;
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = block
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n');
      if (data !== '') take(JSON.parse(data) as Event);
    }
  }
  return all;
}

/** A request as any client might send it, without the client package. */
export function post(api: ApiCaller, agent: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  return fetch(`${api.url}/ag-ui/${agent}`, {
    method: 'POST',
    body: JSON.stringify(body),
    ...init,
    headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/json', ...init.headers },
  });
}

export function inputFor(threadId: string, more: Partial<RunAgentInput> = {}) {
  return { threadId, runId: `r-${Math.random()}`, messages: [], tools: [], context: [], ...more };
}

/** Posts, and reads the stream to its end. */
export async function postAndRead(api: ApiCaller, agent: string, body: unknown): Promise<Event[]> {
  const response = await post(api, agent, body);
  if (response.status !== 200 || !response.body) throw new Error(`${response.status} ${await response.text()}`);
  const events: Event[] = [];
  await readEvents(response.body, (event) => events.push(event));
  checkEvents(events);
  return events;
}

/** Posts, reads until an event is the one, gives that, and leaves: for a segment that would last for long. */
export async function playUntil(
  api: ApiCaller,
  threadId: string,
  more: Partial<RunAgentInput>,
  isIt: (event: Event) => boolean,
): Promise<Event> {
  const response = await post(api, 'scripted', inputFor(threadId, more));
  if (response.status !== 200 || !response.body) throw new Error(`${response.status} ${await response.text()}`);
  const seen: Event[] = [];
  const leave = new Error('seen');
  await readEvents(response.body, (event) => {
    seen.push(event);
    if (isIt(event)) throw leave;
  }).catch((error: unknown) => {
    if (error !== leave) throw error;
  });
  const last = seen.at(-1);
  if (!last || !isIt(last)) throw new Error(`the segment ended: ${JSON.stringify(seen)}`);
  return last;
}

/** The last event, which is `RUN_FINISHED`. */
export function finishedOf({ events }: Pick<Segment, 'events'>): Finished {
  const last = events.at(-1);
  if (last?.type !== EventType.RUN_FINISHED) throw new Error(`ended with ${JSON.stringify(last)}`);
  return last;
}

export function interruptsOf(segment: Pick<Segment, 'events'>): Interrupt[] {
  const { outcome } = finishedOf(segment);
  if (outcome?.type !== 'interrupt') throw new Error(`ended with ${JSON.stringify(outcome)}`);
  return outcome.interrupts;
}

/** The last event, which is `RUN_ERROR`. */
export function errorOf({ events }: Pick<Segment, 'events'>): RunError {
  const last = events.at(-1);
  if (last?.type !== EventType.RUN_ERROR) throw new Error(`ended with ${JSON.stringify(last)}`);
  return last;
}

export function typesOf({ events }: Pick<Segment, 'events'>): string[] {
  return events.map(({ type }) => type);
}

/** Events of one type. */
export function ofType<T extends EventType>({ events }: Pick<Segment, 'events'>, type: T) {
  return events.filter((event): event is Extract<Event, { type: T }> => event.type === type);
}

/** What starts a scripted run. */
export const scripted = (input: unknown, more: Record<string, unknown> = {}) => ({
  forwardedProps: { input, ...more },
});

export const resolved = (interruptId: string, payload: unknown) => ({
  interruptId,
  status: 'resolved' as const,
  payload,
});

export const cancelled = (interruptId: string) => ({ interruptId, status: 'cancelled' as const });

type Resumed = ReturnType<typeof resolved> | ReturnType<typeof cancelled>;

/** The next segment, with these answers. */
export const resumeOf = (agent: HttpAgent, ...resume: Resumed[]) => play(agent, { resume });
