/** Conversations that wait at each depth, and what a crash must not change about them. */
import type { ApiCaller } from './http';
import { eventually } from './http';
import { choice, delegate, effect, freeForm, freeText, pick, script } from './scripts';

/** A conversation with one pending ask. Every run of it records an effect before and one after what it waits for. */
export interface Conversation {
  name: string;
  /** The runs from the root down to the one that asks. */
  line: string[];
  root: string;
  asker: string;
  /** Two good answers that the agent can tell apart, each with the tool result it must lead to. */
  answers: [GoodAnswer, GoodAnswer];
}

export interface GoodAnswer {
  input: Record<string, unknown>;
  result: Record<string, unknown>;
}

type Shape = { name: string; depth: number; kind: 'choice' | 'free' };

/** Where a question can come from. */
export const SHAPES: readonly Shape[] = [
  { name: 'a multiple-choice ask', depth: 0, kind: 'choice' },
  { name: 'a free-form ask', depth: 0, kind: 'free' },
  { name: "a child's ask", depth: 1, kind: 'free' },
  { name: "a grandchild's ask", depth: 2, kind: 'choice' },
];

const QUESTION = 'Pay the invoice? 😀';

function scriptOf({ depth, kind }: Shape): ReturnType<typeof script> {
  const ask = kind === 'choice' ? choice('Approve', 'Refuse') : freeForm(QUESTION);
  const work = depth === 0 ? ask : delegate(scriptOf({ name: '', depth: depth - 1, kind }));
  return script([effect('before'), work, effect('after')]);
}

function answersOf({ kind }: Shape): [GoodAnswer, GoodAnswer] {
  if (kind === 'free') {
    const answer = (text: string): GoodAnswer => ({ input: freeText(text), result: { answer: text } });
    return [answer('the first 😀'), answer('the second')];
  }
  return [
    { input: pick('q1_o1'), result: { answer: 'Approve', option_id: 'q1_o1' } },
    { input: pick('q1_o2'), result: { answer: 'Refuse', option_id: 'q1_o2' } },
  ];
}

/** Starts one conversation of each shape and resolves when all wait and every run above knows. */
export async function startConversations(api: ApiCaller): Promise<Conversation[]> {
  return Promise.all(
    SHAPES.map(async (shape) => {
      const { run_id: root } = await api.start(scriptOf(shape));
      const line = [root];
      for (let depth = 0; depth < shape.depth; depth += 1) line.push(await firstChildOf(api, line.at(-1) ?? ''));
      const asker = line.at(-1) ?? '';
      await api.untilWaiting(asker);
      for (const above of line.slice(0, -1)) await untilEvent(api, above, 'child_needs_human');
      return { name: shape.name, line, root, asker, answers: answersOf(shape) };
    }),
  );
}

async function firstChildOf(api: ApiCaller, runId: string): Promise<string> {
  return (await untilEvent(api, runId, 'child.started')).data.child_run_id as string;
}

/** The first event of that type, as soon as there is one. */
export async function untilEvent(api: ApiCaller, runId: string, type: string) {
  let found: Awaited<ReturnType<ApiCaller['events']>>[number] | undefined;
  await eventually(async () => (found = (await api.events(runId)).find((event) => event.type === type)) !== undefined);
  if (!found) throw new Error(`no event ${type}`);
  return found;
}

/** Resolves once the run's worker answers again, after something was started anew. */
export async function untilServed(api: ApiCaller, runId: string): Promise<void> {
  const served = async () => (await api.call('GET', `/agents/${runId}/asks?state=all`)).status === 200;
  if (!(await eventually(served, 60))) throw new Error('nobody answers queries');
}

/** All that callers can see of a conversation: records, events, asks, transcripts. Only running clocks are left out. */
export async function pictureOf(api: ApiCaller, { line, root }: Pick<Conversation, 'line' | 'root'>) {
  const runs = [];
  for (const runId of line) {
    const { active_ms: _active, waiting_ms: _waiting, ...record } = await api.read(runId);
    const messages = (await api.call('GET', `/agents/${runId}/messages`)).body.messages;
    runs.push({ record, events: await api.events(runId), messages });
  }
  return { runs, asks: (await api.call('GET', `/agents/${root}/asks`)).body.asks };
}

/**
 * Waits for the end of a conversation and checks it: the agent got that answer, once, and every run went through each of its
 * effects once, whatever was killed on the way.
 */
export async function expectOneAnswer(
  api: ApiCaller,
  { line, asker }: Conversation,
  result: GoodAnswer['result'],
  effects: () => string[],
): Promise<void> {
  expect((await api.untilEnded(line[0] ?? '', 60)).status).toBe('completed');
  expect(await api.toolResults(asker, 'ask_a_human')).toEqual([result]);
  for (const runId of line) {
    const events = await api.events(runId);
    expect(events.map((event) => event.id)).toEqual(events.map((_event, k) => k + 1));
    const count = (type: string) => events.filter((event) => event.type === type).length;
    const asks = runId === asker ? 1 : 0;
    expect([count('ask.opened'), count('ask.answered')]).toEqual([asks, asks]);
    expect([count('child_needs_human'), count('child_ask_closed')]).toEqual([1 - asks, 1 - asks]);
    const own = effects().filter((effectLine) => effectLine.startsWith(`${runId} `));
    expect(own).toEqual([`${runId} before`, `${runId} after`]);
  }
}
