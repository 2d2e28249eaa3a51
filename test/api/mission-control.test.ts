/** CONTRACT §7 and the seed "Ask a person mid-run": messages, assignee, refusals, endings, events. C07, C08, C10. */
import { expectCleanHistories } from '../support/checks';
import { DocumentedCaller } from '../support/documented';
import { TEST_KEYS } from '../support/http';
import { MissionControl, waitingStep } from '../support/mission-control';
import { choice, delegate, freeForm, freeText, script, sleep } from '../support/scripts';
import { TestStack } from '../support/stack';

const COLLEAGUE = 'colleague-key-0000000';
const READ_ONLY = 'read-only-key-0000000';
const FILES = '\n\n[Attached file: rates.pdf (file, 82 KB)]';
/** The body of the seed, but for its ids. */
const SEED = {
  message: `Approved. Use the March exchange rate.${FILES}`,
  attachments: [
    { kind: 'file', filename: 'rates.pdf', mediaType: 'application/pdf', sizeBytes: 84213, foundryFileId: null },
  ],
};

describe('Agent Mission Control', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  let amc: MissionControl;
  beforeAll(async () => {
    const readOnly = { name: 'reader', key: READ_ONLY, workspace: 'acme', scopes: ['read' as const] };
    const colleague = { name: 'colleague', key: COLLEAGUE, workspace: 'acme' };
    stack = await TestStack.start({ app: { keys: [...TEST_KEYS, readOnly, colleague] } });
    api = await DocumentedCaller.of(stack.api);
    amc = new MissionControl(stack.api, api);
  });
  afterAll(() => stack.stop());

  /** A run that waits with this ask, and goes on for a while afterwards. */
  const waitingWith = async (ask = freeForm(), more: Record<string, unknown> = {}) => {
    const { run_id } = await api.start(script([ask, sleep(600)]), more);
    const { stepId } = await amc.untilWaiting(run_id);
    return { run_id, stepId };
  };
  const family = async () => {
    const { run_id: parent } = await api.start(script([delegate(script([freeForm('child?'), sleep(600)]))]));
    const step = await amc.untilWaiting(parent, 'child?');
    const child = (await api.read(parent)).children_awaiting[0]?.run_id ?? '';
    return { parent, child, step };
  };

  test('the body of the seed is taken as it stands: the text for the agent, names and sizes on the answer, no file', async () => {
    const { run_id, stepId } = await waitingWith();
    const reply = await amc.message(run_id, SEED.message, { ...SEED, orchestratorRunId: run_id, stepId });
    expect(reply).toMatchObject({ status: 200, body: { orchestratorRunId: run_id, status: 'running' } });
    const attachments = [{ kind: 'file', filename: 'rates.pdf', media_type: 'application/pdf', size_bytes: 84_213 }];
    await api.untilEnded(run_id);
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual([{ answer: SEED.message }]);
    const { body } = await api.call<{ asks: unknown[] }>('GET', `/agents/${run_id}/asks?state=all`);
    const told = { principal: 'tester', channel: 'mission_control', by: 'human', attachments };
    expect(body.asks).toEqual([expect.objectContaining({ ...told, state: 'answered', given_by: null })]);
    const answered = (await api.events(run_id)).find((event) => event.type === 'ask.answered');
    expect(answered?.data).toEqual({ ask_id: 'q1', answer: SEED.message, ...told });
  });

  test.each([
    ['a label above a file', `approve${FILES}`, { answer: 'Approve', option_id: 'q1_o1' }],
    ['anything else', `Neither.${FILES}`, { answer: `Neither.${FILES}`, option_id: 'other' }],
  ])('to a choice, %s', async (_name, message, result) => {
    const { run_id } = await waitingWith(choice('Approve', 'Reject'));
    // Neither ids nor attachments have to be sent; null is as good as left out, and what is not known is let be.
    const rest = { orchestratorRunId: null, stepId: null, attachments: null, zzz: { new: true } };
    expect((await amc.message(run_id, message, rest)).status).toBe(200);
    await api.untilEnded(run_id);
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual([result]);
  });

  test('the assignee is told while there is one, of a sub-agent’s question too, and else left out', async () => {
    const email = 'sam@contoso.com';
    const { run_id } = await api.start(script([delegate(script([freeForm()]))]), { assignee: email });
    await amc.untilWaiting(run_id);
    expect(await amc.status(run_id)).toMatchObject({ status: 'human_intervention', assigneeRef: email });
    const { body } = await amc.message(run_id, 'yes');
    expect(body.assigneeRef).toBe(email);
    await api.untilEnded(run_id);
    expect((await amc.status(run_id)).assigneeRef).toBe(email);
    const nobody = await waitingWith();
    expect(Object.keys(await amc.status(nobody.run_id))).not.toContain('assigneeRef');
  });

  test('a message that is no answer records nothing, and sending again works', async () => {
    const { run_id, stepId } = await waitingWith(choice('A', 'B'));
    const before = await stack.historyTypes(run_id);
    const status = await amc.status(run_id);
    const file = { kind: 'file', filename: 'a.pdf', mediaType: null, sizeBytes: 1 };
    const refused: [Record<string, unknown>, path: string][] = [
      [{ message: '' }, 'message'],
      [{ message: undefined }, 'message'],
      [{ message: ' \u200b\n' }, 'message'],
      [{ message: FILES, attachments: [file] }, 'message'],
      [{ message: 'Other' }, 'message'],
      [{ message: '😀'.repeat(4_001) }, 'message'],
      [{ message: 42 }, 'message'],
      [{ message: null }, 'message'],
      [{ message: ['A'] }, 'message'],
      [{ message: 'A', stepId: 1 }, 'stepId'],
      [{ message: 'A', orchestratorRunId: 'run_another' }, 'orchestratorRunId'],
      [{ message: 'A', attachments: {} }, 'attachments'],
      [{ message: 'A', attachments: Array.from({ length: 21 }, () => file) }, 'attachments'],
      [{ message: 'A', attachments: [file, { ...file, filename: ' ' }] }, 'attachments.1.filename'],
      [{ message: 'A', attachments: [{ ...file, filename: 'x'.repeat(256) }] }, 'attachments.0.filename'],
      [{ message: 'A', attachments: [{ ...file, sizeBytes: '82 KB' }] }, 'attachments.0.sizeBytes'],
      [{ message: 'A', attachments: [{ ...file, mediaType: 'x'.repeat(128) }] }, 'attachments.0.mediaType'],
      [{ message: 'A', attachments: [{ filename: undefined }] }, 'attachments.0.filename'],
    ];
    for (const [body, path] of refused) {
      const reply = await amc.call('POST', `/runs/${run_id}/messages`, { stepId, ...body });
      const issues = [expect.objectContaining({ path })];
      expect({ sent: body, status: reply.status, body: reply.body }).toEqual({
        sent: body,
        status: 422,
        body: { error: 'invalid_input', message: expect.any(String), issues },
      });
    }
    for (const body of ['[]', '"A"', 'null', '{']) {
      const reply = await amc.call('POST', `/runs/${run_id}/messages`, body);
      expect([400, 422]).toContain(reply.status);
    }
    expect(await amc.status(run_id)).toEqual(status);
    expect(await stack.historyTypes(run_id)).toEqual(before);
    // 4,000 characters are fine, whatever they take.
    const longest = '😀'.repeat(4_000);
    expect((await amc.message(run_id, longest, { stepId })).status).toBe(200);
    await api.untilEnded(run_id);
    expect(await api.toolResults(run_id, 'ask_a_human')).toEqual([{ answer: longest, option_id: 'other' }]);
  });

  test('of two identical messages one is taken, at once or one after the other, direct or to a sub-agent', async () => {
    const direct = await waitingWith();
    const { parent, step } = await family();
    for (const [run, stepId] of [
      [direct.run_id, direct.stepId],
      [parent, step.stepId],
    ] as const) {
      const replies = await Promise.all([amc.message(run, 'same', { stepId }), amc.message(run, 'same', { stepId })]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
      const late = await amc.message(run, 'same', { stepId });
      expect(late).toMatchObject({ status: 409, body: { error: expect.stringMatching(/^(run|step)_not_waiting$/) } });
      await api.untilEnded(run);
    }
  });

  test('whichever door an answer comes through, the status is rid of the question at once, and of the next one it is not', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { parent, child, step } = await family();
      expect(step).toMatchObject({ name: 'delegate scripted', delivered: 'child?' });
      // The sub-agent is a run like any other: seen from it, it asks itself.
      expect(waitingStep(await amc.status(child))).toMatchObject({ stepId: 'q1', delivered: 'child?' });
      const door = round % 2 === 0 ? api.resume(child, freeText('yes')) : amc.message(child, 'yes');
      expect((await door).status).toBe(200);
      const [above, itself] = await Promise.all([amc.status(parent), amc.status(child)]);
      expect([above.status, itself.status]).toEqual(['running', 'running']);
      await api.untilEnded(parent);
      expect([(await amc.status(parent)).status, (await amc.status(child)).status]).toEqual(['completed', 'completed']);
      await expectCleanHistories(stack.client, parent, child);
    }
  });

  test('a run that is cancelled while anybody asks waits no more on the next poll', async () => {
    const direct = await waitingWith();
    const { parent, child, step } = await family();
    for (const [run, stepId] of [
      [direct.run_id, direct.stepId],
      [parent, step.stepId],
    ] as const) {
      expect((await api.call('POST', `/agents/${run}/cancel`)).status).toBe(202);
      expect(['running', 'cancelled']).toContain((await amc.status(run)).status);
      const late = await amc.message(run, 'too late', { stepId });
      expect(late).toMatchObject({ status: 409, body: { error: 'run_not_waiting' } });
      await api.untilEnded(run);
      const ended = await amc.status(run);
      expect(ended.status).toBe('cancelled');
      expect(ended.steps.find((other) => other.stepId === stepId)).toMatchObject({ status: 'cancelled' });
    }
    expect((await amc.status(child)).status).toBe('cancelled');
    const terminated = await waitingWith();
    await stack.client.workflow.getHandle(terminated.run_id).terminate();
    const ended = await amc.status(terminated.run_id);
    expect(ended).toMatchObject({ status: 'failed' });
    expect(ended.steps.at(-1)).toMatchObject({ stepId: 'q1', status: 'cancelled' });
  });

  test('a question that a colleague holds is 409 claimed, and shows on', async () => {
    const { run_id } = await waitingWith();
    expect((await api.as(COLLEAGUE).call('POST', `/agents/${run_id}/claim`, { ask_id: 'q1' })).status).toBe(200);
    expect(await amc.message(run_id, 'mine')).toMatchObject({ status: 409, body: { error: 'claimed' } });
    expect((await amc.status(run_id)).status).toBe('human_intervention');
    expect((await new MissionControl(api.as(COLLEAGUE)).message(run_id, 'mine')).status).toBe(200);
  });
});
