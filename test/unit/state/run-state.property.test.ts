/** Whatever happens to a run, in whatever order: what must hold at every moment (CONTRACT §2 to §6). */
import fc from 'fast-check';
import { closedUnanswered, type RunSnapshot } from '../../../workflows/contract';
import { takeAnswer } from '../../../workflows/state/judge';
import { askOfChoices, expectGoodEvents, expectPlainJson, TestRun } from '../../support/unit/runs';

type Happening = (run: TestRun) => void;

const args = fc.constantFrom<unknown>(
  { kind: 'free_form', question: 'Which quarter?' },
  askOfChoices(['A', 'B', 'Other']),
  askOfChoices(['A']),
  null,
);
const input = fc.constantFrom<unknown>(
  { kind: 'free_form', text: 'x' },
  { kind: 'free_form', text: '' },
  { kind: 'multiple_choice', option_id: 'q1_o1' },
  { kind: 'multiple_choice', option_id: 'q2_o2' },
  { kind: 'multiple_choice', option_id: 'other', other_text: ' written ' },
  { kind: 'decline', reason: 'no' },
  null,
);
const childId = fc.constantFrom('c1', 'c2', 'c3');

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: args.map(
      (given): Happening =>
        (run) =>
          void run.state.openAsk(given),
    ),
  },
  {
    weight: 6,
    arbitrary: fc
      .record(
        {
          input,
          ask_id: fc.constantFrom('q1', 'q2', 'q3', 'none'),
          answer_id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
        },
        { requiredKeys: ['input'] },
      )
      .map(
        (signal): Happening =>
          (run) =>
            void takeAnswer(run.state, signal),
      ),
  },
  fc.integer({ min: 1, max: 5_000 }).map(
    (ms): Happening =>
      (run) =>
        run.tick(ms),
  ),
  childId.map((run_id): Happening => (run) => {
    if (!run.state.children.find(run_id)) run.startChild(run_id);
  }),
  fc
    .tuple(childId, fc.constantFrom([], ['c1']), fc.integer({ min: 1, max: 2 }))
    .map(([id, between, n]): Happening => (run) => {
      const more = { context: null, options: null, expires_at: null, assignee: null };
      const question = { ask_id: `q${n}`, kind: 'free_form' as const, question: 'Q', asked_at: run.now(), ...more };
      const ancestors = [...between, 'run_root'];
      run.state.childNeedsHuman({ child_run_id: id, question, timestamp: question.asked_at, ancestors });
    }),
  fc.tuple(childId, fc.integer({ min: 1, max: 2 })).map(([child_run_id, n]): Happening => (run) => {
    const closing = closedUnanswered('expired', run.now());
    run.state.childAskClosed({ child_run_id, ask_id: `q${n}`, outcome: 'expired', closing });
  }),
  fc.tuple(childId, fc.boolean()).map(([id, good]): Happening => (run) => {
    const child = run.state.children.find(id);
    if (child?.status !== 'running') return;
    const error = { code: 'boom', message: 'no' };
    if (good) run.state.childEnded(child, { status: 'completed', result: 1, error: null });
    else run.state.childEnded(child, { status: 'failed', result: null, error });
  }),
  fc.constant<Happening>((run) => run.state.withdrawAsk()),
  fc.constant<Happening>((run) => void run.continueAsNew()),
);

/** What of a snapshot the memo shows: it has to be published when it changes. */
const shown = ({ last_event_id: _id, updated_at: _at, ...rest }: RunSnapshot) => rest;

test('at every moment the record, the steps, the lists and the events tell the same story', () => {
  let pauses = 0;
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 30 }), (happenings) => {
      const run = new TestRun();
      const askIds: string[] = [];
      let lastId = 0;
      for (const happen of happenings) {
        const before = {
          snapshot: structuredClone(run.state.snapshot()),
          revision: run.state.revision,
          state: run.state,
        };
        happen(run);
        const { state } = run;
        const snapshot = state.snapshot();

        expect(snapshot.status === 'awaiting_input').toBe(snapshot.pending !== null);
        const waiting = state.steps.list().filter((step) => step.status === 'waiting');
        expect(waiting.map((step) => step.step_id)).toEqual(snapshot.pending ? [snapshot.pending.ask_id] : []);
        const listed = state.pageOfAsks('pending', 0).asks;
        const below = snapshot.children_awaiting.map(({ run_id, ask_id }) => ({ run_id, ask_id }));
        expect(listed.filter((ask) => ask.run_id !== 'run_root').map(({ run_id, ask_id }) => ({ run_id, ask_id }))).toEqual(below); // prettier-ignore
        for (const { step_id } of snapshot.children_awaiting) {
          if (step_id !== undefined) expect(state.steps.find(step_id)).toMatchObject({ kind: 'delegation' });
        }
        expect(listed.filter((ask) => ask.run_id === 'run_root').map((ask) => ask.question)).toEqual(snapshot.pending ? [snapshot.pending] : []); // prettier-ignore
        for (const ask of state.pageOfAsks('all', 0).asks) expect(ask.closing === null).toBe(ask.state === 'pending');

        if (state === before.state && JSON.stringify(shown(snapshot)) !== JSON.stringify(shown(before.snapshot))) {
          expect(state.revision).toBeGreaterThan(before.revision);
        }
        const pending = snapshot.pending?.ask_id;
        if (pending !== undefined && pending !== before.snapshot.pending?.ask_id) askIds.push(pending);
        expect(snapshot.last_event_id).toBeGreaterThanOrEqual(lastId);
        lastId = snapshot.last_event_id;
      }
      expect(askIds).toEqual(askIds.map((_, i) => `q${i + 1}`));
      pauses += askIds.length;
      expect(run.events.map((event) => event.id)).toEqual(run.events.map((_, i) => i + 1));
      expectGoodEvents(run.events);
      expectPlainJson(run.state.data);
      const opened = run.dataOf('ask.opened').length;
      const closed = run.events.filter((event) =>
        /^ask\.(answered|declined|withdrawn|expired)$/.test(event.type),
      ).length;
      expect(opened - closed).toBe(run.state.asks.pending ? 1 : 0);
    }),
    { numRuns: 400 },
  );
  expect(pauses).toBeGreaterThan(100);
});
