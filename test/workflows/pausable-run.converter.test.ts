/** A pausable run under a team's own payload converter, encrypting codec and interceptors. */
import { Client } from '@temporalio/client';
import { buildApp } from '../../api';
import { ApiCaller, eventually } from '../support/http';
import { freeText, pick } from '../support/scripts';
import { eventsOf } from '../support/history-facts';
import { EncryptionCodec } from '../support/library/encryption';
import { sendRaw, jsonPayload } from '../support/raw-signals';
import { bundleOf, LIBRARY_KEYS, LibraryStack } from '../support/library/stack';

const payloadConverterPath = require.resolve('../support/library/payload-converter');
const dataConverter = { payloadConverterPath, payloadCodecs: [new EncryptionCodec()] };

describe('with a data converter and interceptors of the team’s own', () => {
  let stack: LibraryStack;
  beforeAll(async () => {
    const bundle = await bundleOf(require.resolve('../support/library/workflows'), {
      payloadConverterPath,
      workflowInterceptorModules: [require.resolve('../support/library/interceptors')],
    });
    stack = await LibraryStack.start(bundle, { worker: { dataConverter }, client: { dataConverter } });
  });
  afterAll(() => stack.stop());

  test('record, events, asks and answers go through it, and nothing that a person may read is in the clear', async () => {
    const runId = await stack.begin('approveInvoice', [{ id: 'SECRET-1', amount: 4 }]);
    expect((await stack.api.untilWaiting(runId)).pending_input_context?.question).toBe('Approve SECRET-1 over 8?');
    expect(await stack.api.pendingAsks(runId)).toEqual([{ run_id: runId, ask_id: 'q1' }]);
    expect((await stack.api.resume(runId, pick('q2_o1'))).status).toBe(422);
    expect((await stack.api.resume(runId, pick('q1_o1'))).status).toBe(200);
    const ended = await stack.api.untilEnded(runId);
    expect(ended.result).toEqual({ outcome: 'Approve', option_id: 'q1_o1', total: 8 });
    expect(await stack.result(runId)).toEqual(ended.result);
    expect((await stack.api.events(runId)).map(({ type }) => type)).toContain('app.invoice.fetched');
    const history = JSON.stringify(await eventsOf(stack.client, runId), (key, value: unknown) =>
      key === 'data' && value instanceof Uint8Array ? Buffer.from(value).toString() : value,
    );
    for (const secret of ['Approve SECRET', 'ove SECRET-1', '1-TERCES', 'From **billing**', 'Reject']) {
      expect(history).not.toContain(secret);
    }
    const passed = await stack.client.workflow.getHandle(runId).query('passed');
    expect(passed).toEqual(['activity double', 'signal answer']);
  });

  test('an answer that the temporal program sends as plain JSON is read all the same, and junk wedges nothing', async () => {
    const runId = await stack.begin('asks', [{ kind: 'free_form', question: 'Well?' }]);
    await stack.api.untilWaiting(runId);
    await sendRaw(stack.client, runId, 'answer', [
      { metadata: { encoding: Buffer.from('json/reversed') }, data: Buffer.from('{{') },
    ]);
    await sendRaw(stack.client, runId, 'answer', [jsonPayload({ input: freeText('by hand') })]);
    expect(await stack.result(runId)).toEqual({ answer: 'by hand' });
  });

  test('an API without the codec cannot read it: a 404 to it, and no list fails over it', async () => {
    const runId = await stack.begin('asks', [{ kind: 'free_form', question: 'Well?' }]);
    await stack.api.untilWaiting(runId);
    const listed = async (api: ApiCaller) => {
      const { status, body } = await api.call<{ runs: { run_id: string }[] }>('GET', '/agents?agent=asks');
      return [status, body.runs.some((run) => run.run_id === runId)];
    };
    const app = await buildApp({
      client: new Client({ connection: stack.client.connection }),
      agents: new Map(),
      keys: LIBRARY_KEYS,
      rateLimit: 100_000,
    });
    const plain = new ApiCaller(await app.listen({ host: '127.0.0.1', port: 0 }), LIBRARY_KEYS[0]?.key);
    // Found by visibility by now, so the other one has come across it too.
    expect(await eventually(async () => (await listed(stack.api))[1] === true)).toBe(true);
    expect(await listed(plain)).toEqual([200, false]);
    const { status, body } = await plain.call('GET', `/agents/${runId}`);
    expect([status, body.error]).toEqual([404, 'run_not_found']);
    expect((await plain.resume(runId, freeText('x'))).status).toBe(404);
    await app.close();
    expect((await stack.api.resume(runId, freeText('x'))).status).toBe(200);
  });

  test('sub-runs and continue-as-new carry on under it', async () => {
    const runId = await stack.begin('ownHandlers', []);
    await stack.api.untilWaiting(runId, 'q1');
    expect((await stack.api.resume(runId, freeText('one'))).status).toBe(200);
    await stack.api.untilWaiting(runId, 'q2');
    await stack.client.workflow.getHandle(runId).signal('note', 'kept');
    expect((await stack.api.resume(runId, freeText('two'))).status).toBe(200);
    expect((await stack.api.untilEnded(runId)).result).toMatchObject({ round: 2, notes: ['kept'] });
    const invoice = { id: 'SECRET-2', amount: 1 };
    const parent = await stack.begin('coordinator', [{ agentInput: { turns: [], text: 'hi' }, invoice }]);
    const [child] = (await stack.api.until(parent, (run) => run.children_awaiting.length === 1)).children_awaiting;
    expect((await stack.api.resume(child?.run_id ?? '', pick('q1_o2'))).status).toBe(200);
    await stack.api.untilWaiting(parent);
    expect((await stack.api.resume(parent, freeText('ok'))).status).toBe(200);
    expect((await stack.api.untilEnded(parent)).result).toMatchObject({
      agent: { result: { text: 'hi' } },
      invoice: { result: { outcome: 'Reject' } },
    });
  });
});
