// `npm run bench`: Holdpoint beside a bare Temporal workflow, in one run, on one server, interleaved. Prints p50/p95/p99
// and ratios; absolute times say more about the machine than about Holdpoint. `-- --quick` does less of each;
// `--rounds=`, `--crowd=` and `--paused=` say how much; `--only=model-turns` stops after these.
import { parseArgs } from 'node:util';
import { build, isFresh } from '../build.mjs';
import { eachAtOnce, line, ratio, summary, timed } from './measure.mjs';

const USAGE = 'npm run bench -- [--quick] [--rounds=150] [--crowd=1000] [--paused=5000] [--only=model-turns]';
const { values: given } = readArgs();

if (!isFresh()) await build();
const { startStack } = await import('./stack.mjs');
const { bare, holdpoint } = await import('./subjects.mjs');
const { modelTurns } = await import('./model-turns.mjs');

const ROUNDS = numberOf('rounds') ?? (given.quick ? 20 : 150);
const WARM_UP = 5;
const CROWD = numberOf('crowd') ?? (given.quick ? 100 : 1_000);
const CONCURRENCY = 64;
const PAUSED = numberOf('paused') ?? (given.quick ? 200 : 5_000);

const stack = await startStack();
try {
  const subjects = [holdpoint(stack), bare(stack, false), bare(stack, true)];
  await modelTurns(stack, ROUNDS);
  if (given.only === undefined) {
    await latencies(subjects);
    await reads(subjects[0]);
    await pushDelay(subjects[0]);
    await crowd(subjects);
    await memory(subjects[0]);
  }
} finally {
  await stack.stop();
}

function readArgs() {
  const options = { quick: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } };
  for (const name of ['rounds', 'crowd', 'paused', 'only']) options[name] = { type: 'string' };
  try {
    const args = parseArgs({ options });
    const { help, only, rounds, crowd, paused } = args.values;
    const numbers = [rounds, crowd, paused].filter((value) => value !== undefined);
    if (!help && numbers.every((value) => /^[1-9]\d*$/.test(value)) && [undefined, 'model-turns'].includes(only))
      return args;
    console.log(USAGE);
    process.exit(help ? 0 : 2);
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`);
    process.exit(2);
  }
}

function numberOf(name) {
  return given[name] === undefined ? undefined : Number(given[name]);
}

/** One at a time, the subjects in turn: start until the question is readable, and answer until it is taken. */
async function latencies(subjects) {
  const paused = subjects.map(() => []);
  const answered = subjects.map(() => []);
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const [i, subject] of subjects.entries()) {
      let runId;
      const start = await timed(async () => {
        runId = await subject.start();
        await subject.untilPaused(runId);
      });
      const answer = await timed(() => subject.answer(runId));
      if (round < 0) continue;
      paused[i].push(start);
      answered[i].push(answer);
    }
  }
  for (const [title, times, goal] of [
    ['start → question readable', paused, 1.5],
    ['answer → taken (POST → 200, against signal and query)', answered, 1.5],
  ]) {
    console.log(`\n${title}, ${ROUNDS} rounds`);
    for (const [i, subject] of subjects.entries()) console.log(line(subject.name, summary(times[i])));
    for (const i of [1, 2]) {
      const against = i === 1 ? ` (goal: at most ${goal})` : '';
      console.log(`  p50 ratio to ${subjects[i].name}: ${ratio(times[0], times[i])}${against}`);
    }
  }
}

async function reads(subject) {
  const runId = await subject.start();
  await subject.untilPaused(runId);
  const times = [];
  for (let i = 0; i < ROUNDS * 2; i += 1) times.push(await timed(() => subject.read(runId)));
  console.log(`\nread a paused run (one describe, no worker)`);
  console.log(line(subject.name, summary(times)));
}

async function pushDelay(subject) {
  const fromPost = [];
  const fromReply = [];
  for (let i = 0; i < Math.ceil(ROUNDS / 3); i += 1) {
    const runId = await subject.start();
    const shown = await subject.stream(runId);
    await shown('step.paused');
    const posted = performance.now();
    await subject.answer(runId);
    const replied = performance.now();
    const seen = await shown('ask.answered');
    fromPost.push(seen - posted);
    fromReply.push(Math.max(0, seen - replied));
  }
  console.log('\nevent stream: an answer shows');
  console.log(line('after the POST was sent', summary(fromPost)));
  console.log(line('after its 200', summary(fromReply)));
}

/** Many at a time: all paused, then all answered. */
async function crowd(subjects) {
  console.log(`\n${CROWD} runs, ${CONCURRENCY} at a time, runs/s`);
  for (const subject of subjects) {
    const runIds = [];
    const pausing = await timed(() =>
      eachAtOnce(CROWD, CONCURRENCY, async () => {
        const runId = await subject.start();
        await subject.untilPaused(runId);
        runIds.push(runId);
      }),
    );
    const answering = await timed(() => eachAtOnce(CROWD, CONCURRENCY, (i) => subject.answer(runIds[i])));
    const perSecond = (ms) => (CROWD / (ms / 1000)).toFixed(1).padStart(7);
    console.log(`  ${subject.name.padEnd(32)} paused ${perSecond(pausing)}   answered ${perSecond(answering)}`);
  }
}

async function memory(subject) {
  const before = stack.workerMemory();
  await eachAtOnce(PAUSED, CONCURRENCY, async () => {
    await subject.untilPaused(await subject.start());
  });
  const after = stack.workerMemory();
  const each = (after - before) / PAUSED / 1024;
  const mb = (bytes) => `${Math.round(bytes / 1024 / 1024)} MB`;
  console.log(`\nworker memory with ${PAUSED} more paused runs in its cache`);
  console.log(`  ${mb(before)} → ${mb(after)}: ${each.toFixed(1)} kB a paused run`);
}
