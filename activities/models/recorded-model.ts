import type { Json } from '../../workflows/contract';
import type { Model, ModelResponse, ModelTurnRequest } from '../model';

/** What a recorded model says in one turn: calls side by side, or its final text. */
export type RecordedTurn = { text?: string; calls: { tool: string; args: Json }[] } | { text: string };

/** What a recorded turn may look at: the run's input, and what its tools have brought. */
export interface RecordedView {
  input: Json;
  /** The latest result of a tool; null when it has none yet. */
  result: (tool: string) => Json;
  /** All its results, the oldest first. */
  results: (tool: string) => Json[];
}

/**
 * A model that says again what a model once said, turn by turn, so that an agent runs with no key at all. A turn is a
 * function where it depends on what tools and people have answered; after the last turn it repeats that one.
 */
export class RecordedModel implements Model {
  constructor(private readonly turns: readonly ((view: RecordedView) => RecordedTurn)[]) {}

  respond({ turn, input, messages }: ModelTurnRequest): Promise<ModelResponse> {
    const results = (tool: string) =>
      messages.flatMap((message) => (message.role === 'tool' && message.tool === tool ? [message.result] : []));
    const view: RecordedView = { input, results, result: (tool) => results(tool).at(-1) ?? null };
    const said = this.turns.at(Math.min(turn, this.turns.length - 1))?.(view) ?? { text: '' };
    const calls = 'calls' in said ? said.calls : [];
    return Promise.resolve({
      text: said.text ?? null,
      calls: calls.map((call, k) => ({ id: `call_${turn + 1}_${k + 1}`, ...call })),
      final: calls.length === 0,
      tokens: 0,
    });
  }
}

/** A member of an object, null when there is none: recorded turns read results of any shape. */
export function member(value: Json, name: string): Json {
  const is = typeof value === 'object' && value !== null && !Array.isArray(value);
  return is ? (value[name] ?? null) : null;
}

/** A member that is a text, or a number as text; empty when there is none. */
export function textMember(value: Json, name: string): string {
  const found = member(value, name);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
}
