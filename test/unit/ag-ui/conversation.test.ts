/** When a conversation cannot go on without a person, by what its runs have told. */
import { Conversation } from '../../../api/ag-ui/conversation';
import { RunView } from '../../../api/ag-ui/run-view';
import type { Question, RunEvent } from '../../../workflows/contract';

const question = (askedAt: string): Question => ({
  ask_id: 'q1',
  kind: 'free_form',
  question: '?',
  context: null,
  options: null,
  asked_at: askedAt,
  expires_at: null,
  assignee: null,
});

class Told {
  readonly conversation = new Conversation();
  private id = 0;

  add(runId: string, parentId: string | null): this {
    this.conversation.add(new RunView(runId, 'helper', parentId));
    return this;
  }

  tell(runId: string, type: string, data: object = {}): this {
    this.id += 1;
    const event = { id: this.id, run_id: runId, timestamp: '', type, data } as unknown as RunEvent;
    this.conversation.views.get(runId)?.take(event);
    return this;
  }

  begin(runId: string, step_id: string, name: string): this {
    return this.tell(runId, 'step.started', { step_id, name, status: 'running' });
  }

  asks(runId: string, askedAt = '2026-01-01T00:00:00.000Z'): this {
    this.begin(runId, 'q1', 'ask_a_human');
    return this.tell(runId, 'ask.opened', { ask_id: 'q1', question: question(askedAt) });
  }

  /** A delegation from its step on, its sub-agent known. */
  delegates(runId: string, childId: string, stepId: string): this {
    this.begin(runId, stepId, 'delegate helper');
    return this.tell(runId, 'child.started', { child_run_id: childId, agent: 'helper' }).add(childId, runId);
  }

  get stuck(): boolean {
    return this.conversation.isStuck();
  }
}

test('a run that works is not stuck, one that asks is, until it is answered', () => {
  const told = new Told().add('root', null);
  expect(told.stuck).toBe(false);
  told.begin('root', 's1', 'model turn 1');
  expect(told.stuck).toBe(false);
  told.tell('root', 'step.completed', { step_id: 's1', name: 'model turn 1', status: 'completed' }).asks('root');
  expect(told.stuck).toBe(true);
  told.conversation.answered.add('root:q1');
  expect(told.stuck).toBe(false);
  told.conversation.answered.clear();
  told.tell('root', 'ask.answered', { ask_id: 'q1' });
  expect(told.stuck).toBe(false);
  told.tell('root', 'run.completed', { result: null });
  expect(told.stuck).toBe(false);
});

test('a caller waits with its sub-agent, but not while it does something else, or has just been told of its end', () => {
  const told = new Told().add('root', null).delegates('root', 'child', 's1');
  expect(told.stuck).toBe(false);
  told.asks('child');
  expect(told.stuck).toBe(true);
  told.begin('root', 's2', 'sleep');
  expect(told.stuck).toBe(false);
  told.tell('root', 'step.completed', { step_id: 's2', name: 'sleep', status: 'completed' });
  expect(told.stuck).toBe(true);
  told.begin('root', 's3', 'collect');
  expect(told.stuck).toBe(true);
  // A span that an author has put around the delegation is no work of its own.
  told.begin('root', 'planning', 'Plan it');
  expect(told.stuck).toBe(true);
  told.tell('child', 'run.completed', { result: null });
  expect(told.stuck).toBe(false);
});

test('a question waits for every sub-agent that works, and for one that is about to start', () => {
  const told = new Told().add('root', null).asks('root').begin('root', 's1', 'delegate helper');
  expect(told.stuck).toBe(false);
  told.tell('root', 'child.started', { child_run_id: 'child', agent: 'helper' });
  // Nobody follows it yet.
  expect(told.stuck).toBe(false);
  told.add('child', 'root');
  expect(told.stuck).toBe(false);
  told.delegates('child', 'grandchild', 's1').asks('grandchild');
  expect(told.stuck).toBe(true);
  told.tell('grandchild', 'run.failed', { error: { code: 'x', message: 'x' } });
  expect(told.stuck).toBe(false);
  told.tell('child', 'run.cancelled');
  told.tell('root', 'child.failed', {
    child_run_id: 'child',
    agent: 'helper',
    status: 'cancelled',
    error: { code: 'x', message: 'x' },
  });
  told.tell('root', 'step.failed', { step_id: 's1', name: 'delegate helper', status: 'failed' });
  expect(told.stuck).toBe(true);
});

test('what waits comes oldest first, whoever was known first', () => {
  const told = new Told().add('root', null).delegates('root', 'a', 's1').delegates('root', 'b', 's2');
  told
    .asks('root', '2026-01-01T00:00:03.000Z')
    .asks('a', '2026-01-01T00:00:02.000Z')
    .asks('b', '2026-01-01T00:00:01.000Z');
  expect(told.conversation.waiting().map(({ id }) => id)).toEqual(['b:q1', 'a:q1', 'root:q1']);
});

test('a run whose first events are lost is no reason to wait for ever', () => {
  const told = new Told().add('root', null);
  told.tell('root', 'stream.reset', { first_event_id: 5, last_event_id: 9 });
  told.tell('root', 'child.started', { child_run_id: 'child', agent: 'helper' }).add('child', 'root').asks('child');
  expect(told.stuck).toBe(true);
});
