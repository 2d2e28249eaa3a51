/** In which order the transcripts of a conversation are told. */
import { FollowedRun } from '../../../api/ag-ui/followed-run';
import { ClientHistory } from '../../../api/ag-ui/messages';
import { Teller } from '../../../api/ag-ui/teller';
import type { SegmentWriter } from '../../../api/ag-ui/writer';
import type { Principal } from '../../../api/keys';
import type { RunService } from '../../../api/service/runs';
import type { Message, RunEvent } from '../../../workflows/contract';

const principal: Principal = { keyId: 'k', name: 'tester', workspace: 'acme', scopes: new Set() };
const says = (text: string): Message => ({ role: 'assistant', text, tool_calls: [] });
const calls = (id: string): Message => ({
  role: 'assistant',
  text: null,
  tool_calls: [{ id, tool: 'collect', args: {} }],
});
const event = (type: string, data: object = {}) => ({ id: 1, type, run_id: '', timestamp: '', data }) as RunEvent;
const turnEnded = event('step.completed', { step_id: 's2', name: 'model turn 2', status: 'completed' });

function conversation(transcripts: Record<string, Message[]>) {
  const told: string[] = [];
  const emit = ({ type, delta }: { type: string; delta?: string }) => {
    if (type === 'TEXT_MESSAGE_CONTENT') told.push(delta ?? '');
  };
  const writer = new Proxy({}, { get: (_none, name) => (name === 'emit' ? emit : () => ({})) }) as SegmentWriter;
  const service = {
    messages: (_who: Principal, runId: string, { from }: { from: number }) =>
      Promise.resolve({ messages: transcripts[runId]?.slice(from) ?? [], from, has_more: false }),
  } as unknown as RunService;
  const ignore = { childStarted: () => undefined, answerRejected: () => undefined };
  const teller = new Teller(writer, new ClientHistory([]), () => Promise.resolve(), ignore);
  const followed = (runId: string, parentId: string | null) =>
    new FollowedRun(service, principal, { runId, agent: 'a', parentId }, () => false);
  return { told, teller, root: followed('root', null), sub: followed('sub', 'root') };
}
const TRANSCRIPTS = { root: [calls('c1'), says('root, at its end')], sub: [says('sub')] };

test('of runs that are over, a caller’s last words come behind those of its sub-agent', async () => {
  const { told, teller, root, sub } = conversation(TRANSCRIPTS);
  for (const { view } of [root, sub]) view.take(event('run.completed', { result: null }));
  await teller.restate([root, sub]);
  expect(told).toEqual(['sub', 'root, at its end']);
});

test('last words that are in a transcript before the news of their turn wait for these', async () => {
  const { told, teller, root, sub } = conversation(TRANSCRIPTS);
  await teller.restate([root, sub]);
  expect(told).toEqual([]);
  sub.news.push(turnEnded, event('run.completed', { result: null }));
  await teller.pass(sub);
  root.news.push(event('ask.answered', { ask_id: 'q1' }));
  await teller.pass(root);
  expect(told).toEqual(['sub']);
  root.news.push(turnEnded, event('run.completed', { result: null }));
  await teller.pass(root);
  expect(told).toEqual(['sub', 'root, at its end']);
});
