/** CONTRACT §6: ids rise by one for ever, a cursor gets what comes after it, once and in order. Case C15. */
import fc from 'fast-check';
import { jsonBytes, LIMITS, runEventSchema, type RunEvent } from '../../../workflows/contract';
import { EventLog, type EventLogData } from '../../../workflows/state/event-log';
import { expectGoodEvents, expectPlainJson } from '../../support/unit/runs';

const NOW = '2026-11-30T09:00:00.000Z';

class Log {
  data: EventLogData = { last_id: 0, events: [] };
  log = new EventLog(this.data, 'run_a');

  append(count = 1): void {
    for (let i = 0; i < count; i += 1) this.log.append('run.started', NOW, { agent: `agent ${this.log.lastId}` });
  }

  carry(): void {
    this.log.trimForCarrying();
    expectPlainJson(this.data);
    this.data = JSON.parse(JSON.stringify(this.data)) as EventLogData;
    this.log = new EventLog(this.data, 'run_a');
  }

  /** All that a reader gets who goes on from `after`, page by page. */
  walk(after: number, limit: number): RunEvent[] {
    const got: RunEvent[] = [];
    for (let cursor = after, more = true; more;) {
      const page = this.log.page(cursor, limit, NOW);
      got.push(...page.events);
      cursor = page.events.at(-1)?.id ?? cursor;
      more = page.has_more;
      if (more) expect(page.events.length).toBeGreaterThan(0);
    }
    return got;
  }
}

const idsOf = (events: readonly RunEvent[]) => events.map((event) => event.id);
const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);

test('ids rise by one through appending, trimming and continue-as-new, and the last 1,000 are kept', () => {
  const step = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 900 }) }, fc.constant('carry' as const));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const run = new Log();
      let appended = 0;
      for (const what of steps) {
        if (what === 'carry') run.carry();
        else {
          run.append(what);
          appended += what;
        }
        expect(run.log.lastId).toBe(appended);
        const kept = run.data.events;
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(appended, LIMITS.keptEvents));
        expect(kept.length).toBeLessThan(2 * LIMITS.keptEvents);
        expect(idsOf(kept)).toEqual(range(appended - kept.length + 1, appended));
      }
    }),
    { numRuns: 60 },
  );
});

test('any cursor gets exactly the events after it, once, in order, whatever the page size', () => {
  const run = new Log();
  run.append(2_600);
  const first = run.data.events[0]?.id ?? 0;
  expect(first).toBeGreaterThan(1);
  fc.assert(
    fc.property(fc.integer({ min: first - 1, max: 2_600 }), fc.integer({ min: 1, max: 1_000 }), (after, limit) => {
      expect(idsOf(run.walk(after, limit))).toEqual(range(after + 1, 2_600));
    }),
    { numRuns: 150 },
  );
});

test('two readers at different places do not disturb each other', () => {
  const run = new Log();
  run.append(10);
  const one = run.log.page(2, 3, NOW);
  const two = run.log.page(7, 3, NOW);
  expect([idsOf(one.events), idsOf(two.events)]).toEqual([
    [3, 4, 5],
    [8, 9, 10],
  ]);
  expect([one.has_more, two.has_more]).toEqual([true, false]);
  expect(run.log.page(2, 3, NOW)).toStrictEqual(one);
});

describe('a cursor that is lost', () => {
  test.each([0, 1, 500])('older than what is kept (%i) gets stream.reset and then what there is', (after) => {
    const run = new Log();
    run.append(2_600);
    const first = run.data.events[0]?.id ?? 0;
    const [reset, ...rest] = run.walk(after, 400);
    expect(reset).toStrictEqual({
      id: first - 1,
      type: 'stream.reset',
      run_id: 'run_a',
      timestamp: NOW,
      data: { first_event_id: first, last_event_id: 2_600 },
    });
    expect(runEventSchema.safeParse(reset).success).toBe(true);
    expect(idsOf(rest)).toEqual(range(first, 2_600));
    // Whoever stops at the reset resumes right behind it.
    expect(idsOf(run.walk(first - 1, 400))).toEqual(range(first, 2_600));
  });

  test.each([11, 12, 1_000_000, Number.MAX_SAFE_INTEGER, Infinity])('ahead of the newest (%d) gets it too', (after) => {
    const run = new Log();
    run.append(10);
    const [reset, ...rest] = run.walk(after, 4);
    expect(reset).toMatchObject({ id: 0, type: 'stream.reset', data: { first_event_id: 1, last_event_id: 10 } });
    expect(idsOf(rest)).toEqual(range(1, 10));
  });

  test('ahead of a log without events gets a reset to the start', () => {
    const run = new Log();
    expect(run.log.page(5, 10, NOW).events).toMatchObject([{ id: 0, type: 'stream.reset' }]);
    expect(run.log.page(0, 10, NOW)).toStrictEqual({
      events: [],
      first_event_id: 0,
      last_event_id: 0,
      has_more: false,
    });
  });

  test('a stream.reset is not kept: it is told to one reader', () => {
    const run = new Log();
    run.append(10);
    run.walk(99, 4);
    expect(run.log.lastId).toBe(10);
    expect(run.data.events).toHaveLength(10);
  });
});

test('the newest event as a cursor gets nothing, and no reset', () => {
  const run = new Log();
  run.append(10);
  expect(run.log.page(10, 100, NOW)).toMatchObject({ events: [], has_more: false });
});

test.each([NaN, 'abc', '', null, 1.5, {}, [], -0])(
  'the cursor %p, sent by hand, never is a silent empty page',
  (after) => {
    const run = new Log();
    run.append(3);
    const { events } = run.log.page(after as number, 100, NOW);
    expect(idsOf(events)).toEqual(after === 1.5 ? [2, 3] : [1, 2, 3]);
    for (const event of events) expect(event).toBeDefined();
  },
);

test('a page ends at about 1 MB, and always has at least one event', () => {
  const run = new Log();
  for (let i = 0; i < 30; i += 1) run.log.append('run.started', NOW, { agent: 'x'.repeat(200_000) });
  run.log.append('run.completed', NOW, { result: { text: 'x'.repeat(1_500_000) } });
  const page = run.log.page(0, 1_000, NOW);
  expect(page.has_more).toBe(true);
  expect(jsonBytes(page.events)).toBeLessThan(LIMITS.pageBytes + 1_000);
  expect(idsOf(run.walk(0, 1_000))).toEqual(range(1, 31));
  expect(idsOf(run.log.page(30, 1_000, NOW).events)).toEqual([31]);
});

test('small events are carried whole', () => {
  const run = new Log();
  run.append(1_000);
  const before = structuredClone(run.data);
  run.carry();
  expect(run.data).toStrictEqual(before);
});

test('files named with many answers are forgotten before the events are', () => {
  const run = new Log();
  const attachments = Array.from({ length: 20 }, (_file, k) => ({
    kind: 'file',
    filename: `${k} ${'漢'.repeat(200)}.pdf`,
    media_type: 'application/pdf',
    size_bytes: k,
  }));
  const by = { principal: 'ops', channel: 'mission_control', by: 'human', attachments } as const;
  for (let i = 0; i < 1_000; i += 1) run.log.append('ask.answered', NOW, { ask_id: `q${i}`, answer: 'yes', ...by });
  run.carry();
  expectGoodEvents(run.data.events);
  expect(idsOf(run.data.events)).toEqual(range(1, 1_000));
  expect(jsonBytes(run.data.events)).toBeLessThan(LIMITS.carriedBytes + 2_000);
});

test('large events are cut, the oldest first, and keep number, order, ids and form', () => {
  const run = new Log();
  for (let i = 0; i < 1_200; i += 1) {
    run.log.append('ask.answered', NOW, {
      ask_id: `q${i}`,
      answer: `${i} ${'漢'.repeat(3_900)}`,
      principal: 'ops',
      channel: 'http',
      by: 'human',
    });
  }
  run.carry();
  expectGoodEvents(run.data.events);
  expect(idsOf(run.data.events)).toEqual(range(201, 1_200));
  expect(jsonBytes(run.data.events)).toBeLessThan(LIMITS.carriedBytes + 2_000);
  const answers = run.data.events.map((event) => (event.data as { answer: string }).answer);
  expect(answers[0]).toMatch(/^200 漢+…$/);
  expect((answers.at(-1) ?? '').length).toBeGreaterThan(100);
  // Carrying what was carried changes nothing more.
  const once = structuredClone(run.data);
  run.carry();
  expect(run.data).toStrictEqual(once);
});
