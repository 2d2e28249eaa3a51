/** CONTRACT §5, 400 `malformed_request`: bodies that are no JSON, or none that anybody should walk through. */
import { DocumentedCaller } from '../support/documented';
import { refusal, refusedAs } from '../support/refusals';
import { freeForm, freeText, script } from '../support/scripts';
import { TestStack } from '../support/stack';

const nested = (open: string, close: string, depth: number, inner = '1') =>
  open.repeat(depth) + inner + close.repeat(depth);

describe('a body that is not well-formed JSON', () => {
  let stack: TestStack;
  let api: DocumentedCaller;
  let waiting: string;
  beforeAll(async () => {
    stack = await TestStack.start();
    api = await DocumentedCaller.of(stack.api);
    waiting = (await api.start(script([freeForm()]))).run_id;
    await api.untilWaiting(waiting);
  });
  afterAll(() => stack.stop());

  const routes = () => ['/agents', `/agents/${waiting}/resume`, `/agents/${waiting}/cancel`];
  /** No route takes it: 400, and nothing has changed. */
  const refusedEverywhere = async (name: string, body: string | Uint8Array) => {
    for (const route of routes()) {
      const reply = await api.call('POST', route, body);
      expect(refusal([name, route], reply)).toEqual(refusedAs([name, route], 400, 'malformed_request'));
    }
  };

  test.each([
    ['a word', 'hello'],
    ['half an object', '{"input":'],
    ['a trailing comma', '{"input":{},}'],
    ['single quotes', "{'input':{}}"],
    ['two values', '{} {}'],
    ['white space alone', ' \n'],
    ['NaN', '{"input":NaN}'],
    ['a raw line break in a string', '{"input":"a\nb"}'],
    ['a NUL', '\u0000'],
    ['form data', 'input=1'],
  ])('is 400: %s', refusedEverywhere);

  test.each([
    ['a byte that begins nothing', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])],
    [
      'a character cut in two',
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from('😀').subarray(0, 2), Buffer.from('"}')]),
    ],
    ['an overlong slash', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])],
    [
      'a surrogate as bytes',
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ],
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le')],
    ['Latin-1', Buffer.from('{"a":"é"}', 'latin1')],
  ])('is 400 when it is not UTF-8, never text with replacement characters: %s', refusedEverywhere);

  test.each([
    ['arrays', nested('[', ']', 100_000)],
    ['arrays that never close', '['.repeat(200_000)],
    ['objects', nested('{"a":', '}', 40_000)],
    ['both, by turns', nested('[{"a":', '}]', 30_000)],
    ['arrays inside of input', `{"agent":"scripted","input":${nested('[', ']', 100_000)}}`],
    ['arrays inside of metadata', `{"agent":"scripted","input":{},"metadata":{"a":${nested('[', ']', 5_000)}}}`],
    ['objects inside of text', `{"input":{"kind":"free_form","text":${nested('{"a":', '}', 20_000)}}}`],
  ])('is 400 when it is nested without end, and the API lives on: %s', async (name, body) => {
    await refusedEverywhere(name, body);
    expect((await fetch(`${stack.api.url}/healthz`)).status).toBe(200);
  });

  test('nesting that an ordinary body has is no fault', async () => {
    const metadata = { deep: JSON.parse(nested('[', ']', 50)) as unknown };
    const run = await api.start({}, { metadata });
    expect((await api.read(run.run_id)).metadata).toEqual(metadata);
  });

  test.each([
    ['__proto__', '{"agent":"scripted","input":{},"__proto__":{"on_question":"none"}}'],
    ['__proto__, escaped', '{"agent":"scripted","input":{},"\\u005f_proto__":{}}'],
    ['__proto__ inside of metadata', '{"agent":"scripted","input":{},"metadata":{"__proto__":{"a":1}}}'],
    ['__proto__ inside of input', '{"input":{"kind":"free_form","text":"a","__proto__":{"b":1}}}'],
    ['constructor.prototype', '{"input":{"kind":"free_form","text":"a","constructor":{"prototype":{"b":1}}}}'],
  ])('is 400 when it would reach for a prototype: %s', async (name, body) => {
    await refusedEverywhere(name, body);
    expect(({} as { a?: unknown; b?: unknown }).a ?? ({} as { b?: unknown }).b).toBeUndefined();
  });

  test('after all of them the run waits as before, and takes a good answer', async () => {
    for (const route of routes()) await api.call('POST', route, '{');
    const before = await api.read(waiting);
    expect(before).toMatchObject({ status: 'awaiting_input', pending_input_context: { ask_id: 'q1' } });
    expect((await api.events(waiting)).map(({ type }) => type)).not.toContain('ask.rejected');
    expect((await api.resume(waiting, freeText('fine'))).status).toBe(200);
    await api.untilEnded(waiting);
    expect(await api.toolResults(waiting, 'ask_a_human')).toEqual([{ answer: 'fine' }]);
  });
});
