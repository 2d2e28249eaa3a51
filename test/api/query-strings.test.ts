/** CONTRACT §5, 400 `malformed_request`: query strings are judged like bodies, never coerced, never ignored. */
import { DocumentedCaller } from '../support/documented';
import { refusal } from '../support/refusals';
import { freeForm, script } from '../support/scripts';
import { TestStack } from '../support/stack';

/** Not a whole number, whatever `Number()` makes of it. */
const NO_NUMBERS = [
  '',
  '-1',
  '1.0',
  '1.5',
  '1e1',
  '0x1',
  '%201',
  '1%20',
  '%2B1',
  'NaN',
  'Infinity',
  'ten',
  '１',
  '[1]',
  'null',
];

describe('a query string', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  let run: string;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = await DocumentedCaller.of(stack.api);
    run = (await api.start(script([freeForm()]))).run_id;
    await api.untilWaiting(run);
  });
  afterAll(() => stack.stop());

  const expectFault = async (path: string, field: string) =>
    expect(refusal(path, await api.call('GET', path))).toEqual({
      sent: path,
      status: 400,
      error: 'malformed_request',
      paths: [field],
    });

  test.each([
    ['/agents', 'limit', ['0', '101', '999999999999999', '9999999999999999']],
    ['/agents/RUN/events', 'limit', ['0', '1001']],
    ['/agents/RUN/events', 'after', ['9999999999999999']],
    ['/agents/RUN/messages', 'limit', ['0', '1001']],
    ['/agents/RUN/messages', 'from', ['9999999999999999']],
  ])('%s takes a whole number within bounds as %s, and nothing else', async (route, field, outside) => {
    for (const value of [...NO_NUMBERS, ...outside]) {
      await expectFault(`${route.replace('RUN', run)}?${field}=${value}`, field);
    }
  });

  test.each([
    ['/agents', 'status', ['', 'waiting', 'Running', 'running,failed', '__proto__']],
    ['/agents/RUN/asks', 'state', ['', 'open', 'Pending', '__proto__']],
  ])('%s takes one of its own words as %s', async (route, field, values) => {
    for (const value of values) await expectFault(`${route.replace('RUN', run)}?${field}=${value}`, field);
  });

  test.each([
    ['/agents', ['status=running', 'agent=a', 'assignee=a', 'root_run_id=a', 'limit=1', 'cursor=a']],
    ['/agents/RUN/events', ['after=1', 'limit=1']],
    ['/agents/RUN/messages', ['from=1', 'limit=1']],
    ['/agents/RUN/asks', ['state=all']],
  ])('%s refuses a parameter that is given twice', async (route, parameters) => {
    for (const parameter of parameters) {
      const field = parameter.split('=')[0] as string;
      await expectFault(`${route.replace('RUN', run)}?${parameter}&${parameter}`, field);
    }
  });

  test.each(['/agents', '/agents/RUN/events', '/agents/RUN/messages', '/agents/RUN/asks'])(
    '%s refuses parameters that it does not know',
    async (route) => {
      for (const name of ['zzz', 'Limit', 'workspace', 'constructor', 'toString', 'limit[]', 'limit%00']) {
        await expectFault(`${route.replace('RUN', run)}?${name}=1`, '');
      }
    },
  );

  test('a filter is too long, or it is text like any other: no value breaks the search', async () => {
    await expectFault(`/agents?agent=${'a'.repeat(129)}`, 'agent');
    await expectFault(`/agents?assignee=${'a'.repeat(321)}`, 'assignee');
    await expectFault(`/agents?root_run_id=${'a'.repeat(65)}`, 'root_run_id');
    await expectFault('/agents?agent=a%00b', 'agent');
    await expectFault('/agents?assignee=%00', 'assignee');
    const hostile = ["'", "\\'", "' OR 1=1 --", '"', '\\', '%', '*', '`', '\n', '\u0001', '\u007f', '😀', '%zz', ''];
    for (const value of hostile) {
      for (const field of ['agent', 'assignee', 'root_run_id']) {
        const encoded = value === '%zz' ? value : encodeURIComponent(value);
        const { status, body } = await api.call('GET', `/agents?${field}=${encoded}`);
        expect({ field, value, status, body }).toEqual({
          field,
          value,
          status: 200,
          body: { runs: [], next_cursor: null },
        });
      }
    }
  });

  test.each(['', 'x', '%00', '😀', 'e30', 'bnVsbA', Buffer.from('{"started":"x","run_id":"a"}').toString('base64url')])(
    'a cursor that this API did not give is 400: %j',
    async (cursor) => {
      const { status, body } = await api.call('GET', `/agents?cursor=${encodeURIComponent(cursor)}`);
      expect({ status, error: body.error }).toEqual({ status: 400, error: 'malformed_request' });
    },
  );

  test('a cursor made to break the search is 400 or a page, never a failure', async () => {
    const forged = [
      "0001-01-01T00:00:00Z' OR 1=1",
      '9999-12-31T23:59:59.999Z',
      '0001-01-01T00:00:00Z',
      '+275760-09-13T00:00:00.000Z',
    ];
    for (const started of forged) {
      const cursor = Buffer.from(JSON.stringify({ started, run_id: 'a' })).toString('base64url');
      const { status } = await api.call('GET', `/agents?cursor=${cursor}`);
      expect({ started, ok: status === 200 || status === 400 }).toEqual({ started, ok: true });
    }
  });
});
