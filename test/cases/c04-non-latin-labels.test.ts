/** C04 of CASES.md: ids made from labels collapse for non-Latin text. */
import type { Client } from '@temporalio/client';
import type { Option } from '../../workflows/contract';
import { expectCleanHistories } from '../support/checks';
import type { ApiCaller } from '../support/http';
import { ProcessStack, type Program } from '../support/processes';
import { choice, pick, script } from '../support/scripts';

const LABELS = [
  ['はい', 'いいえ', 'たぶん'],
  ['👍', '👎'],
  ['да', 'нет'],
  ['!!!', '???'],
  // Near by: labels that a slug, a fold of case or accents, or a lookup in a plain object makes one, or makes special.
  ['A-B', 'A B', 'a_b', 'ab'],
  ['été', 'Ete', 'e\u0301te\u0301'],
  ['__proto__', 'constructor', 'q1_o1', 'otherwise'],
];

describe('C04 option ids do not come from labels', () => {
  let stack: ProcessStack;
  let worker: Program;
  let api: ApiCaller;
  let temporal: Client;
  beforeAll(async () => {
    stack = new ProcessStack();
    await stack.startTemporal();
    const [started, { api: caller }] = await Promise.all([stack.startWorker(), stack.startApi()]);
    worker = started;
    api = caller.bounded();
    temporal = await stack.client();
  });
  afterAll(async () => {
    await temporal?.connection.close();
    await stack.stop();
  });

  const optionsOf = async (runId: string): Promise<Option[]> =>
    (await api.untilWaiting(runId)).pending_input_context?.options ?? [];

  test('each id is unique, the same after a worker restart, and brings the agent exactly its label', async () => {
    // One fresh run for each option that is going to be chosen.
    const runs: { run_id: string; label: string; index: number; labels: string[]; options: Option[] }[] = [];
    for (const labels of LABELS) {
      const started = labels.map(async (label, index) => {
        const { run_id } = await api.start(script([choice(...labels)]));
        return { run_id, label, index, labels, options: await optionsOf(run_id) };
      });
      runs.push(...(await Promise.all(started)));
    }
    for (const { labels, options } of runs) {
      const ids = options.map((option) => option.id);
      expect(options.map((option) => option.label)).toEqual([...labels, 'Other']);
      expect(new Set(ids).size).toBe(labels.length + 1);
      expect(ids.every((id) => id.length > 0)).toBe(true);
      expect(ids.slice(0, -1)).not.toContain('other');
    }

    expect(await worker.terminate()).toBe(0);
    await stack.startWorker();

    for (const { run_id, label, index, options } of runs) {
      expect(await optionsOf(run_id)).toEqual(options);
      const id = options[index]?.id ?? '';
      expect((await api.resume(run_id, pick(id))).status).toBe(200);
      expect((await api.untilEnded(run_id)).status).toBe('completed');
      expect(await api.toolResults(run_id)).toEqual([{ answer: label, option_id: id }]);
    }
    await expectCleanHistories(temporal, ...runs.map((run) => run.run_id));
  });
});
