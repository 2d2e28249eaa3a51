/** `holdpoint/client` on a bad network: watching over dropped connections, and replies that are lost. */
import {
  ConnectionError,
  HoldpointClient,
  UnexpectedReplyError,
  type HoldpointError,
  type RunEvent,
} from '../../client';
import { FlakyProxy } from '../support/flaky-proxy';
import { eventually, TEST_KEY } from '../support/http';
import { effect, freeForm, freeText, script, sleep } from '../support/scripts';
import { TestStack } from '../support/stack';

describe('the client', () => {
  let stack: TestStack;
  let client: HoldpointClient;
  beforeAll(async () => {
    stack = await TestStack.start();
    client = new HoldpointClient({ url: stack.api.url, key: TEST_KEY });
  });
  afterAll(() => stack.stop());

  const start = async (...turns: Parameters<typeof script>[0]) =>
    (await client.start({ agent: 'scripted', input: script(turns) })).run_id;
  const waiting = async (...turns: Parameters<typeof script>[0]) => {
    const runId = await start(...turns);
    await stack.api.untilWaiting(runId);
    return runId;
  };
  const failure = async (call: Promise<unknown>): Promise<HoldpointError> =>
    call.then(
      () => Promise.reject(new Error('it did not fail')),
      (error: HoldpointError) => error,
    );

  describe('watching', () => {
    const types = (events: RunEvent[]) => events.map((event) => event.type);

    test('gives each event once, in order, live, and ends with the run', async () => {
      const runId = await start(freeForm(), sleep(50));
      const events: RunEvent[] = [];
      for await (const event of client.watch(runId)) {
        events.push(event);
        if (event.type === 'ask.opened') {
          expect(event.data.question.question).toBe('What do you think?');
          await client.resume(runId, { kind: 'free_form', text: 'go on' });
        }
      }
      expect(events.map((event) => event.id)).toEqual(events.map((_event, k) => k + 1));
      expect(types(events).at(-1)).toBe('run.completed');
      // The whole log of an ended run, then its tail, then nothing: each of them ends.
      const again = async (after?: number) => {
        const ids = [];
        for await (const event of client.watch(runId, after === undefined ? {} : { after })) ids.push(event.id);
        return ids;
      };
      expect(await again()).toEqual(events.map((event) => event.id));
      expect(await again(events.length - 2)).toEqual([events.length - 1, events.length]);
      expect(await again(events.length)).toEqual([]);
    });

    test('goes on over dropped connections and a network that is away, without losing or repeating an event', async () => {
      const proxy = await FlakyProxy.start(stack.api.url);
      const flaky = new HoldpointClient({ url: proxy.url, key: TEST_KEY });
      const runId = await waiting(freeForm(), effect('one'), freeForm('And now?'));
      const events: RunEvent[] = [];
      const states: string[] = [];
      const done = (async () => {
        for await (const event of flaky.watch(runId, { onConnection: (state) => states.push(state) }))
          events.push(event);
      })();
      await eventually(() => types(events).includes('ask.opened'));
      proxy.drop();
      await stack.api.resume(runId, freeText('first'));
      await eventually(() => events.filter((event) => event.type === 'ask.opened').length === 2);
      await proxy.close();
      await stack.api.resume(runId, freeText('second'));
      await eventually(() => states.at(-1) === 'waiting');
      await proxy.open();
      await done;
      await proxy.close();
      expect(events.map((event) => event.id)).toEqual(events.map((_event, k) => k + 1));
      expect(types(events).at(-1)).toBe('run.completed');
      expect(states.filter((state) => state === 'open').length).toBeGreaterThanOrEqual(3);
      expect(states).toContain('waiting');
    });

    test('a cursor that the run does not know gives a stream.reset and then what there is', async () => {
      const runId = await start(effect('one'));
      const record = await stack.api.untilEnded(runId);
      expect(record.status).toBe('completed');
      const events: RunEvent[] = [];
      for await (const event of client.watch(runId, { after: 9_999 })) events.push(event);
      expect(types(events)[0]).toBe('stream.reset');
      expect(events.slice(1).map((event) => event.id)).toEqual(events.slice(1).map((_event, k) => k + 1));
      expect(types(events).at(-1)).toBe('run.completed');
    });

    test('ends without an error when it is aborted, at once or in the middle, and leaves no stream behind', async () => {
      const runId = await waiting(freeForm());
      const abort = new AbortController();
      const seen: RunEvent[] = [];
      for await (const event of client.watch(runId, { signal: abort.signal })) {
        seen.push(event);
        if (event.type === 'ask.opened') setTimeout(() => abort.abort(), 20);
      }
      expect(types(seen)).toContain('ask.opened');
      for await (const _ of client.watch(runId, { signal: AbortSignal.abort() })) throw new Error('aborted before');
      const stopped = client.watch(runId);
      await stopped.next();
      await stopped.return();
      await expect(client.get(runId, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
      await stack.api.resume(runId, freeText('x'));
      await stack.api.untilEnded(runId);
    });

    test('a connection on which nothing is heard is taken for dead and made anew', async () => {
      const proxy = await FlakyProxy.start(stack.api.url);
      const runId = await waiting(freeForm());
      const abort = new AbortController();
      const reasons: unknown[] = [];
      const watched = (async () => {
        const options = { signal: abort.signal, silenceMs: 300 };
        const onConnection = (state: string, reason?: Error) => state === 'waiting' && reasons.push(reason);
        for await (const _ of new HoldpointClient({ url: proxy.url, key: TEST_KEY }).watch(runId, {
          ...options,
          onConnection,
        }));
      })();
      expect(await eventually(() => reasons.length >= 2)).toBe(true);
      abort.abort();
      await watched;
      await proxy.close();
      expect(reasons[0]).toMatchObject({ code: 'timed_out' });
      expect(proxy.connections).toBeGreaterThanOrEqual(2);
    });
  });

  describe('on a network that loses replies', () => {
    let proxy: FlakyProxy;
    let flaky: HoldpointClient;
    beforeAll(async () => {
      proxy = await FlakyProxy.start(stack.api.url);
      flaky = new HoldpointClient({ url: proxy.url, key: TEST_KEY });
    });
    afterAll(() => proxy.close());

    test('a start whose reply was lost is tried again and has started one run', async () => {
      const assignee = `lost-${Date.now()}`;
      proxy.loseReplies(1);
      const before = proxy.requests.length;
      const { run_id } = await flaky.start({ agent: 'scripted', input: script([freeForm()]), assignee });
      expect(proxy.requests.length - before).toBe(2);
      const { runs } = await client.list({ assignee });
      expect(runs.map((run) => run.run_id)).toEqual([run_id]);
    });

    test('an answer whose reply was lost is tried again, told as taken, and given once', async () => {
      const runId = await waiting(freeForm(), freeForm('And the next?'));
      proxy.loseReplies(2);
      const record = await flaky.resume(runId, { kind: 'free_form', text: 'once' });
      expect(record.run_id).toBe(runId);
      await stack.api.untilWaiting(runId, 'q2');
      expect(await stack.api.toolResults(runId)).toEqual([{ answer: 'once' }]);
      await stack.api.resume(runId, freeText('x'));
    });

    test('a message of mission control is not: its second try could be another answer', async () => {
      proxy.loseReplies(1);
      const before = proxy.requests.length;
      const sent = flaky.sendMessage('run_unknown00000000000000', { message: 'x' });
      expect(await failure(sent)).toBeInstanceOf(ConnectionError);
      expect(proxy.requests.length - before).toBe(1);
    });

    test('one that is away for good is a ConnectionError that names the address, and no key', async () => {
      const gone = new HoldpointClient({ url: 'http://127.0.0.1:1', key: TEST_KEY, retries: 1 });
      const error = await failure(gone.get('x'));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error.message).toContain('http://127.0.0.1:1');
      expect(error.message).not.toContain(TEST_KEY);
      expect(await failure(gone.watch('x').next())).toBeInstanceOf(ConnectionError);
    });

    test('a reply that takes too long is a ConnectionError too', async () => {
      const slow: typeof fetch = (_input, init) =>
        new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))));
      const hasty = new HoldpointClient({ url: stack.api.url, fetch: slow, timeoutMs: 20, retries: 1 });
      expect(await failure(hasty.get('x'))).toMatchObject({ code: 'timed_out', status: 0 });
    });

    test('a server that is not the API is told as such', async () => {
      const page: typeof fetch = async () => new Response('<html>hello</html>', { status: 200 });
      expect(await failure(new HoldpointClient({ url: '', fetch: page }).get('x'))).toBeInstanceOf(
        UnexpectedReplyError,
      );
    });
  });

  test('a fetch of the caller’s own takes the place of a key', async () => {
    const seen: string[] = [];
    const own: typeof fetch = (input, init) => {
      seen.push(input as string);
      const headers = { ...(init?.headers as Record<string, string>), authorization: `Bearer ${TEST_KEY}` };
      return fetch(input, { ...init, headers });
    };
    const runId = await start(freeForm());
    expect((await new HoldpointClient({ url: stack.api.url, fetch: own }).get(runId)).run_id).toBe(runId);
    expect(seen).toEqual([`${stack.api.url}/api/platform/v1/agents/${runId}`]);
  });
});
