/** CONTRACT §5 and §6: events as JSON pages, and where a stream or a page begins. */
import { runEventSchema } from '../../workflows/contract';
import { DocumentedCaller } from '../support/documented';
import { delegate, freeForm, freeText, script, sleep } from '../support/scripts';
import { StreamReader } from '../support/sse';
import { TestStack } from '../support/stack';

interface Page {
  run_id: string;
  events: { id: number; type: string; run_id: string; timestamp: string; data: Record<string, unknown> }[];
  first_event_id: number;
  last_event_id: number;
  has_more: boolean;
}

describe('events', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  let ended: string;
  let whole: Page;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = await DocumentedCaller.of(stack.api);
    ended = (await api.start(script([freeForm(), [sleep(10), sleep(20)], delegate(script([freeForm()]))]))).run_id;
    await api.untilWaiting(ended);
    await api.resume(ended, freeText('x'));
    const { children_awaiting } = await api.until(ended, (run) => run.children_awaiting.length === 1);
    await api.resume(children_awaiting[0]?.run_id ?? '', freeText('y'));
    await api.untilEnded(ended);
    whole = await page(ended);
  });
  afterAll(() => stack.stop());

  const page = async (runId: string, query = '') => {
    const { status, body } = await api.call<Page>('GET', `/agents/${runId}/events${query}`);
    expect(status).toBe(200);
    return body;
  };

  test('a page has every event in its form, ids from 1 on with no gap, times that never go back', () => {
    expect(whole).toMatchObject({ run_id: ended, first_event_id: 1, has_more: false });
    expect(whole.last_event_id).toBe(whole.events.length);
    expect(whole.events.map(({ id }) => id)).toEqual(whole.events.map((_event, index) => index + 1));
    for (const event of whole.events) expect(runEventSchema.parse(event)).toMatchObject({ run_id: ended });
    const times = whole.events.map(({ timestamp }) => timestamp);
    expect(times).toEqual([...times].sort());
    expect(whole.events[0]?.type).toBe('run.started');
    expect(whole.events.at(-1)?.type).toBe('run.completed');
    expect(whole.events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['ask.opened', 'step.paused', 'ask.answered', 'child.started', 'child.completed']),
    );
    const frame = whole.events.find(({ type }) => type === 'child_needs_human');
    expect(Object.keys(frame?.data ?? {}).sort()).toEqual(['child_run_id', 'question', 'timestamp']);
  });

  test('pages hold each event once, in order, and say whether there is more', async () => {
    for (const limit of [1, 2, 5, whole.events.length, 1_000]) {
      const found: Page['events'] = [];
      for (let more = true; more;) {
        const part = await page(ended, `?after=${found.at(-1)?.id ?? 0}&limit=${limit}`);
        expect(part).toMatchObject({ first_event_id: 1, last_event_id: whole.last_event_id });
        expect(part.events.length).toBeLessThanOrEqual(limit);
        found.push(...part.events);
        more = part.has_more;
        expect(more).toBe(found.length < whole.events.length);
      }
      expect(found).toEqual(whole.events);
    }
  });

  test('after the last event there is an empty page', async () => {
    expect(await page(ended, `?after=${whole.last_event_id}`)).toMatchObject({ events: [], has_more: false });
  });

  test('a cursor ahead of the newest event gets stream.reset and then what there is', async () => {
    for (const after of [whole.last_event_id + 1, 999_999_999_999]) {
      const { events } = await page(ended, `?after=${after}`);
      expect(events[0]).toMatchObject({
        type: 'stream.reset',
        run_id: ended,
        data: { first_event_id: 1, last_event_id: whole.last_event_id },
      });
      expect(runEventSchema.safeParse(events[0]).success).toBe(true);
      expect(events.slice(1)).toEqual(whole.events);
    }
  });

  test('a stream gives the same events as the pages, each with its id and type on its own line, and ends', async () => {
    const stream = await StreamReader.open(stack.api, ended);
    await stream.until(({ ended: over }) => over);
    expect(stream.frames.map(({ data }) => data)).toEqual(whole.events);
    for (const { id, event, data } of stream.frames) expect([id, event]).toEqual([String(data.id), data.type]);

    const later = await StreamReader.open(stack.api, ended, '3');
    await later.until(({ ended: over }) => over);
    expect(later.frames.map(({ data }) => data)).toEqual(whole.events.slice(3));
  });

  test('a stream of an ended run from its last event on is 204, so that nobody connects again and again', async () => {
    const headers = { accept: 'text/event-stream', 'last-event-id': String(whole.last_event_id) };
    const { status, text } = await api.call('GET', `/agents/${ended}/events`, undefined, headers);
    expect({ status, text }).toEqual({ status: 204, text: '' });
  });

  test('a stream with a cursor ahead of the newest event begins with stream.reset', async () => {
    for (const id of [String(whole.last_event_id + 7), '9'.repeat(20)]) {
      const stream = await StreamReader.open(stack.api, ended, id);
      await stream.until(({ ended: over }) => over);
      expect(stream.types[0]).toBe('stream.reset');
      expect(stream.frames.slice(1).map(({ data }) => data)).toEqual(whole.events);
    }
  });

  test.each(['abc', '', '-1', '1.5', '1e3', ' 3', 'NaN'])(
    'a garbage Last-Event-ID replays from the start, never a silent empty stream: %j',
    async (id) => {
      const stream = await StreamReader.open(stack.api, ended, id);
      await stream.until(({ ended: over }) => over);
      // A header's outer white space is none of its value.
      const from = id === ' 3' ? 3 : 0;
      expect(stream.frames.map(({ data }) => data)).toEqual(whole.events.slice(from));
    },
  );

  test('after goes for a stream too, and Last-Event-ID before it', async () => {
    const read = async (query: string, headers: Record<string, string>) => {
      const reply = await fetch(`${api.base}/agents/${ended}/events${query}`, {
        headers: { authorization: `Bearer ${api.key}`, accept: 'text/event-stream', ...headers },
      });
      return [...(await reply.text()).matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    };
    const ids = whole.events.map(({ id }) => id);
    expect(await read('?after=5', {})).toEqual(ids.slice(5));
    expect(await read('?after=5', { 'last-event-id': '8' })).toEqual(ids.slice(8));
  });

  test('an Accept that does not name a stream gets JSON', async () => {
    for (const accept of ['application/json', '*/*', 'text/html', 'text/event-streams', '']) {
      const reply = await api.call('GET', `/agents/${ended}/events`, undefined, { accept });
      expect({ accept, type: reply.headers.get('content-type') }).toEqual({
        accept,
        type: expect.stringMatching(/^application\/json/),
      });
    }
  });
});
