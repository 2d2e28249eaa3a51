/** CONTRACT §5, 422 `invalid_input`, and §4: the body that starts a run. Nothing is coerced, stripped or cut. */
import { DocumentedCaller } from '../support/documented';
import { faultIn, refusal } from '../support/refusals';
import { TestStack } from '../support/stack';

const GOOD = { agent: 'scripted', input: { text: 'done' } };

describe('the body of a start', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = await DocumentedCaller.of(stack.api);
  });
  afterAll(() => stack.stop());

  const start = (body: unknown) => api.call('POST', '/agents', body);
  const expectFault = async (body: unknown, ...paths: string[]) =>
    expect(refusal(body, await start(body))).toEqual(faultIn(body, ...paths));

  test.each([42, 0, true, null, 'x', [], [GOOD], '"{}"'])('is an object, not %j', (body) =>
    // A string goes out as it is, so it is written as JSON here.
    expectFault(typeof body === 'string' ? JSON.stringify(body) : body, ''),
  );

  test.each([
    ['agent', [42, true, null, {}, [], ['scripted']]],
    ['on_question', [0, 1, true, false, null, {}, [], ['pause'], 'never', 'Pause', 'PAUSE', ' pause', '']],
    ['assignee', [42, 0, true, false, {}, [], ['sam@contoso.com']]],
    ['run_id', [42, true, null, {}, [], ['a']]],
    ['metadata', [42, 'x', true, null, [], [{}], '{}']],
  ])('never coerces another type or value into %s', async (field, values) => {
    for (const value of values) await expectFault({ ...GOOD, [field]: value }, field);
  });

  test.each(['agent', 'input'])('needs %s', async (field) => {
    const { [field]: _gone, ...rest } = GOOD as Record<string, unknown>;
    await expectFault(rest, field);
  });

  test.each(['zzz', 'Agent', 'runId', 'workspace', 'principal', 'constructor', 'toString', 'hasOwnProperty', ''])(
    'refuses the unknown field %j and says its name',
    async (field) => {
      const body = { ...GOOD, [field]: 'x' };
      await expectFault(body, '');
      const { body: told } = await start(body);
      expect(JSON.stringify(told.issues)).toContain(`unknown field: ${field}`);
    },
  );

  test('wants input that the agent takes, and says where it does not', async () => {
    await expectFault({ ...GOOD, input: [] }, 'input');
    await expectFault({ ...GOOD, input: 42 }, 'input');
    await expectFault({ ...GOOD, input: { turns: 'x' } }, 'input.turns');
    await expectFault({ ...GOOD, input: { turns: [{ calls: [{ args: {} }] }] } }, 'input.turns.0.calls.0.tool');
    await expectFault({ ...GOOD, input: { text: 7 } }, 'input.text');
  });

  test.each([
    ['unknown', 'nobody'],
    ['of another case', 'Scripted'],
    ['with white space', ' scripted'],
    ['a name of every object', '__proto__'],
    ['another name of every object', 'constructor'],
    ['one more', 'hasOwnProperty'],
  ])('an agent that is %s is 422 and names those that there are', async (_name, agent) => {
    const body = { ...GOOD, agent };
    await expectFault(body, 'agent');
    const told = (await start(body)).body.issues as { code: string; message: string }[];
    expect(told).toEqual([{ path: 'agent', code: 'unknown_agent', message: expect.stringContaining('scripted') }]);
  });

  test.each(['', ' ', '\t\r\n', '\u00a0', '\u3000', '\ufeff', '\u200b', '\u2800', '\u0000', '\u{e0020}'])(
    'an assignee or agent that nobody can see is refused: %j',
    async (blank) => {
      await expectFault({ ...GOOD, assignee: blank }, 'assignee');
      await expectFault({ ...GOOD, agent: blank }, 'agent');
    },
  );

  test('lengths are counted in characters: 320 emoji are an assignee, 321 are not', async () => {
    const assignee = '😀'.repeat(320);
    const { status, body } = await start({ ...GOOD, assignee });
    expect(status).toBe(201);
    expect(body.assignee).toBe(assignee);
    await expectFault({ ...GOOD, assignee: '😀'.repeat(321) }, 'assignee');
    await expectFault({ ...GOOD, assignee: 'a'.repeat(321) }, 'assignee');
    await expectFault({ ...GOOD, agent: 'a'.repeat(129) }, 'agent');
  });

  test('half a surrogate pair is no text', async () => {
    await expectFault(`{"agent":"scripted","input":{},"assignee":"a\\ud800b"}`, 'assignee');
    await expectFault(`{"agent":"\\udc00scripted","input":{}}`, 'agent');
  });

  test.each(['', 'a b', 'a/b', '../x', 'ä', '😀', 'a.b', 'a:b', 'a\n', '\u0000', 'a'.repeat(65)])(
    'refuses the run_id %j',
    (run_id) => expectFault({ ...GOOD, run_id }, 'run_id'),
  );

  test('metadata keys may be names that every object has, and come back as they were', async () => {
    const metadata = {
      constructor: 'a',
      toString: [1],
      hasOwnProperty: null,
      valueOf: { b: 'c' },
      '': 1,
      'ключ 😀': '',
    };
    const run = await api.start({}, { metadata });
    expect(JSON.stringify(run.metadata)).toBe(JSON.stringify(metadata));
    expect(JSON.stringify((await api.read(run.run_id)).metadata)).toBe(JSON.stringify(metadata));
  });

  test('metadata of a size that no record should carry is refused, not cut', async () => {
    await expectFault({ ...GOOD, metadata: { a: 'x'.repeat(20_000) } }, 'metadata');
  });

  test('several faults are told at once', async () => {
    const body = { agent: 1, input: {}, on_question: 'x', metadata: [] };
    const { status, paths } = refusal(body, await start(body));
    expect({ status, paths: paths?.sort() }).toEqual({ status: 422, paths: ['agent', 'metadata', 'on_question'] });
  });
});
