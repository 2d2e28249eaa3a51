// A model-driven turn beside a bare activity that asks the same local server: from scheduled to completed, as the history
// has it, in turn.
import { randomUUID } from 'node:crypto';
import { line, ratio, summary } from './measure.mjs';

const WARM_UP = 5;

export async function modelTurns({ client, base, headers }, rounds) {
  for (const ms of [0, 50, 300]) {
    const model = `after-${ms}`;
    const ours = [];
    const bare = [];
    for (let round = -WARM_UP; round < rounds; round += 1) {
      const body = JSON.stringify({ agent: model, input: 'go' });
      const reply = await fetch(`${base}/agents`, { method: 'POST', headers, body });
      const { run_id } = await reply.json();
      await client.workflow.getHandle(run_id).result();
      const workflowId = `turn-${randomUUID()}`;
      await client.workflow.execute('bareTurn', { workflowId, taskQueue: 'bare', args: [model] });
      if (round < 0) continue;
      ours.push(await activityTime(client, run_id));
      bare.push(await activityTime(client, workflowId));
    }
    console.log(`\na model turn, the model thinks ${ms} ms, ${rounds} rounds`);
    console.log(line('holdpoint', summary(ours)));
    console.log(line('bare activity', summary(bare)));
    console.log(`  p50 ratio: ${ratio(ours, bare)} (goal: at most 1.3)`);
  }
}

/** Milliseconds from the first activity of a run scheduled to it completed. */
async function activityTime(client, workflowId) {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const at = (event) => Number(event.eventTime.seconds) * 1_000 + event.eventTime.nanos / 1e6;
  const scheduled = events.find((event) => event.activityTaskScheduledEventAttributes);
  const completed = events.find((event) => event.activityTaskCompletedEventAttributes);
  return at(completed) - at(scheduled);
}
