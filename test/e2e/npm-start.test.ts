/** What `npm start` promises: addresses, a key and a session that works as printed; state that is kept; nothing left behind. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { devSettings, isGroupGone, runInShell, startDev, type DevProgram } from '../support/dev-program';
import { eventually } from '../support/http';
import { metric } from '../support/metrics';
import { Program } from '../support/processes';
import { freeForm, freeText, script } from '../support/scripts';
import { StreamReader } from '../support/sse';

const SCRIPTED = { HOLDPOINT_SCRIPTED: '1', HOLDPOINT_METRICS_PORT: '0' };

describe('npm start', () => {
  const dataDir = path.join(mkdtempSync(path.join(tmpdir(), 'holdpoint-')), 'data');
  let dev: DevProgram;

  beforeAll(async () => (dev = await startDev(dataDir, SCRIPTED)));
  afterAll(async () => {
    await dev.program.kill();
    expect(await isGroupGone(dev.temporalPid)).toBe(true);
    rmSync(path.dirname(dataDir), { recursive: true, force: true });
  });

  /** The terminal signals the whole group, npm included, and npm passes the signal on to us. */
  async function interruptTwice(): Promise<number | null> {
    dev.program.child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 30));
    return dev.program.interrupt();
  }

  /** The printed lines from the first `curl` to the last. */
  function printedSession(): string {
    const lines = dev.program.output.split('\n');
    const isCurl = (line: string) => /^(until |CHILD=\$\()?curl /.test(line);
    return lines.slice(lines.findIndex(isCurl), lines.findLastIndex(isCurl) + 1).join('\n');
  }

  test('prints the address of the API, of Temporal and of its Web UI, and each of them answers', async () => {
    const docs = await dev.program.printed(/API reference +(\S+)/);
    const webUi = await dev.program.printed(/Web UI {2,}(\S+)/);
    for (const url of [docs, webUi, `${dev.api.url}/readyz`]) expect((await fetch(url)).status).toBe(200);
    expect(await dev.program.printed(/Temporal +(\d\S+:\d+)/)).toMatch(/:\d+$/);
  });

  test('the printed session shows the run awaiting_input and ends with it completed, both answers in its result', async () => {
    const output = await runInShell(`${printedSession()}\n`);
    const records = output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { run_id: string; status: string; result: unknown });
    const statuses = records.map((record) => record.status);
    expect(statuses).toContain('awaiting_input');
    const last = records.at(-1);
    expect(last?.run_id).toBe(records[0]?.run_id);
    expect(last?.status).toBe('completed');
    expect(JSON.stringify(last?.result)).toContain('12 people');
    expect(JSON.stringify(last?.result)).toContain('Porto');
  });

  test('every metric of the docs moves, those of the API, its worker and the workflows in one text', async () => {
    const { api, key } = dev;
    const asked = async () => (await api.untilWaiting((await api.start(script([freeForm()]))).run_id)).run_id;
    const [answered, open] = [await asked(), await asked()];
    const temporal = await dev.program.printed(/Temporal +(\d\S+:\d+)/);
    const client = new Client({ connection: await Connection.connect({ address: temporal }) });
    await client.workflow.getHandle(answered).signal('answer', { input: freeText('') });
    expect((await api.resume(answered, freeText('yes'))).status).toBe(200);
    expect((await api.call('POST', `/agents/${await asked()}/cancel`)).status).toBe(202);
    expect((await api.call('GET', '/agents/run_that_is_not_there')).status).toBe(404);
    const reader = await StreamReader.open(api, open);

    const ops = await dev.program.printed(/metrics and health on (\S+)/);
    const authorized = { headers: { authorization: `Bearer ${key}` } };
    const texts = async () => [
      await (await fetch(`${api.url}/metrics`, authorized)).text(),
      await (await fetch(`${ops}/metrics`)).text(),
    ];
    const docs = readFileSync(path.resolve(__dirname, '../../docs/operations.md'), 'utf8');
    const named = [...docs.matchAll(/^\| `(holdpoint_\w+)`/gm)].map(([, name]) => name as string);
    expect(named).toHaveLength(13);
    const wanted = [...named, 'temporal_workflow_task_execution_latency', 'process_resident_memory_bytes'];
    // A histogram is there as its count.
    const still = async () =>
      (await texts()).flatMap((text) =>
        wanted.filter((name) => !((metric(text, name) ?? metric(text, `${name}_count`) ?? 0) > 0)),
      );
    // What Temporal's index counts is a moment late, and so is what the SDK exports.
    await eventually(async () => (await still()).length === 0, 60);
    expect(await still()).toEqual([]);
    reader.drop();
    await client.connection.close();
    expect((await api.call('POST', `/agents/${open}/cancel`)).status).toBe(202);
  });

  test('the key is kept in the data folder, where its owner alone can read it', () => {
    if (process.platform === 'win32') return;
    expect(statSync(path.join(dataDir, 'api-keys.json')).mode & 0o077).toBe(0);
    expect(statSync(dataDir).mode & 0o077).toBe(0);
  });

  test.each([
    ['SIGINT', async () => expect(await dev.program.interrupt()).toBe(0)],
    ['a Ctrl-C that npm sends on a second time', async () => expect(await interruptTwice()).toBe(0)],
    ['SIGTERM', async () => expect(await dev.program.terminate()).toBe(0)],
    ['SIGKILL', async () => dev.program.kill()],
  ])(
    'after %s nothing runs on, and a start on the same folder has the same key and the same question open',
    async (_signal, end) => {
      const { run_id } = await dev.api.start(script([freeForm('Still there?')]));
      const { pending_input_context: question } = await dev.api.untilWaiting(run_id);
      const { key, temporalPid } = dev;

      await end();
      expect(await isGroupGone(temporalPid)).toBe(true);
      dev = await startDev(dataDir, SCRIPTED);

      expect(dev.key).toBe(key);
      const kept = await dev.api.read(run_id);
      expect(kept.status).toBe('awaiting_input');
      expect(kept.pending_input_context).toEqual(question);
      expect((await dev.api.resume(run_id, freeText('yes'))).status).toBe(200);
      expect((await dev.api.untilEnded(run_id)).status).toBe('completed');
      expect(await dev.api.toolResults(run_id)).toEqual([{ answer: 'yes' }]);
    },
  );

  test('a second start on the same folder ends with one line that names the folder', async () => {
    // With the port of the first one too, as it is when `npm start` is typed twice.
    for (const PORT of ['0', new URL(dev.api.url).port]) {
      const second = Program.start(['dev'], devSettings(dataDir, { PORT }));
      expect(await second.closed).toBe(1);
      expect(second.output).toMatch(/^[^\n]+\n$/);
      expect(second.errors).toContain(dataDir);
    }
    expect((await fetch(`${dev.api.url}/readyz`)).status).toBe(200);
  });

  test('a taken PORT ends the start with one line that names PORT, on a new folder and on a used one', async () => {
    const holder = net.createServer();
    const port = await new Promise<number>((resolve) =>
      holder.listen(0, '127.0.0.1', () => resolve((holder.address() as net.AddressInfo).port)),
    );
    const other = path.join(path.dirname(dataDir), 'other');
    for (let start = 0; start < 2; start += 1) {
      const refused = Program.start(['dev'], devSettings(other, { PORT: String(port) }));
      expect(await refused.closed).toBe(1);
      expect(refused.output).toMatch(/^[^\n]+\n$/);
      expect(refused.errors).toContain(`PORT ${port}`);
    }
    holder.close();
  });
});
