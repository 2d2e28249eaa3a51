/** A run that cannot continue as new, since a sub-agent of it is unfinished, still never runs into the server's limit. */
import { delegate, freeForm, freeText, script, sleep } from '../support/scripts';
import { TestStack } from '../support/stack';

const AFTER = 10;
/** Eight times the threshold, and what one more turn may add. */
const TOO_LONG = 8 * AFTER + 30;

describe('with a sub-agent that waits for a person', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start({ continueAsNewAfter: AFTER })));
  afterAll(() => stack.stop());

  test('a run goes on, waits for it when its history gets too long, and continues as new once it has ended', async () => {
    const turns = Array.from({ length: 20 }, () => sleep(1));
    const { run_id } = await stack.api.start(script([delegate(script([freeForm()]), { background: true }), ...turns]));
    const { children_awaiting } = await stack.api.until(run_id, (run) => run.children_awaiting.length === 1);
    const handle = stack.client.workflow.getHandle(run_id);
    const first = (await handle.describe()).runId;
    const lengthOfFirst = async () => (await stack.client.workflow.getHandle(run_id, first).describe()).historyLength;

    while ((await lengthOfFirst()) < 8 * AFTER) await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await stack.api.resume(children_awaiting[0]?.run_id ?? '', freeText('go on'))).status).toBe(200);

    expect((await stack.api.untilEnded(run_id, 90)).status).toBe('completed');
    expect(await lengthOfFirst()).toBeLessThan(TOO_LONG);
    expect((await handle.describe()).runId).not.toBe(first);
    expect(await stack.api.toolResults(run_id, 'sleep')).toHaveLength(20);
  });
});
