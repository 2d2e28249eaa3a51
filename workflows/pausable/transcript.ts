import { jsonBytes, LIMITS, toJson, type Json, type ToolCall } from '../contract';
import { cutToFit } from '../state/cut';
import type { TranscriptLog } from '../state/transcript-log';

/**
 * The transcript of a run whose turns are its author's code: each ask and delegation as the call and the result that an
 * agent's would be, so that it reads the same at every door.
 */
export class Transcript {
  constructor(private readonly log: TranscriptLog) {}

  /** What the run was given; one argument stands for itself. */
  begin(args: readonly unknown[]): void {
    const content = toJson(args.length === 1 ? args[0] : args);
    this.log.append({ role: 'user', content: cutToFit(content, LIMITS.toolResultBytes) });
  }

  /** Makes a call, and writes down what was asked and what came of it. Throws what `make` throws. */
  async call(tool: string, args: Json, make: (call: ToolCall) => Promise<Json>): Promise<Json> {
    const id = `call_${this.log.page(0, 1).total}`;
    const shown = jsonBytes(args) > LIMITS.toolArgsBytes ? cutToFit(args, LIMITS.toolArgsBytes / 2) : args;
    this.log.append({ role: 'assistant', text: null, tool_calls: [{ id, tool, args: shown }] });
    const result = await make({ id, tool, args });
    this.log.append({ role: 'tool', tool_call_id: id, tool, result: toJson(result) });
    this.log.trim(LIMITS.transcriptBytes);
    return result;
  }
}
