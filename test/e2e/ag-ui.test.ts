/** AG-UI with real processes: the docs' own client, an API that is killed and one that is stopped. */
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { EventType, type Event } from '@ag-ui/core';
import { agentOn, checkEvents, finishedOf, inputFor, interruptsOf, play, post, readEvents } from '../support/ag-ui';
import { eventually, TEST_KEY } from '../support/http';
import { ProcessStack } from '../support/processes';
import { delegate, effect, freeForm, freeText, script, sleep } from '../support/scripts';
import { snippetWith } from '../support/snippets';

const run = promisify(execFile);
/** Where the client package is found from. */
const CACHE = path.resolve(__dirname, '../../node_modules/.cache/holdpoint');

describe('AG-UI with real processes', () => {
  const stack = new ProcessStack();
  beforeAll(async () => {
    await stack.startTemporal();
    await stack.startWorker();
  });
  afterAll(() => stack.stop());

  const start = (input: unknown) => ({ forwardedProps: { input } });
  const resolved = (interruptId: string, text: string) => ({
    interruptId,
    status: 'resolved' as const,
    payload: freeText(text),
  });

  test('the client in the docs works as printed', async () => {
    const { api, program } = await stack.startApi();
    const file = path.join(CACHE, `ag-ui-${process.pid}.mjs`);
    mkdirSync(CACHE, { recursive: true });
    const printed = snippetWith('docs/ag-ui.md', 'js', 'HttpAgent');
    writeFileSync(file, printed.replace('http://127.0.0.1:8787', api.url).replace('hp_…', TEST_KEY));
    const { stdout } = await run(process.execPath, [file], { timeout: 120_000 }).finally(() => rmSync(file));
    expect(stdout).toContain('12 people');
    expect(stdout).toContain('Porto');
    expect(await program.terminate()).toBe(0);
  });

  test('an API that is killed, between segments or in one, takes nothing with it; one that is stopped ends its streams', async () => {
    const first = await stack.startApi();
    const agent = agentOn(first.api);
    const asked = await play(
      agent,
      start(script([freeForm('A?'), [sleep(8_000), delegate(script([freeForm('B?')]))], effect('end')])),
    );
    await first.program.kill();

    const second = await stack.startApi();
    agent.url = `${second.api.url}/ag-ui/scripted`;
    // By hand: the client package leaves a rejection behind when its connection breaks.
    const resume = [resolved(interruptsOf(asked)[0]?.id ?? '', 'a')];
    const resuming = await post(second.api, 'scripted', inputFor(agent.threadId, { messages: agent.messages, resume }));
    const truncated: Event[] = [];
    const cut = readEvents(resuming.body as ReadableStream<Uint8Array>, (event) => truncated.push(event)).catch(
      () => 'cut',
    );
    // The root sleeps on for seconds, so this segment is far from its end.
    expect(await eventually(() => truncated.some(({ type }) => type === EventType.SUBAGENT_STARTED))).toBe(true);
    await second.program.kill();
    expect(await cut).toBe('cut');
    checkEvents(truncated);
    expect(truncated.at(-1)?.type).not.toBe(EventType.RUN_FINISHED);

    const third = await stack.startApi();
    agent.url = `${third.api.url}/ag-ui/scripted`;
    agent.pendingInterrupts = [];
    const again = await play(agent);
    const [interrupt] = interruptsOf(again);
    expect(interrupt?.message).toBe('B?');
    const end = await play(agent, { resume: [resolved(interrupt?.id ?? '', 'b')] });
    expect(finishedOf(end).outcome).toEqual({ type: 'success' });
    expect(stack.effects().filter((line) => line.startsWith(agent.threadId))).toHaveLength(1);
    const calls = agent.messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
    expect(calls).toHaveLength(5);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(5);

    // A long silence is told by comments, and SIGTERM ends the stream without an end of the run.
    const events: Event[] = [];
    const input = inputFor(`quiet-${process.pid}`, start(script([sleep(600_000)])));
    const { body } = await post(third.api, 'scripted', input);
    let text = '';
    const reading = readEvents(body as ReadableStream<Uint8Array>, (event) => events.push(event)).then(
      (all) => (text = all),
    );
    expect(await eventually(() => events.some(({ type }) => type === EventType.STEP_STARTED))).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 15_500));
    expect(await third.program.terminate()).toBe(0);
    await reading;
    expect(text).toContain('\n: heartbeat\n\n');
    expect(events.map(({ type }) => type)).not.toContain(EventType.RUN_FINISHED);
    expect(events.map(({ type }) => type)).not.toContain(EventType.RUN_ERROR);
  });
});
