/** What a model written as code has said: its author may leave out what goes without saying, and hears of what is wrong. */
import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import type { ModelResponse } from './model';

const replySchema = z.object({
  text: z.string().nullish(),
  calls: z.array(z.looseObject({ id: z.string(), tool: z.string(), args: z.unknown() })).optional(),
  final: z.boolean().optional(),
  tokens: z.number().nonnegative().optional(),
});

/** Without `calls` there are none, and a turn without calls is the last. Throws `invalid_model_reply`, which no retry mends. */
export function wholeReply(agent: string, reply: ModelResponse): ModelResponse {
  const judged = replySchema.safeParse(reply);
  if (!judged.success) {
    const [issue] = judged.error.issues;
    const where = issue?.path.join('.') || 'its top';
    const message = `respond() of ${agent} must return {text, calls, final, tokens}; at ${where}: ${issue?.message}`;
    throw ApplicationFailure.nonRetryable(message, 'invalid_model_reply');
  }
  const calls = reply.calls ?? [];
  return {
    ...reply,
    text: reply.text ?? null,
    calls,
    final: reply.final ?? calls.length === 0,
    tokens: reply.tokens ?? 0,
  };
}
