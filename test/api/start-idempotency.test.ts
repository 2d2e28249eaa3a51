/** CONTRACT §5: `Idempotency-Key` on a start gives the same run again. */
import { randomUUID } from 'node:crypto';
import { LIMITS } from '../../workflows/contract';
import { DocumentedCaller } from '../support/documented';
import { OTHER_KEY } from '../support/http';
import { refusal, refusedAs } from '../support/refusals';
import { freeForm, freeText, script } from '../support/scripts';
import { TestStack } from '../support/stack';

const BODY = { agent: 'scripted', input: script([freeForm()]), metadata: { a: 1, b: { c: 2, d: 3 } } };

describe('Idempotency-Key on a start', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = await DocumentedCaller.of(stack.api);
  });
  afterAll(() => stack.stop());

  const start = (body: unknown, key: string, caller = api) =>
    caller.call('POST', '/agents', body, { 'idempotency-key': key });
  const conflict = async (body: unknown, key: string) =>
    expect(refusal(key, await start(body, key))).toEqual(refusedAs(key, 409, 'idempotency_conflict'));

  test('the same key and body give the same run again, as it is by now: 201 with its address', async () => {
    const key = randomUUID();
    const first = await start(BODY, key);
    const id = first.body.run_id as string;
    expect(first.status).toBe(201);
    expect(id).toMatch(/^run_[0-9a-z]{20,}$/);

    await api.untilWaiting(id);
    const again = await start(BODY, key);
    expect(again).toMatchObject({ status: 201, body: { run_id: id, status: 'awaiting_input' } });
    expect(again.headers.get('location')).toBe(first.headers.get('location'));

    expect((await api.resume(id, freeText('x'))).status).toBe(200);
    await api.untilEnded(id);
    expect(await start(BODY, key)).toMatchObject({ status: 201, body: { run_id: id, status: 'completed' } });
  });

  test('white space, the order of keys, and a default spelled out do not make another body', async () => {
    const key = randomUUID();
    const { run_id } = (await start(BODY, key)).body;
    const { metadata: _metadata, ...rest } = BODY;
    const reordered = { metadata: { b: { d: 3, c: 2 }, a: 1 }, ...rest };
    for (const body of [reordered, JSON.stringify(BODY, null, 3), { ...BODY, on_question: 'pause', assignee: null }]) {
      expect(await start(body, key)).toMatchObject({ status: 201, body: { run_id } });
    }
  });

  test('the same key with another body is 409, and starts nothing', async () => {
    const key = randomUUID();
    const { run_id } = (await start(BODY, key)).body;
    const others = [
      { ...BODY, input: {} },
      { ...BODY, on_question: 'auto' },
      { ...BODY, assignee: 'sam' },
      { ...BODY, metadata: { a: 1, b: { c: 2, d: 4 } } },
      { ...BODY, metadata: { a: '1', b: { c: 2, d: 3 } } },
    ];
    for (const body of others) await conflict(body, key);
    expect(await start(BODY, key)).toMatchObject({ status: 201, body: { run_id } });
  });

  test('a body that is refused does not use up its key', async () => {
    const key = randomUUID();
    expect((await start({ ...BODY, agent: 'nobody' }, key)).status).toBe(422);
    expect((await start('{', key)).status).toBe(400);
    expect((await start(BODY, key)).status).toBe(201);
  });

  test('many starts with one key at once are one run, and every caller gets it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const key = randomUUID();
      const replies = await Promise.all(Array.from({ length: 12 }, () => start(BODY, key)));
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
      expect(new Set(replies.map(({ body }) => body.run_id)).size).toBe(1);
    }
  });

  test('of two bodies at once under one key, one becomes a run and the other is 409', async () => {
    for (let round = 0; round < 5; round += 1) {
      const key = randomUUID();
      const bodies = [BODY, { ...BODY, assignee: 'sam' }];
      const replies = await Promise.all([...bodies, ...bodies, ...bodies].map((body) => start(body, key)));
      const taken = replies.filter(({ status }) => status === 201);
      expect(new Set(taken.map(({ body }) => body.run_id)).size).toBe(1);
      expect(new Set(taken.map(({ body }) => body.assignee)).size).toBe(1);
      expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409]);
    }
  });

  test('with a run_id of its own the key gives that run again, and only for the same body', async () => {
    const key = randomUUID();
    const run_id = `chosen_${randomUUID()}`;
    for (let round = 0; round < 2; round += 1) {
      expect(await start({ ...BODY, run_id }, key)).toMatchObject({ status: 201, body: { run_id } });
    }
    await conflict({ ...BODY, run_id, assignee: 'sam' }, key);
    // Without the key, or with another, the id is simply taken.
    expect(refusal(0, await api.call('POST', '/agents', { ...BODY, run_id }))).toEqual(refusedAs(0, 409, 'run_exists'));
    expect(refusal(0, await start({ ...BODY, run_id }, randomUUID()))).toEqual(refusedAs(0, 409, 'run_exists'));
  });

  test('a key that has started a run does not start another one under a chosen id', async () => {
    const key = randomUUID();
    expect((await start(BODY, key)).status).toBe(201);
    const run_id = `chosen_${randomUUID()}`;
    await conflict({ ...BODY, run_id }, key);
    expect((await api.call('GET', `/agents/${run_id}`)).status).toBe(404);
  });

  test('a key that has started a run under a chosen id starts no other one; one whose id was taken may try again', async () => {
    const [key, other] = [randomUUID(), randomUUID()];
    const [run_id, free] = [`chosen_${randomUUID()}`, `chosen_${randomUUID()}`];
    expect((await start({ ...BODY, run_id }, key)).status).toBe(201);
    await conflict({ ...BODY, run_id: free }, key);
    await conflict(BODY, key);
    expect((await api.call('GET', `/agents/${free}`)).status).toBe(404);
    expect(refusal(0, await start({ ...BODY, run_id }, other))).toEqual(refusedAs(0, 409, 'run_exists'));
    expect(await start({ ...BODY, run_id: free }, other)).toMatchObject({ status: 201, body: { run_id: free } });
  });

  test('keys of two workspaces have nothing to do with each other', async () => {
    const key = randomUUID();
    const mine = (await start(BODY, key)).body.run_id as string;
    const theirs = await start({ ...BODY, assignee: 'sam' }, key, api.as(OTHER_KEY));
    expect(theirs.status).toBe(201);
    expect(theirs.body.run_id).not.toBe(mine);
    expect((await api.as(OTHER_KEY).call('GET', `/agents/${mine}`)).status).toBe(404);
  });

  test.each([
    ['empty', ''],
    ['blank', '   '],
    ['too long', 'k'.repeat(LIMITS.idempotencyKey + 1)],
    ['not ASCII', 'clé'],
    ['with a tab', 'a\tb'],
  ])('a key that is %s is 400, and starts nothing', async (_name, key) => {
    const assignee = `nobody-${randomUUID()}`;
    const reply = await start({ ...BODY, assignee }, key);
    expect(refusal(key, reply)).toEqual(refusedAs(key, 400, 'malformed_request'));
    expect((await api.call('GET', `/agents?assignee=${assignee}`)).body.runs).toEqual([]);
  });

  test('a key may be as long as the limit and hold any visible ASCII', async () => {
    for (const key of [
      'k',
      `${randomUUID()}${'~'.repeat(LIMITS.idempotencyKey - 36)}`,
      `"a, b"; {c} ${randomUUID()}`,
    ]) {
      const { status, body } = await start(BODY, key);
      expect(status).toBe(201);
      expect((await start(BODY, key)).body.run_id).toBe(body.run_id);
    }
  });
});
