/** What is read and not written: the question itself, and what became of it. */
import { html, nothing, type TemplateResult } from 'lit';
import type { HoldpointError, Question, RunRecord } from '../../client';
import type { Closing } from './ask-session';
import { markdown } from './markdown';
import { fill, type AskStrings } from './strings';
import { absoluteTime, relativeTime } from './time';

const SOON_MS = 3_600_000;

export function questionHead(
  question: Question,
  record: RunRecord,
  strings: AskStrings,
  lang: string | undefined,
  isOpen: boolean,
): TemplateResult {
  return html`<p class="question" part="question" id="question" dir="auto" tabindex="-1">${question.question}</p>
    <ul class="meta" part="meta">
      <li>${timed(strings.asked, question.asked_at, lang)}</li>
      ${isOpen && question.expires_at ? html`<li>${deadline(question.expires_at, strings, lang)}</li>` : nothing}
      ${isOpen ? html`<li>${whoMayAnswer(question, record, strings, lang)}</li>` : nothing}
    </ul>
    ${
      question.context
        ? html`<details class="context" part="context" open>
            <summary>${strings.context}</summary>
            <div class="markdown" dir="auto">${markdown(question.context)}</div>
          </details>`
        : nothing
    }`;
}

function whoMayAnswer(question: Question, record: RunRecord, strings: AskStrings, lang: string | undefined): string {
  const { claim } = record;
  if (claim?.ask_id === question.ask_id) {
    return fill(strings.heldBy, { holder: claim.by, time: absoluteTime(claim.until, lang) });
  }
  const assignee = question.assignee ?? record.assignee;
  return assignee ? fill(strings.assignedTo, { assignee }) : strings.anyone;
}

function deadline(at: string, strings: AskStrings, lang: string | undefined): TemplateResult {
  const left = Date.parse(at) - Date.now();
  const text = left < 0 ? strings.deadlinePassed : strings.deadline;
  const shown = fill(text, { time: `${absoluteTime(at, lang)} (${relativeTime(at, lang)})` });
  return html`<time datetime=${at} class=${left < SOON_MS ? 'urgent' : ''}>${shown}</time>`;
}

function timed(template: string, at: string, lang: string | undefined): TemplateResult {
  const text = fill(template, { time: relativeTime(at, lang) });
  return html`<time datetime=${at} title=${absoluteTime(at, lang)}>${text}</time>`;
}

/** How a question ended, in a sentence or two. */
export function closingText(closing: Closing, strings: AskStrings): string {
  const who = closing.by === 'policy' ? strings.byPolicy : (closing.who ?? strings.somebody);
  const reason = closing.reason ? `\n${fill(strings.declinedReason, { reason: closing.reason })}` : '';
  switch (closing.outcome) {
    case 'answered':
      if (closing.here) return strings.takenHere;
      return closing.answer === null ? strings.answered : fill(strings.answeredBy, { who, answer: closing.answer });
    case 'declined':
      return closing.here ? strings.declinedHere : fill(strings.declinedBy, { who }) + reason;
    case 'expired':
      return strings.expired;
    case 'withdrawn':
      return strings.withdrawn;
    case 'unknown':
      return strings.closedElsewhere;
  }
}

/** Why the question cannot be shown, and what to do. */
export function failureText(failure: HoldpointError, strings: AskStrings): string {
  if (failure.status === 401) return strings.needsKey;
  if (failure.status === 404) return strings.notFound;
  return fill(strings.unreadable, { message: failure.message });
}
