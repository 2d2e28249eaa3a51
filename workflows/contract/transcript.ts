/** The transcript (`GET /agents/{id}/messages`): each message, tool call and tool result as the agent saw it. */
import { z } from 'zod';

export const toolCallSchema = z.strictObject({
  id: z.string(),
  tool: z.string(),
  args: z.json(),
  /** Why the call was refused before it got to its tool; its arguments are left out then. */
  refused: z.string().optional(),
  /** The error that a refused call is told as; `invalid_arguments` when it is not said. */
  refused_as: z.string().optional(),
  /** Whether a person has to approve it first, as its tool judged by the arguments. */
  needs_approval: z.boolean().optional(),
  /** The provider's own id of the call, and what it wants back with it. */
  provider: z.strictObject({ id: z.string().optional(), options: z.json().optional() }).optional(),
});
export type ToolCall = z.infer<typeof toolCallSchema>;

/** A model's thoughts, kept for the provider alone: some want them back, whole, with the next turn. */
export const reasoningSchema = z.strictObject({ text: z.string(), options: z.json().optional() });
export type Reasoning = z.infer<typeof reasoningSchema>;

export const messageSchema = z
  .discriminatedUnion('role', [
    z.strictObject({ role: z.literal('user'), content: z.json() }),
    z.strictObject({
      role: z.literal('assistant'),
      text: z.string().nullable(),
      tool_calls: z.array(toolCallSchema),
      reasoning: z.array(reasoningSchema).optional(),
    }),
    z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), tool: z.string(), result: z.json() }),
  ])
  .meta({ id: 'Message' });
export type Message = z.infer<typeof messageSchema>;

/** One page of a transcript. Positions count from 0 and never change; `first` is the first that is still kept. */
export interface MessagePage {
  messages: Message[];
  /** Position of the first message of this page. */
  from: number;
  /** Messages of the run so far, those no longer kept included. */
  total: number;
  has_more: boolean;
  /** Tokens that the run's model turns have used so far; missing in replies of older workers. */
  tokens?: number;
}
