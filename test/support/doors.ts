/** Every door onto an ask, each as its own kind of caller uses it: how it shows the ask, answers it, and refuses. */
import { EventType, type Event } from '@ag-ui/core';
import type { Client } from '@temporalio/client';
import type { AnswerOutcomeReply, RunRecord, RunSnapshot } from '../../workflows/contract';
import { playUntil } from './ag-ui';
import { eventually, type ApiCaller } from './http';
import type { McpCaller } from './mcp';
import { MissionControl, waitingStep } from './mission-control';
import { jsonPayload, sendRaw } from './raw-signals';
import { pick, writeIn } from './scripts';
import { runCli, type Ended } from './terminal';

/** One ask of a conversation. */
export interface Sought {
  /** The run whose ask it is. */
  asker: string;
  root: string;
  askId: string;
  question: string;
  /** The step of the root's timeline that it shows on. */
  stepId: string;
  /** Names the ask in answers; without it they are for whatever is pending. */
  named: boolean;
}

/** How a refusal was told. */
export interface Refused {
  /** In the door's own form: an HTTP status, an exit code, … */
  as: string;
  code: string;
}

export interface Door {
  /** As `channel` of what is recorded. */
  channel: string;
  /** Whether the ask is shown as pending, in each place of the door that shows it. One read each, never a second. */
  shows: (ask: Sought) => Promise<Record<string, boolean>>;
  /** Gives an answer that has to be taken: back when the door says that it is. */
  answer: (ask: Sought) => Promise<void>;
  /** Gives an answer that has to be refused. */
  refused: (ask: Sought) => Promise<Refused>;
}

export interface Doors {
  /** The API to answer through. */
  api: ApiCaller;
  /** The API to look at: another process would have no more in common with the first. */
  viewer: ApiCaller;
  mcp: McpCaller;
  mcpViewer: McpCaller;
  temporal: Client;
}

/** The option that every door picks, and the write-in that none may get through. */
const CHOSEN = pick('q1_o2');
export const CHOSEN_LABEL = 'B';
const LATE = writeIn('too late');

type Asks = { asks: { run_id: string; ask_id: string }[] };
const isIn = ({ asks }: Asks, { asker, askId }: Sought) =>
  asks.some(({ run_id, ask_id }) => run_id === asker && ask_id === askId);
const nameOf = ({ named, askId }: Sought) => (named ? { ask_id: askId } : {});

export function doorsOf({ api, viewer, mcp, mcpViewer, temporal }: Doors): Door[] {
  const got = async <Body>(path: string) => {
    const { status, body, text } = await viewer.call<Body>('GET', path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    return body;
  };
  const http: Door = {
    channel: 'http',
    shows: async (ask) => {
      const [own, root, ownAsks, rootAsks, inbox] = await Promise.all([
        got<RunRecord>(`/agents/${ask.asker}`),
        got<RunRecord>(`/agents/${ask.root}`),
        got<Asks>(`/agents/${ask.asker}/asks`),
        got<Asks>(`/agents/${ask.root}/asks`),
        got<Asks>('/inbox?limit=200'),
      ]);
      const below = root.children_awaiting.some((child) => child.run_id === ask.asker && child.ask_id === ask.askId);
      return {
        record: own.pending_input_context?.ask_id === ask.askId,
        root: ask.root === ask.asker ? root.pending_input_context?.ask_id === ask.askId : below,
        asks: isIn(ownAsks, ask),
        'asks of the root': isIn(rootAsks, ask),
        inbox: isIn(inbox, ask),
      };
    },
    answer: async (ask) => {
      const { status, text } = await api.resume(ask.asker, CHOSEN, nameOf(ask));
      if (status !== 200) throw new Error(`resume: ${status} ${text}`);
    },
    refused: async (ask) => {
      const { status, body } = await api.resume(ask.asker, LATE, nameOf(ask));
      return { as: `HTTP ${status}`, code: String(body.error) };
    },
  };

  const [amc, amcViewer] = [new MissionControl(api), new MissionControl(viewer)];
  const stepOf = ({ named, stepId }: Sought) => (named ? { stepId } : {});
  const missionControl: Door = {
    channel: 'mission_control',
    shows: async (ask) => {
      const step = waitingStep(await amcViewer.status(ask.root));
      return { status: step?.stepId === ask.stepId && step.delivered?.startsWith(ask.question) === true };
    },
    answer: async (ask) => {
      const { status, text } = await amc.message(ask.root, CHOSEN_LABEL, stepOf(ask));
      if (status !== 200) throw new Error(`message: ${status} ${text}`);
    },
    refused: async (ask) => {
      const { status, body } = await amc.message(ask.root, 'too late', stepOf(ask));
      return { as: `HTTP ${status}`, code: String((body as unknown as { error: string }).error) };
    },
  };

  const mcpDoor: Door = {
    channel: 'mcp',
    shows: async (ask) => {
      const [run, ofRun, ofAll] = await Promise.all([
        mcpViewer.run('get_run', { run_id: ask.root }),
        mcpViewer.call('list_pending_questions', { run_id: ask.root }),
        mcpViewer.call('list_pending_questions', { limit: 200 }),
      ]);
      const questions = ({ structured }: typeof ofRun) => ({ asks: structured.questions as Asks['asks'] });
      return {
        get_run: isIn({ asks: run.pending_questions }, ask),
        'list_pending_questions of the run': isIn(questions(ofRun), ask),
        list_pending_questions: isIn(questions(ofAll), ask),
      };
    },
    answer: async (ask) => {
      const { answer } = (await mcp.run('resume_run', {
        run_id: ask.asker,
        input: CHOSEN,
        ...nameOf(ask),
      })) as unknown as { answer: string };
      if (answer !== 'taken') throw new Error(`resume_run: ${answer}`);
    },
    refused: async (ask) => {
      const { error } = await mcp.refused('resume_run', { run_id: ask.asker, input: LATE, ...nameOf(ask) });
      return { as: 'tool error', code: error };
    },
  };

  const interrupt = ({ asker, askId }: Sought) => `${asker}:${askId}`;
  const resumed = (ask: Sought, payload: unknown) => ({
    resume: [{ interruptId: interrupt(ask), status: 'resolved' as const, payload }],
  });
  const agUi: Door = {
    channel: 'ag_ui',
    shows: async (ask) => ({ state: waitingIn(await stateOf(viewer, ask.root)).includes(interrupt(ask)) }),
    answer: async (ask) => {
      // What it was before the answer comes first.
      await playUntil(api, ask.root, resumed(ask, CHOSEN), (event) => {
        const waiting = event.type === EventType.STATE_DELTA ? waitingIn(event) : [interrupt(ask)];
        return !waiting.includes(interrupt(ask));
      });
    },
    refused: async (ask) => {
      const last = await playUntil(api, ask.root, resumed(ask, LATE), ({ type }) => type === EventType.RUN_ERROR);
      return { as: last.type, code: String((last as { code?: string }).code) };
    },
  };

  const cli = (caller: ApiCaller, ...args: string[]) =>
    runCli([...args, '--json'], { HOLDPOINT_URL: caller.url, HOLDPOINT_API_KEY: caller.key });
  const answerBy = (ask: Sought, ...args: string[]) =>
    cli(api, 'answer', ask.root, ...(ask.named ? ['--ask', ask.askId] : []), ...args);
  const terminal: Door = {
    channel: 'cli',
    shows: async (ask) => {
      const [inbox, run] = await Promise.all([
        cli(viewer, 'inbox', '--limit', '200'),
        cli(viewer, 'run', ask.asker, '--no-follow'),
      ]);
      return {
        inbox: isIn(json<Asks>(inbox), ask),
        run: json<RunRecord>(run).pending_input_context?.ask_id === ask.askId,
      };
    },
    answer: async (ask) => {
      const { code, stdout, stderr } = await answerBy(ask, '--option', CHOSEN_LABEL);
      if (code !== 0) throw new Error(`holdpoint answer: ${code} ${stdout} ${stderr}`);
    },
    refused: async (ask) => {
      const { code, stderr } = await answerBy(ask, '--other', 'too late');
      return { as: `exit ${code}`, code: (JSON.parse(stderr) as { error: string }).error };
    },
  };

  /** The order of a run's queries and signals is Temporal's: what is asked after a signal is told after it. */
  const signalled = async (ask: Sought, input: unknown) => {
    const answer_id = `raw-${Math.random()}`;
    await sendRaw(temporal, ask.asker, 'answer', [jsonPayload({ answer_id, input, ...nameOf(ask) })]);
    let reply: AnswerOutcomeReply | undefined;
    await eventually(async () => {
      reply = await temporal.workflow.getHandle(ask.asker).query('answer_outcome', { answer_id });
      return reply?.outcome !== null;
    });
    return reply?.outcome?.verdict ?? 'never judged';
  };
  const signal: Door = {
    channel: 'signal',
    shows: async (ask) => {
      const run = await temporal.workflow.getHandle(ask.asker).query<RunSnapshot>('run');
      return { 'query run': run.pending?.ask_id === ask.askId };
    },
    answer: async (ask) => {
      const verdict = await signalled(ask, CHOSEN);
      if (verdict !== 'taken') throw new Error(`signal: ${verdict}`);
    },
    refused: async (ask) => {
      const verdict = await signalled(ask, LATE);
      const rejected = (await api.events(ask.asker)).filter(({ type }) => type === 'ask.rejected');
      expect(rejected.map(({ data }) => data)).toEqual([
        { ask_id: ask.askId, code: verdict, principal: null, channel: 'signal', issues: [] },
      ]);
      return { as: 'ask.rejected', code: verdict };
    },
  };
  return [http, missionControl, mcpDoor, agUi, terminal, signal];
}

function json<T>({ code, stdout, stderr }: Ended): T {
  if (code !== 0) throw new Error(`exit ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** The state with which a segment begins. */
const stateOf = (api: ApiCaller, root: string) =>
  playUntil(api, root, {}, ({ type }) => type === EventType.STATE_SNAPSHOT);

/** Ids of the interrupts that wait, as a snapshot or a change of the state tells them. */
function waitingIn(event: Event): string[] {
  const waiting = /"waiting":(\[.*?\])|"path":"\/holdpoint\/waiting","value":(\[.*?\])/.exec(JSON.stringify(event));
  return (JSON.parse(waiting?.[1] ?? waiting?.[2] ?? '[]') as { id: string }[]).map(({ id }) => id);
}
