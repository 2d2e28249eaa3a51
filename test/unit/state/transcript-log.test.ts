/** CONTRACT §5, messages: the transcript as the agent saw it, within what a payload may hold. */
import fc from 'fast-check';
import { jsonBytes, LIMITS, messageSchema, type Json, type Message } from '../../../workflows/contract';
import { TranscriptLog, type TranscriptData } from '../../../workflows/state/transcript-log';
import { expectPlainJson } from '../../support/unit/runs';

const task: Message = { role: 'user', content: { task: 'the task' } };
const call = (id: string, args: Json = {}) => ({ id, tool: 'sleep', args });
const turn = (ids: string[], args: Json = {}): Message => ({ role: 'assistant', text: null, tool_calls: ids.map((id) => call(id, args)) }); // prettier-ignore
const result = (id: string, value: Json): Message => ({ role: 'tool', tool_call_id: id, tool: 'sleep', result: value });

function transcript(messages: Message[] = [task]): { log: TranscriptLog; data: TranscriptData } {
  const data: TranscriptData = { dropped: 0, messages: [] };
  const log = new TranscriptLog(data);
  for (const message of messages) log.append(message);
  return { log, data };
}

/** `turns` turns of one call each, with results of `bytes`. */
function conversation(turns: number, bytes: number) {
  const made = transcript();
  for (let i = 0; i < turns; i += 1) {
    made.log.append(turn([`t${i}`]));
    made.log.append(result(`t${i}`, 'x'.repeat(bytes)));
  }
  return made;
}

function expectWellPaired(messages: readonly Message[]): void {
  for (const message of messages) expect(messageSchema.parse(message)).toStrictEqual(message);
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? message.tool_calls.map(({ id }) => id) : [],
  );
  const results = messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []));
  expect(results).toEqual(calls);
}

describe('a tool result', () => {
  test('that fits is kept as it is', () => {
    const { data } = transcript([task, turn(['a']), result('a', { answer: 'x'.repeat(200_000) })]);
    expect(data.messages[2]).toStrictEqual(result('a', { answer: 'x'.repeat(200_000) }));
  });

  const manyParts = Array.from({ length: 100_000 }, (_, i) => ({ i, text: `part ${i}` }));
  test.each([
    ['one long text', 'x'.repeat(3_000_000)],
    ['one long text of astral characters', '😀'.repeat(700_000)],
    ['one of control characters, six bytes each', '\u0001'.repeat(100_000)],
    ['many numbers', manyParts.map(({ i }) => i)],
    ['many small objects', manyParts],
    ['an object with many fields', Object.fromEntries(manyParts.map(({ text }) => [text, text]))],
    ['quotes and backslashes', manyParts.map(() => '"\\"')],
  ])('that is too large (%s) is stored cut, with a note', (_name, value) => {
    const { data } = transcript([task, turn(['a']), result('a', value)]);
    const stored = data.messages[2] as Extract<Message, { role: 'tool' }>;
    expect(stored.result).toStrictEqual({ cut: true, note: expect.stringMatching(/bytes/), result: expect.anything() });
    expect(jsonBytes(stored.result)).toBeLessThanOrEqual(LIMITS.toolResultBytes);
    expectPlainJson(stored);
  });
});

describe('a page', () => {
  test('walked from any position with any size gives every message from there, once, in order', () => {
    const { log } = conversation(25, 3);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 60 }), (start, limit) => {
        const got: Message[] = [];
        for (let from = start, more = true; more;) {
          const page = log.page(from, limit);
          expect(page.total).toBe(51);
          expect(page.from).toBe(Math.min(from, 51));
          got.push(...page.messages);
          from = page.from + page.messages.length;
          more = page.has_more;
          if (more) expect(page.messages.length).toBeGreaterThan(0);
        }
        expect(got).toStrictEqual(log.messages.slice(start));
      }),
    );
  });

  test('says at which position it is when older messages are no longer kept', () => {
    const { log, data } = conversation(30, 1_000);
    log.trim(10_000);
    expect(data.dropped).toBeGreaterThan(0);
    const total = 61;
    expect(log.page(0, 1)).toMatchObject({ messages: [task], from: 0, total, has_more: true });
    const rest = log.page(1, 1_000);
    expect(rest).toMatchObject({ from: data.dropped + 1, total, has_more: false });
    expect(rest.messages).toStrictEqual(log.messages.slice(1));
    expect(log.page(total - 1, 10)).toMatchObject({ from: total - 1, messages: [log.messages.at(-1)] });
    expect(log.page(total, 10)).toMatchObject({ from: total, messages: [], has_more: false });
  });

  test('ends at about 1 MB', () => {
    const { log } = conversation(20, 200_000);
    const page = log.page(0, 1_000);
    expect(page.has_more).toBe(true);
    expect(jsonBytes(page.messages)).toBeLessThan(LIMITS.pageBytes + 1_000);
  });
});

describe('trimming', () => {
  test('changes nothing that fits', () => {
    const { log, data } = conversation(10, 100);
    const before = structuredClone(data);
    log.trim(LIMITS.carriedBytes);
    expect(data).toStrictEqual(before);
  });

  test('drops whole turns, the oldest first; the task, the latest turn and positions stay', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.nat(3_000),
        fc.integer({ min: 2_000, max: 30_000 }),
        (turns, bytes, max) => {
          const { log, data } = conversation(turns, bytes);
          const before = [...data.messages];
          log.trim(max);
          expect(data.messages[0]).toStrictEqual(task);
          expectWellPaired(data.messages);
          expect(data.dropped + data.messages.length).toBe(before.length);
          expect(data.dropped % 2).toBe(0);
          const kept = before.slice(1 + data.dropped);
          expect(data.messages.slice(1).map(({ role }) => role)).toEqual(kept.map(({ role }) => role));
          expect(jsonBytes(data.messages)).toBeLessThan(max + 500);
          // Twice is once.
          const once = structuredClone(data);
          log.trim(max);
          expect(data).toStrictEqual(once);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('turns of several calls go whole', () => {
    const { log, data } = transcript();
    for (let i = 0; i < 10; i += 1) {
      const ids = ['a', 'b', 'c'].map((letter) => `${letter}${i}`);
      log.append(turn(ids));
      for (const id of ids) log.append(result(id, 'x'.repeat(500)));
    }
    log.trim(5_000);
    expect(data.dropped % 4).toBe(0);
    expectWellPaired(data.messages);
  });

  const numbers = Array.from({ length: 25_000 }, (_, i) => i);
  const fields = Object.fromEntries(numbers.map((i) => [`f${i}`, i]));
  test.each([
    ['long texts', 'x'.repeat(100_000), 'x'.repeat(250_000)],
    ['many small parts', numbers.slice(0, 20_000), numbers],
    ['many fields', fields, fields],
    ['text of three bytes', '漢'.repeat(40_000), '漢'.repeat(80_000)],
  ])(
    'the latest turn alone, too large with %s, is cut until it fits, each call with its result',
    (_name, args, value) => {
      const ids = Array.from({ length: 6 }, (_, i) => `call_${i}`);
      const input: Message = { role: 'user', content: 'the task '.repeat(20_000) };
      const { log, data } = transcript([input, turn(ids, args), ...ids.map((id) => result(id, value))]);
      expect(jsonBytes(data.messages)).toBeGreaterThan(LIMITS.transcriptBytes);
      log.trim(LIMITS.carriedBytes);
      expect(jsonBytes(data.messages)).toBeLessThanOrEqual(LIMITS.carriedBytes);
      expect(data.messages[0]).toStrictEqual(input);
      expectWellPaired(data.messages);
      expectPlainJson(data);
    },
  );
});
