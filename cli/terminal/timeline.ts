/** Events of a run as lines that a person reads. */
import type { Question, RunEvent } from '../../client';
import { safeBlock, safeJson, safeLine } from './safe-text';
import type { Style, Terminal } from './terminal';

/** One event: when, what, and what matters of it; a question is shown whole. */
export function timelineLines(event: RunEvent, terminal: Terminal): string[] {
  const { head, below = [] } = describe(event);
  const when = terminal.paint('dim', clockTime(event.timestamp));
  const what = terminal.paint(styleOf(event.type), event.type.padEnd(18));
  const first = `${when}  ${what}  ${head}`.trimEnd();
  return [first, ...below.map((line) => `${' '.repeat(10)}${line}`)];
}

/** A question and what can be answered to it, with the option ids that `--option` takes. */
export function questionLines(question: Question): string[] {
  const lines = safeBlock(question.question).split('\n');
  if (question.context !== null) lines.push('', ...safeBlock(question.context).split('\n'));
  const options = (question.options ?? []).map(({ id, label }) => `  ${safeLine(id).padEnd(7)} ${safeLine(label)}`);
  return options.length === 0 ? lines : [...lines, ...options];
}

/** A JSON value as part of a line. */
export function valueLine(value: unknown): string {
  return typeof value === 'string' ? safeLine(value) : safeJson(value);
}

function describe(event: RunEvent): { head: string; below?: string[] } {
  switch (event.type) {
    case 'run.started':
      return { head: safeLine(event.data.agent) };
    case 'run.completed':
      return { head: valueLine(event.data.result) };
    case 'run.failed':
      return { head: safeLine(`${event.data.error.code}: ${event.data.error.message}`) };
    case 'step.started':
    case 'step.paused':
    case 'step.completed':
    case 'step.failed':
      return { head: safeLine(`${event.data.name} (${event.data.step_id})`) };
    case 'ask.opened':
      return asked(event.run_id, event.data.question);
    case 'ask.answered':
      return { head: safeLine(`${event.data.ask_id}: ${event.data.answer} ${byWhom(event.data)}`) };
    case 'ask.declined':
      return { head: safeLine(`${event.data.ask_id}: ${event.data.message ?? ''} ${byWhom(event.data)}`) };
    case 'ask.rejected':
      return { head: safeLine(`${event.data.ask_id}: ${event.data.code} ${byWhom(event.data)}`) };
    case 'child.started':
      return { head: safeLine(`${event.data.child_run_id} ${event.data.agent}`) };
    case 'child_needs_human':
      return asked(event.data.child_run_id, event.data.question);
    case 'child_ask_closed':
      return { head: safeLine(`${event.data.child_run_id} ${event.data.ask_id}: ${event.data.outcome}`) };
    case 'stream.reset':
      return { head: 'earlier events are no longer kept' };
    default:
      return { head: plain(event.data) };
  }
}

/** Of what has no line of its own: its short values. */
function plain(data: object): string {
  return Object.entries(data)
    .map(([name, value]) => `${safeLine(name)}=${valueLine(value)}`)
    .join(' ');
}

function asked(runId: string, question: Question): { head: string; below: string[] } {
  const head = safeLine(`${runId} ${question.ask_id}`);
  return { head, below: [...questionLines(question), `→ holdpoint answer ${safeLine(runId)}`] };
}

function byWhom({ principal, channel }: { principal: string | null; channel: string }): string {
  return `(${principal ?? 'nobody named'}, ${channel})`;
}

function styleOf(type: string): Style {
  if (/^run\.completed|^ask\.answered|^step\.completed|^child\.completed/.test(type)) return 'green';
  if (/failed|cancelled|rejected|expired/.test(type)) return 'red';
  if (/^ask\.opened|needs_human|paused/.test(type)) return 'yellow';
  return 'cyan';
}

/** The time of day where the reader is. */
function clockTime(timestamp: string): string {
  const at = new Date(timestamp);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
