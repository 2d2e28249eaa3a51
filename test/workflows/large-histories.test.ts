/** Runs whose history is larger than what gRPC takes in one message by default. */
import { freeForm, freeText, script } from '../support/scripts';
import { StreamReader } from '../support/sse';
import { TestStack } from '../support/stack';

/** gRPC's default for a received message. A page of the history goes by number of events, whatever their size. */
const GRPC_DEFAULT_BYTES = 4 * 1024 * 1024;

describe('a run with a large history', () => {
  let stack: TestStack;
  beforeAll(async () => (stack = await TestStack.start()));
  afterAll(() => stack.stop());

  const historyBytes = async (runId: string) => {
    const { raw } = await stack.client.workflow.getHandle(runId).describe();
    return Number(raw.workflowExecutionInfo?.historySizeBytes ?? 0);
  };

  test('is streamed to a watcher that comes late, from its first event to its last', async () => {
    const rounds = 12;
    const asks = Array.from({ length: rounds }, () => freeForm());
    const { run_id } = await stack.api.start({ ...script(asks), document: 'x'.repeat(240_000) });
    let round = 1;
    for (; round <= rounds; round += 1) {
      await stack.api.untilWaiting(run_id, `q${round}`);
      if ((await historyBytes(run_id)) > GRPC_DEFAULT_BYTES) break;
      expect((await stack.api.resume(run_id, freeText('go on'))).status).toBe(200);
    }
    expect(await historyBytes(run_id)).toBeGreaterThan(GRPC_DEFAULT_BYTES);

    const stream = await StreamReader.open(stack.api, run_id);
    await stream.until((reader) => reader.frames.at(-1)?.data.data.step_id === `q${round}`);
    for (; round <= rounds; round += 1) {
      await stack.api.untilWaiting(run_id, `q${round}`);
      expect((await stack.api.resume(run_id, freeText('go on'))).status).toBe(200);
    }
    await stream.until((reader) => reader.ended);
    expect(stream.ids).toEqual(stream.ids.map((_id, k) => k + 1));
    expect(stream.types.at(-1)).toBe('run.completed');
  });
});
