import type { Claim, Question, RunSnapshot } from './contract';

/** What Temporal's Web UI shows of a run now: the question and how to answer it, in Markdown. */
export function currentDetails(snapshot: RunSnapshot, runId: string): string {
  if (snapshot.pending) return questionDetails(snapshot.pending, snapshot.claim, runId);
  const waiting = snapshot.children_awaiting.map((child) => `- \`${child.run_id}\` waits with \`${child.ask_id}\``);
  if (waiting.length > 0)
    return ['**A sub-agent waits for a person.** Answer it on its own run:', '', ...waiting].join('\n');
  return `Status: ${snapshot.status}`;
}

function questionDetails(question: Question, claim: Claim | undefined, runId: string): string {
  const example =
    question.kind === 'free_form'
      ? { kind: 'free_form', text: 'your answer' }
      : { kind: 'multiple_choice', option_id: question.options?.[0]?.id ?? 'other' };
  const input = JSON.stringify({ ask_id: question.ask_id, input: example });
  const options = (question.options ?? []).map((option) => `- \`${option.id}\`: ${oneLine(option.label)}`);
  return [
    `**Waiting for a person since ${question.asked_at}** (ask \`${question.ask_id}\`)`,
    ...(claim
      ? ['', `Claimed by ${oneLine(claim.by)} until ${claim.until}: until then nobody else's answer is taken.`]
      : []),
    '',
    quoted(question.question),
    '',
    ...options,
    ...(options.length > 0 ? ['', 'With `other`, put the write-in into `other_text`.'] : []),
    '',
    `Answer: POST \`/api/platform/v1/agents/${runId}/resume\`, or the signal \`answer\`:`,
    '',
    '```',
    `temporal workflow signal --workflow-id ${runId} --name answer --input '${input}'`,
    '```',
  ].join('\n');
}

function quoted(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`)
    .join('\n');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
