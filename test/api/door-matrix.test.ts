/**
 * One ask, six doors (issue 5): answered at any one, it shows closed at all the others, and a second answer at each of the
 * six gets that door's own conflict reply. What was done through one API is looked at through another one, that has never
 * heard of it; the first look has to be right.
 */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { agentRegistry, scriptedAgent } from '../../activities/agents';
import { buildApp } from '../../api/app';
import { CHOSEN_LABEL, doorsOf, type Door, type Sought } from '../support/doors';
import { expectCleanHistories } from '../support/checks';
import { ApiCaller, eventually, ownWorkspace, TEST_KEY } from '../support/http';
import { McpCaller } from '../support/mcp';
import { MissionControl } from '../support/mission-control';
import { choice, delegate, freeForm, script, sleep } from '../support/scripts';
import { StreamReader } from '../support/sse';
import { TestStack } from '../support/stack';
import { untilAwaiting } from '../support/trees';

const CHANNELS = ['http', 'mission_control', 'mcp', 'ag_ui', 'cli', 'signal'];
const keys = ownWorkspace();
const question = choice('A', CHOSEN_LABEL);

describe('the matrix of doors', () => {
  let stack: TestStack;
  let watching: FastifyInstance;
  let viewer: ApiCaller;
  let doors: Door[];
  const callers: McpCaller[] = [];
  beforeAll(async () => {
    stack = await TestStack.start({ app: { keys } });
    const { client, taskQueue } = stack;
    watching = await buildApp({ client, agents: agentRegistry([scriptedAgent]), keys, taskQueue, rateLimit: 100_000 });
    await watching.listen({ host: '127.0.0.1', port: 0 });
    viewer = new ApiCaller(`http://127.0.0.1:${(watching.server.address() as AddressInfo).port}`);
    for (const { url } of [stack.api, viewer]) callers.push(await McpCaller.http(url, TEST_KEY));
    const [mcp, mcpViewer] = callers as [McpCaller, McpCaller];
    doors = doorsOf({ api: stack.api, viewer, mcp, mcpViewer, temporal: client });
    expect(doors.map(({ channel }) => channel)).toEqual(CHANNELS);
  });
  afterAll(async () => {
    for (const caller of callers) await caller.close();
    await watching.close();
    await stack.stop();
  });

  /** What every door shows of an ask, by door and place. */
  const shown = async (ask: Sought) => {
    const sights = await Promise.all(doors.map(async ({ channel, shows }) => [channel, await shows(ask)] as const));
    return Object.fromEntries(
      sights.flatMap(([channel, places]) => Object.entries(places).map(([place, is]) => [`${channel}: ${place}`, is])),
    );
  };
  const everywhere = (sights: Record<string, boolean>, is: boolean) =>
    Object.fromEntries(Object.keys(sights).map((place) => [place, is]));

  /** Streams that are open while it is answered, each with the frame that tells of it. */
  const streams = async ({ asker, root, askId, stepId }: Sought) => {
    const amc = new MissionControl(viewer);
    const told = (reader: StreamReader, type: string, fields: Record<string, unknown>) => () =>
      eventually(() => reader.frames.some(({ event, data }) => event === type && isLike(data, fields)), 30);
    const [own, above, mission, inbox] = await Promise.all([
      StreamReader.open(viewer, asker),
      StreamReader.open(viewer, root),
      amc.stream(root),
      StreamReader.openPath(viewer, '/inbox'),
    ]);
    const direct = asker === root;
    const closed = {
      'the run': told(own, 'ask.answered', { data: { ask_id: askId } }),
      'its root': direct
        ? told(above, 'ask.answered', { data: { ask_id: askId } })
        : told(above, 'child_ask_closed', { data: { child_run_id: asker, ask_id: askId } }),
      'mission control': direct
        ? told(mission, 'step.completed', { data: { stepId } })
        : told(mission, 'child_ask_closed', { data: { childRunId: asker, askId } }),
      'the inbox': told(inbox, 'ask.closed', { run_id: asker, ask_id: askId }),
    };
    await inbox.until(({ frames }) => frames.length > 0);
    const drop = () => [own, above, mission, inbox].forEach((reader) => reader.drop());
    return { closed, drop };
  };

  /** Conflict replies by door, when nothing waits any more. */
  const NOT_WAITING = {
    http: { as: 'HTTP 409', code: 'run_not_waiting' },
    mission_control: { as: 'HTTP 409', code: 'run_not_waiting' },
    mcp: { as: 'tool error', code: 'run_not_waiting' },
    ag_ui: { as: 'RUN_ERROR', code: 'run_not_waiting' },
    cli: { as: 'exit 4', code: 'run_not_waiting' },
    signal: { as: 'ask.rejected', code: 'run_not_waiting' },
  };
  /** The same when the run asks something else by now, and the answer names the ask that it is for. */
  const ASKS_ANOTHER = {
    http: { as: 'HTTP 409', code: 'ask_mismatch' },
    mission_control: { as: 'HTTP 409', code: 'step_not_waiting' },
    mcp: { as: 'tool error', code: 'ask_mismatch' },
    ag_ui: { as: 'RUN_ERROR', code: 'ask_mismatch' },
    cli: { as: 'exit 4', code: 'run_not_waiting' },
    signal: { as: 'ask.rejected', code: 'ask_mismatch' },
  };

  const direct = async (): Promise<Sought> => {
    const { run_id } = await stack.api.start(script([question, freeForm('And then?')]));
    await stack.api.untilWaiting(run_id);
    const { question: text } = question.args as { question: string };
    return { asker: run_id, root: run_id, askId: 'q1', question: text, stepId: 'q1', named: true };
  };
  const below = async (): Promise<Sought> => {
    const { run_id: root } = await stack.api.start(script([delegate(script([question, sleep(600_000)]))]));
    const [child] = await untilAwaiting(stack.api, root, 1);
    const { stepId } = await new MissionControl(stack.api).untilWaiting(root);
    const { question: text } = question.args as { question: string };
    return { asker: child?.run_id ?? '', root, askId: 'q1', question: text, stepId, named: false };
  };

  describe.each([
    ['of a run that asks something else next', direct, ASKS_ANOTHER],
    ['of a sub-agent that works on for long', below, NOT_WAITING],
  ])('an ask %s', (_of, ask, conflicts) => {
    test.each(CHANNELS)('answered through %s', async (channel) => {
      const it = await ask();
      const answering = doors.find((door) => door.channel === channel) as Door;
      // Asked elsewhere, so a moment late in a list that Temporal's index feeds.
      let open: Record<string, boolean> = {};
      await eventually(async () => !Object.values((open = await shown(it))).includes(false), 30);
      expect(open).toEqual(everywhere(open, true));
      const { closed, drop } = await streams(it);

      await answering.answer(it);
      const after = await shown(it);
      expect(after).toEqual(everywhere(open, false));
      for (const [stream, told] of Object.entries(closed)) {
        expect({ stream, told: await told() }).toEqual({ stream, told: true });
      }
      drop();

      if (it.named) await stack.api.untilWaiting(it.asker, 'q2');
      const refused = await Promise.all(doors.map(async (door) => [door.channel, await door.refused(it)] as const));
      expect(Object.fromEntries(refused)).toEqual(conflicts);
      // One answer, by the door that gave it; nothing that came after has reached the run.
      const events = await stack.api.events(it.asker);
      const answers = events.filter(({ type }) => /^ask\.(answered|declined)$/.test(type)).map(({ data }) => data);
      expect(answers).toEqual([expect.objectContaining({ ask_id: 'q1', answer: CHOSEN_LABEL, channel })]);
      expect(await stack.api.toolResults(it.asker, 'ask_a_human')).toEqual([
        { answer: CHOSEN_LABEL, option_id: 'q1_o2' },
      ]);
      if (it.named) expect((await stack.api.read(it.asker)).pending_input_context?.ask_id).toBe('q2');
      await expectCleanHistories(stack.client, it.asker, it.root);
      await stack.api.call('POST', `/agents/${it.root}/cancel`);
    });
  });
});

/** Whether `value` has these fields, at any depth. */
function isLike(value: unknown, fields: Record<string, unknown>): boolean {
  return Object.entries(fields).every(([key, wanted]) => {
    const has = (value as Record<string, unknown> | undefined)?.[key];
    return typeof wanted === 'object' ? isLike(has, wanted as Record<string, unknown>) : has === wanted;
  });
}
