/** `holdpoint answer` from a script: which option is meant, and the same answer sent twice. */
import { TEST_KEY } from '../support/http';
import { choice, freeForm, script } from '../support/scripts';
import { TestStack } from '../support/stack';
import { runCli } from '../support/terminal';

describe('answers given by options', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start()));
  afterAll(() => stack.stop());

  const cli = (...args: string[]) => runCli(args, { HOLDPOINT_URL: stack.api.url, HOLDPOINT_API_KEY: TEST_KEY });
  const waiting = (...turns: Parameters<typeof script>[0]) => stack.api.startWaiting(script(turns));
  const results = (runId: string) => stack.api.untilAnswers(runId);

  test('an option is a label first, then an id, then a place', async () => {
    const answeredWith = async (option: string) => {
      const runId = await waiting(choice('q1_o2', 'Dog', '1'));
      expect((await cli('answer', runId, '--option', option)).code).toBe(0);
      return (await results(runId))[0];
    };
    expect(await answeredWith('q1_o2')).toMatchObject({ option_id: 'q1_o1' });
    expect(await answeredWith('1')).toMatchObject({ option_id: 'q1_o3' });
    expect(await answeredWith('q1_o3')).toMatchObject({ option_id: 'q1_o3' });
    expect(await answeredWith('2')).toMatchObject({ option_id: 'q1_o2' });
  });

  test('the same key and answer give the first outcome again, also once the run waits with the next question', async () => {
    const runId = await waiting(freeForm('First?'), freeForm('Second?'));
    const answer = (text: string, key: string) => cli('answer', runId, '--text', text, '--idempotency-key', key);
    expect((await answer('one', 'k1')).code).toBe(0);
    await stack.api.untilWaiting(runId, 'q2');
    expect(await answer('one', 'k1')).toMatchObject({ code: 0, stdout: `answered q1 of ${runId}: one\n` });
    expect((await answer('another', 'k1')).code).toBe(4);
    expect((await answer('two', 'k2')).code).toBe(0);
    expect(await results(runId)).toEqual([{ answer: 'one' }, { answer: 'two' }]);
    expect(await answer('two', 'k2')).toMatchObject({ code: 0, stdout: `answered q2 of ${runId}: two\n` });
    expect((await answer('three', 'k3')).code).toBe(4);
  });
});
