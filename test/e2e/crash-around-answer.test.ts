/** Crash matrix, second half: every process is killed in the 100 ms around an answer. */
import {
  expectOneAnswer,
  startConversations,
  untilServed,
  type Conversation,
  type GoodAnswer,
} from '../support/conversations';
import { Victims, VICTIMS } from '../support/victims';

/** When the process is killed, in ms from the moment the answer is sent. */
const OFFSETS = [-50, -10, 0, 8, 16, 30, 60, 100];
/** No reply: the socket broke, or nobody listened. */
const NO_REPLY = 0;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

describe('a crash in the 100 ms around an answer', () => {
  const victims = new Victims();
  beforeAll(() => victims.startAll());
  afterAll(() => victims.stop());

  async function answer({ asker }: Conversation, { input }: GoodAnswer): Promise<number> {
    const { api } = victims;
    try {
      return (await api.resume(asker, input)).status;
    } catch {
      return NO_REPLY;
    }
  }

  /** What the agent must have been told, by what the sender was told; answers anew when the run still waits. */
  async function outcomeOf(conversation: Conversation, status: number): Promise<GoodAnswer> {
    const [first, second] = conversation.answers;
    await untilServed(victims.api, conversation.asker);
    const stillWaits = (await victims.api.read(conversation.asker)).status === 'awaiting_input';
    if (status === 200 || status === 202) {
      // Taken, or durable: by the time that a worker answers it has been judged.
      expect(stillWaits).toBe(false);
      expect(await answer(conversation, second)).toBe(409);
      return first;
    }
    if (!stillWaits) return first;
    expect(await answer(conversation, second)).toBe(200);
    return second;
  }

  describe.each(VICTIMS)('SIGKILL of %s', (victim) => {
    test.each(OFFSETS)(
      '%i ms from it: an answer that was taken reaches the agent, one that was not can be sent again, none counts twice',
      async (offset) => {
        const conversations = await startConversations(victims.api);

        const killed = sleep(offset).then(() => victims.kill(victim));
        const sent = sleep(-offset).then(() => Promise.all(conversations.map((each) => answer(each, each.answers[0]))));
        await killed;
        await victims.restart(victim);
        const replies = await sent;

        for (const [k, conversation] of conversations.entries()) {
          const status = replies[k] ?? -1;
          expect([200, 202, 503, NO_REPLY]).toContain(status);
          const { result } = await outcomeOf(conversation, status);
          await expectOneAnswer(victims.api, conversation, result, () => victims.stack.effects());
        }
      },
    );
  });
});
