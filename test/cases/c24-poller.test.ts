/** C24 of CASES.md: the second question of a run never shows in the poller's view; and a poller that knows the root alone. */
import type { MissionStep } from '../../api/mission-control/schemas';
import { expectCleanHistories } from '../support/checks';
import { eventually, type ApiCaller } from '../support/http';
import { MissionControl, waitingStep } from '../support/mission-control';
import { choice, delegate, effect, freeForm, script, sleep } from '../support/scripts';
import { TestStack } from '../support/stack';

const POLL_MS = 200;

describe('C24 what a poller sees and answers', () => {
  let stack: TestStack;
  let api: ApiCaller;
  let amc: MissionControl;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = stack.api.bounded();
    amc = new MissionControl(stack.api);
  });
  afterAll(() => stack.stop());

  const expectConflict = async (runId: string, message: string, more: object, error: string): Promise<void> => {
    const { status, body } = await amc.message(runId, message, { ...more });
    expect({ status, body }).toEqual({ status: 409, body: { error, message: expect.any(String) } });
  };

  test('both questions of a run show, each under a step of its own, and each takes one answer', async () => {
    const second = 'What else? '.repeat(360).trim();
    const { run_id } = await api.start(script([choice('SMB', 'Enterprise'), effect('between'), freeForm(second)]));
    const first = await amc.untilWaiting(run_id);
    const asked = (await api.read(run_id)).pending_input_context;
    expect(first).toEqual({
      stepId: 'q1',
      name: 'ask_a_human',
      status: 'waiting',
      startedAt: asked?.asked_at,
      tokenCount: 0,
      delivered: 'Which one?\n\nOptions:\n- SMB\n- Enterprise\n- Other (reply in your own words)',
    });
    const waiting = await amc.status(run_id);
    expect(Object.keys(waiting)).toEqual(['orchestratorRunId', 'status', 'currentStep', 'totalSteps', 'steps']);
    expect(waiting).toMatchObject({
      orchestratorRunId: run_id,
      status: 'human_intervention',
      currentStep: 2,
      totalSteps: 2,
    });
    expect(waiting.steps[0]).toEqual(expect.objectContaining({ name: 'model turn 1', status: 'completed' }));

    await expectConflict(run_id, 'SMB', { stepId: 'q2' }, 'step_not_waiting');
    await expectConflict(run_id, 'SMB', { stepId: waiting.steps[0]?.stepId }, 'step_not_waiting');
    const taken = await amc.message(run_id, ' enterprise ', { stepId: 'q1', orchestratorRunId: run_id });
    expect(taken.status).toBe(200);
    expect(waitingStep(taken.body)?.stepId).not.toBe('q1');
    expect(taken.body.steps.find((step) => step.stepId === 'q1')).toMatchObject({ status: 'completed' });

    const next = await amc.untilWaiting(run_id, second);
    expect(next.stepId).toBe('q2');
    await expectConflict(run_id, 'Enterprise', { stepId: 'q1' }, 'step_not_waiting');
    expect((await amc.message(run_id, 'nothing', { stepId: 'q2' })).status).toBe(200);
    await expectConflict(run_id, 'nothing', { stepId: 'q2' }, 'run_not_waiting');

    await api.untilEnded(run_id);
    await expectConflict(run_id, 'nothing', { stepId: 'q2' }, 'run_not_waiting');
    const ended = await amc.status(run_id);
    expect(ended).toMatchObject({ status: 'completed', currentStep: ended.totalSteps });
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual([
      { answer: 'Enterprise', option_id: 'q1_o2' },
      { answer: 'nothing' },
    ]);
    expect(await amc.call('GET', '/runs/run_nobody/status')).toMatchObject({
      status: 404,
      body: { error: 'run_not_found' },
    });
    expect(await amc.message('run_nobody', 'x')).toMatchObject({ status: 404, body: { error: 'run_not_found' } });
    await expectCleanHistories(stack.client, run_id);
  });

  /** The root asks, and so do five sub-agents, one of them a level further down. They ask in another order than they start. */
  const asking = (name: string, ms: number) => script([sleep(ms), freeForm(`${name}?`)]);
  const conversation = () =>
    script([
      [
        delegate(asking('late', 1_200)),
        delegate(script([delegate(asking('deep', 900))])),
        delegate(asking('early', 1)),
        delegate(asking('middle', 600), { background: true }),
        delegate(script([freeForm('twice, first?'), freeForm('twice, then?')])),
        freeForm('root?'),
      ],
    ]);

  /** Polls like Mission Control does, knowing nothing but the root's id, and answers whatever waits, one at a time. */
  const answerAll = async (root: string): Promise<{ delivered: string; stepId: string }[]> => {
    const answered: { delivered: string; stepId: string }[] = [];
    const done = await eventually(async () => {
      const status = await amc.status(root);
      const step = waitingStep(status);
      if (step) {
        const { stepId, delivered = '' } = step;
        expect((await amc.message(root, `an answer to ${delivered}`, { stepId })).status).toBe(200);
        answered.push({ stepId, delivered });
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      return status.status === 'completed';
    }, 60);
    expect(done).toBe(true);
    return answered;
  };

  const closedAsks = async (root: string) => {
    const { body } = await api.call<{ asks: Record<string, string>[] }>('GET', `/agents/${root}/asks?state=all`);
    return body.asks;
  };

  test('all that a conversation asks is answered through the root, oldest first, each by its own answer', async () => {
    const { run_id: root } = await api.start(conversation());
    // Everybody waits: from here on it is certain what is oldest.
    await api.until(root, (run) => run.status === 'awaiting_input' && run.children_awaiting.length === 5);
    const order = (await closedAsks(root)).map(({ question }) => question);
    const answered = await answerAll(root);
    expect(answered.map(({ delivered }) => delivered)).toEqual([...order, 'twice, then?']);
    for (const { question, answer, channel, state } of await closedAsks(root)) {
      const told = { state: 'answered', channel: 'mission_control', answer: `an answer to ${question}` };
      expect({ state, channel, answer }).toEqual(told);
    }
    // A sub-agent's question shows on the step that delegated to it, both of one sub-agent on the same.
    // A worker too busy to tell the steps of a run leaves them out.
    let steps: MissionStep[] = [];
    await eventually(async () => (steps = (await amc.status(root)).steps).length > 0);
    const stepOf = (question: string) => answered.find(({ delivered }) => delivered === question)?.stepId;
    const delegations = steps.filter((step) => step.name.startsWith('delegate')).map((step) => step.stepId);
    expect(['late?', 'deep?', 'early?', 'middle?', 'twice, first?'].map(stepOf)).toEqual(delegations);
    expect(stepOf('twice, then?')).toBe(stepOf('twice, first?'));
    expect(stepOf('root?')).toBe('q1');
    expect(steps.map((step) => step.status)).toEqual(steps.map(() => 'completed'));
  });

  test('so it is when the poller is there from the start and questions come while it answers', async () => {
    const { run_id: root } = await api.start(conversation());
    const answered = await answerAll(root);
    expect(answered).toHaveLength(7);
    for (const { question, answer } of await closedAsks(root)) expect(answer).toBe(`an answer to ${question}`);
    await expectCleanHistories(stack.client, root);
  });
});
