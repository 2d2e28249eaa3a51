/** The parser of event streams, held against the rules of the HTML standard, whatever pieces a stream comes in. */
import fc from 'fast-check';
import { SseParser, type SseFrame } from '../../../client/sse';

const parse = (...pieces: string[]): SseFrame[] => {
  const parser = new SseParser();
  return pieces.flatMap((piece) => parser.push(piece));
};

describe('an event stream', () => {
  test.each<[string, string, SseFrame[]]>([
    ['a frame with all fields', 'id: 7\nevent: x\ndata: {"a":1}\n\n', [{ id: '7', event: 'x', data: '{"a":1}' }]],
    ['a frame without event or id', 'data: a\n\n', [{ id: undefined, event: 'message', data: 'a' }]],
    ['several data lines', 'data: a\ndata:b\ndata\n\n', [{ id: undefined, event: 'message', data: 'a\nb\n' }]],
    ['one leading space only is taken away', 'data:  a\n\n', [{ id: undefined, event: 'message', data: ' a' }]],
    ['comments say nothing', ': heartbeat\n\n:x\ndata: a\n\n', [{ id: undefined, event: 'message', data: 'a' }]],
    [
      'a frame without data is none, but its id counts',
      'id: 3\n\ndata: a\n\n',
      [{ id: '3', event: 'message', data: 'a' }],
    ],
    [
      'an event name does not outlive its frame',
      'event: x\n\ndata: a\n\n',
      [{ id: undefined, event: 'message', data: 'a' }],
    ],
    ['an id with a NUL is passed over', 'id: a\0b\ndata: a\n\n', [{ id: undefined, event: 'message', data: 'a' }]],
    ['an unfinished frame is none', 'data: a\n', []],
    ['a byte order mark is no text', '\ufeffdata: a\n\n', [{ id: undefined, event: 'message', data: 'a' }]],
    ['unknown fields are passed over', 'foo: 1\ndata: a\n\n', [{ id: undefined, event: 'message', data: 'a' }]],
  ])('%s', (_what, text, frames) => {
    expect(parse(text)).toEqual(frames);
  });

  test('retry is what the server last said, in milliseconds; nonsense is passed over', () => {
    const parser = new SseParser();
    parser.push('retry: 2000\n\nretry: soon\n\n');
    expect(parser.retryMs).toBe(2000);
  });

  test('gives the same frames in whatever pieces it comes and whatever ends its lines', () => {
    const line = fc.constantFrom('data: a', 'data: 😀', 'id: 1', 'event: e', ': c', '', '', 'data:');
    const ends = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 20 }),
        ends,
        fc.array(fc.nat(100), { maxLength: 10 }),
        (lines, end, cuts) => {
          // Closed by something that is no line end, so that a CR before it is known to stand alone.
          const text = [...lines, '', ': end'].join(end);
          const at = [...new Set(cuts.filter((cut) => cut < text.length))].sort((a, b) => a - b);
          const pieces = [0, ...at].map((from, k) => text.slice(from, at[k] ?? text.length));
          expect(parse(...pieces)).toEqual(parse([...lines, '', ': end'].join('\n')));
        },
      ),
    );
  });
});
