/** C11 of CASES.md: a nested agent's question never surfaces. */
import { expectCleanHistories } from '../support/checks';
import type { ApiCaller } from '../support/http';
import { choice, delegate, freeForm, freeText, pick, script } from '../support/scripts';
import { StreamReader, type Frame } from '../support/sse';
import { TestStack } from '../support/stack';

type Script = ReturnType<typeof script>;

describe('C11 a question at any depth is seen by every run above it', () => {
  let stack: TestStack;
  let api: ApiCaller;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = stack.api.bounded();
  });
  afterAll(() => stack.stop());

  /** A chain of runs, one inside the other, in which the last one runs `leaf`. Ids from the root down, with their streams. */
  const chain = async (depth: number, leaf: Script): Promise<{ ids: string[]; streams: StreamReader[] }> => {
    let input = leaf;
    for (let level = 1; level < depth; level += 1) input = script([delegate(input)], `level ${depth - level}`);
    const ids = [(await api.start(input)).run_id];
    const streams: StreamReader[] = [];
    for (let level = 0; level < depth; level += 1) {
      const stream = await StreamReader.open(api, ids[level]!);
      streams.push(stream);
      if (level === depth - 1) break;
      await stream.until((reader) => reader.types.includes('child.started'));
      ids.push(stream.frames.find((frame) => frame.event === 'child.started')?.data.data.child_run_id as string);
    }
    return { ids, streams };
  };

  const needsHuman = (stream: StreamReader): Frame[] =>
    stream.frames.filter((frame) => frame.event === 'child_needs_human');

  test.each([2, 3, 5])(
    'in a chain of %d runs: one frame on each stream above, of exactly three keys',
    async (depth) => {
      const { ids, streams } = await chain(depth, script([choice('A', 'B')], 'asked'));
      const asker = ids[depth - 1]!;
      const above = ids.slice(0, -1);
      const question = (await api.untilWaiting(asker)).pending_input_context;

      for (const stream of streams.slice(0, -1)) await stream.until((reader) => needsHuman(reader).length > 0);
      for (const runId of above) {
        expect(await api.read(runId)).toMatchObject({
          status: 'running',
          pending_input_context: null,
          children_awaiting: [{ run_id: asker, ask_id: 'q1' }],
        });
        expect(await api.pendingAsks(runId)).toEqual([{ run_id: asker, ask_id: 'q1' }]);
      }

      const frame = needsHuman(streams[depth - 2]!)[0]?.data.data as Record<string, string>;
      expect((await api.resume(frame.child_run_id ?? '', pick('q1_o2'))).status).toBe(200);
      for (const runId of ids) expect((await api.untilEnded(runId)).status).toBe('completed');
      expect(await api.toolResults(asker)).toEqual([{ answer: 'B', option_id: 'q1_o2' }]);
      expect(await api.toolResults(ids[0]!, 'delegate')).toEqual([
        { child_run_id: ids[1], result: { text: depth === 2 ? 'asked' : 'level 2' } },
      ]);

      for (const stream of streams) await stream.until((reader) => reader.ended);
      for (const stream of streams.slice(0, -1)) {
        // The whole stream, to its end: there was one frame, and it said what the question itself says.
        expect(needsHuman(stream).map(({ data }) => data.data)).toEqual([
          { child_run_id: asker, question, timestamp: expect.any(String) },
        ]);
        const { timestamp } = needsHuman(stream)[0]?.data.data as { timestamp: string };
        expect(new Date(timestamp).toISOString()).toBe(timestamp);
        const closed = stream.frames.filter(({ event }) => event === 'child_ask_closed');
        expect(closed.map(({ data }) => data.data)).toEqual([
          { child_run_id: asker, ask_id: 'q1', outcome: 'answered' },
        ]);
      }
      expect(needsHuman(streams[depth - 1]!)).toEqual([]);
      await expectCleanHistories(stack.client, ...ids);
    },
  );

  test('a grandchild that asks twice is heard twice, each time with its own question', async () => {
    const { ids, streams } = await chain(3, script([freeForm('First?'), freeForm('Second?')]));
    const asker = ids[2]!;
    for (const askId of ['q1', 'q2']) {
      await api.untilWaiting(asker, askId);
      await api.until(ids[0]!, (run) => run.children_awaiting.some((ask) => ask.ask_id === askId));
      expect((await api.resume(asker, freeText(askId))).status).toBe(200);
    }
    await api.untilEnded(ids[0]!);
    for (const stream of streams.slice(0, -1)) {
      await stream.until((reader) => reader.ended);
      const asked = needsHuman(stream).map(({ data }) => (data.data.question as { question: string }).question);
      expect(asked).toEqual(['First?', 'Second?']);
    }
    await expectCleanHistories(stack.client, ...ids);
  });

  test('an answer to the id of a run above the asking one is NOTWAITING, and reaches nobody', async () => {
    const { ids, streams } = await chain(3, script([freeForm()]));
    await api.untilWaiting(ids[2]!);
    for (const runId of ids.slice(0, 2)) {
      expect(await api.resume(runId, freeText('wrong id'))).toMatchObject({
        status: 409,
        body: { error: 'run_not_waiting' },
      });
    }
    expect((await api.resume(ids[2]!, freeText('right id'))).status).toBe(200);
    await api.untilEnded(ids[0]!);
    expect(await api.toolResults(ids[2]!)).toEqual([{ answer: 'right id' }]);
    for (const stream of streams) stream.drop();
  });
});
