/** A person's reply that Mission Control passes on, as an answer to the question that waits (CONTRACT §7). */
import {
  attachmentsSchema,
  contractIssue,
  judgeText,
  type Attachment,
  type ContractIssue,
} from '../../workflows/contract';
import { ApiError, runNotWaiting } from '../errors';
import type { FoundRun } from '../service/lookup';
import type { ResumeRequest } from '../service/resume';
import type { Waiting } from '../service/timeline';
import type { MessageBody } from './schemas';
import { waitingStepId } from './status';

/** Judges a message for the question that waits. Whatever it throws, nothing has been recorded. */
export function requestOf(run: FoundRun, waiting: Waiting | null, body: MessageBody): ResumeRequest {
  const { orchestratorRunId, stepId, message } = body;
  if (orchestratorRunId && orchestratorRunId !== run.runId) {
    throw invalid([{ path: 'orchestratorRunId', code: 'invalid_value', message: 'must be the run of the path' }]);
  }
  if (!waiting) throw runNotWaiting();
  if (stepId && stepId !== waitingStepId(waiting)) throw stepNotWaiting(waitingStepId(waiting));
  const attachments = attachmentsOf(body);
  const verdict = judgeText(
    waiting.question,
    message,
    attachments.map(({ filename }) => filename),
  );
  if (!verdict.ok) throw invalid(verdict.issues);
  return { input: verdict.answer, ask_id: waiting.question.ask_id, channel: 'mission_control', attachments };
}

/** A lost race as this door tells it: the step has got its answer from somebody else. */
export function missionError(error: unknown, runId: string, asker: string | undefined): unknown {
  if (!(error instanceof ApiError)) return error;
  const gone = error.code === 'run_not_found' || error.code === 'run_not_waiting';
  // It is a sub-agent that no longer waits; the run itself is not what the caller has to look at.
  if (error.code === 'ask_mismatch' || (gone && asker !== undefined && asker !== runId)) {
    return new ApiError('step_not_waiting', 'the question of this step is closed: read the status for what waits now');
  }
  return error;
}

function attachmentsOf({ attachments }: MessageBody): Attachment[] {
  const named = (attachments ?? []).map((file) => ({
    kind: file.kind || 'file',
    filename: file.filename,
    media_type: file.mediaType ?? null,
    size_bytes: file.sizeBytes ?? null,
  }));
  const parsed = attachmentsSchema.safeParse(named);
  if (parsed.success) return parsed.data;
  throw invalid(
    parsed.error.issues.map(contractIssue).map((issue) => ({ ...issue, path: attachmentPath(issue.path) })),
  );
}

function attachmentPath(path: string): string {
  const named = path.replace(/media_type$/, 'mediaType').replace(/size_bytes$/, 'sizeBytes');
  return named === '' ? 'attachments' : `attachments.${named}`;
}

function invalid(issues: ContractIssue[]): ApiError {
  return new ApiError(
    'invalid_input',
    'the message is no answer to the question: see issues; nothing was recorded',
    issues,
  );
}

function stepNotWaiting(waitingStep: string): ApiError {
  return new ApiError('step_not_waiting', `this step does not wait for an answer: ${waitingStep} does`);
}
