/** Crash matrix, first half: every process is killed while questions are open at every depth. */
import {
  expectOneAnswer,
  pictureOf,
  startConversations,
  untilServed,
  type Conversation,
} from '../support/conversations';
import { eventually } from '../support/http';
import { delegate, freeForm, freeText, script } from '../support/scripts';
import { Victims, VICTIMS, type Victim } from '../support/victims';

describe('a crash while questions are open', () => {
  const victims = new Victims();
  beforeAll(() => victims.startAll());
  afterAll(() => victims.stop());

  async function crash(all: readonly Victim[]): Promise<void> {
    for (const victim of all) await victims.kill(victim);
    for (const victim of [...all].reverse()) await victims.restart(victim);
  }

  const pictures = async (conversations: readonly Conversation[]) => {
    const all = [];
    for (const conversation of conversations) all.push(await pictureOf(victims.api, conversation));
    return all;
  };

  test.each<[string, readonly Victim[]]>([
    ...VICTIMS.map((victim): [string, readonly Victim[]] => [victim, [victim]]),
    ['all of them', VICTIMS],
  ])(
    'SIGKILL of %s changes nothing of what anyone sees, loses no answer and repeats no effect',
    async (_name, killed) => {
      const conversations = await startConversations(victims.api);
      const before = await pictures(conversations);

      await crash(killed);
      for (const { line } of conversations) for (const runId of line) await untilServed(victims.api, runId);

      // Ids, questions, times, order, events, transcripts: everything but running clocks.
      expect(await pictures(conversations)).toEqual(before);

      for (const conversation of conversations) {
        const [good] = conversation.answers;
        expect((await victims.api.resume(conversation.asker, good.input)).status).toBe(200);
        await expectOneAnswer(victims.api, conversation, good.result, () => victims.stack.effects());
      }
      const after = await pictures(conversations);
      after.forEach(({ runs }, c) =>
        runs.forEach(({ events }, r) => {
          const known = before[c]?.runs[r]?.events ?? [];
          expect(known.length).toBeGreaterThan(0);
          expect(events.slice(0, known.length)).toEqual(known);
        }),
      );
    },
  );

  test.each(VICTIMS)(
    'SIGKILL of %s keeps the order of the questions of one conversation, each of which goes to its own run',
    async (victim) => {
      const { api } = victims;
      // They ask in another order than the one they are started in: each waits at a gate until the test lets it ask.
      const child = (text: string) =>
        delegate(script([freeForm(`gate of ${text}`), freeForm(text)], text), { background: true });
      const { run_id: root } = await api.start(
        script([[child('third'), child('second'), child('fourth'), freeForm('first')]]),
      );
      const questions = async () => {
        const { body } = await victims.api.call<{ asks: { run_id: string; question: string; asked_at: string }[] }>(
          'GET',
          `/agents/${root}/asks`,
        );
        return body.asks;
      };
      const allAsk = () => eventually(async () => (await questions()).length === 4);
      expect(await allAsk()).toBe(true);
      for (const text of ['second', 'third', 'fourth']) {
        const gate = (await questions()).find(({ question }) => question === `gate of ${text}`)?.run_id ?? '';
        expect((await api.resume(gate, freeText('ask'))).status).toBe(200);
        await api.untilWaiting(gate, 'q2');
        expect(await allAsk()).toBe(true);
      }
      const before = await questions();
      expect(before.map(({ question }) => question)).toEqual(['first', 'second', 'third', 'fourth']);

      await crash([victim]);
      await untilServed(victims.api, root);
      expect(await questions()).toEqual(before);

      const reply = await victims.api.resume(before[2]?.run_id ?? '', freeText('to the third'));
      expect(reply.status).toBe(200);
      expect((await questions()).map(({ question }) => question)).toEqual(['first', 'second', 'fourth']);
      for (const { run_id, question } of await questions()) {
        expect((await victims.api.resume(run_id, freeText(`to the ${question}`))).status).toBe(200);
      }
      expect((await victims.api.untilEnded(root)).status).toBe('completed');
      for (const { run_id, question } of before) {
        const result = (await victims.api.toolResults(run_id, 'ask_a_human')).at(-1);
        expect(result).toEqual({ answer: `to the ${question}` });
      }
    },
  );
});
