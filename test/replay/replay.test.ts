/**
 * Kept histories: runs of released versions, paused and ended, that new workflow code must be able to go on with. They
 * are only ever added to (`npm run histories:record`).
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DeterminismViolationError } from '@temporalio/workflow';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { bundleWorkflowCode, DefaultLogger, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { replayOptions } from '../../worker/options';
import { quietRuntime } from '../support/stack';

const FOLDER = path.resolve(__dirname, '../histories');
const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replace(/\.json$/, ''));
const textOf = (name: string) => readFileSync(path.join(FOLDER, `${name}.json`), 'utf8');

/** Histories of workflows that a team has built with the library. Those are in a bundle of their own. */
const isPausable = (name: string) => name.startsWith('pausable-');
const bundleOfTeam = async () =>
  bundleWorkflowCode({
    workflowsPath: require.resolve('./pausable-workflows'),
    logger: new DefaultLogger('ERROR'),
  });

/** Replays histories, whatever they are, with what decides how workflow code runs; the errors by name. */
async function replay(
  histories: { name: string; text: string }[],
  workflowBundle: WorkflowBundleOption = { codePath: process.env.HOLDPOINT_TEST_BUNDLE ?? '' },
): Promise<Map<string, Error | undefined>> {
  quietRuntime();
  const errors = new Map<string, Error | undefined>();
  const given = histories.map(({ name, text }) => ({
    workflowId: name,
    history: historyFromJSON(JSON.parse(text)),
  }));
  for await (const { workflowId, error } of Worker.runReplayHistories(replayOptions(workflowBundle), given)) {
    errors.set(workflowId, error);
  }
  return errors;
}

describe('kept histories', () => {
  let errors: Map<string, Error | undefined>;
  beforeAll(async () => {
    const all = names.map((name) => ({ name, text: textOf(name) }));
    const ofAgents = await replay(all.filter(({ name }) => !isPausable(name)));
    const ofTeams = await replay(
      all.filter(({ name }) => isPausable(name)),
      await bundleOfTeam(),
    );
    errors = new Map([...ofAgents, ...ofTeams]);
  });

  test.each(names)('%s replays', (name) => {
    expect(errors.has(name)).toBe(true);
    expect(errors.get(name)).toBeUndefined();
  });

  test.each([
    'direct-ask-answered.run',
    'direct-ask-declined.run',
    'cancelled-while-paused.run',
    'family.parent',
    'family.child',
    'family.grandchild',
    'continue-as-new.execution-1',
    'continue-as-new.execution-2',
    'mode-none.run',
    'mode-auto.run',
    'raw-signal-answer.run',
    'background-collect.parent',
    'record-effect.run',
    'sleep.run',
    'example-invoice-approver.run',
    'example-market-brief.parent',
    'example-release-manager.run',
    'claimed.run',
  ])('%s is kept', (name) => {
    expect(names).toContain(name);
  });

  test('none of them tells where it was recorded', () => {
    for (const name of names) {
      const text = textOf(name);
      const identities = [...text.matchAll(/"identity": "([^"]*)"/g)].map(([, identity]) => identity);
      expect(identities.filter((identity) => !['holdpoint', 'history-service'].includes(identity ?? ''))).toEqual([]);
      expect([...text.matchAll(/"stackTrace": "([^"]+)"/g)]).toEqual([]);
    }
  });
});

describe('a history that does not fit the code is refused', () => {
  const doctored: [string, string, (text: string) => string][] = [
    [
      'another activity',
      'direct-ask-answered.run',
      (text) => text.replace('"name": "modelTurn"', '"name": "thinkHard"'),
    ],
    [
      'another child',
      'family.parent',
      (text) => text.replace(/"workflowId": "run_[0-9a-f]+"/g, '"workflowId": "run_x"'),
    ],
    ['an answer to another ask', 'direct-ask-answered.run', answerNothing],
  ];

  test.each(doctored)('%s', async (_what, name, doctor) => {
    const text = doctor(textOf(name));
    expect(text).not.toBe(textOf(name));
    const error = (await replay([{ name, text }])).get(name);
    expect(error).toBeInstanceOf(DeterminismViolationError);
  });
});

/** The signal that closed the ask, with a payload that closes nothing: the events behind it cannot come to be. */
function answerNothing(text: string): string {
  const history = JSON.parse(text) as { events: Record<string, { input: unknown }>[] };
  for (const event of history.events) {
    const signal = event.workflowExecutionSignaledEventAttributes;
    if (signal) signal.input = { payloads: [] };
  }
  return JSON.stringify(history);
}
