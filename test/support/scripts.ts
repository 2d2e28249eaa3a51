/** Scripts for the scripted agent (CONTRACT §10), built from small pieces. */
export type Call = { tool: string; args: Record<string, unknown> };

/** A script: each argument is one turn, a call or several side by side. */
export function script(turns: (Call | Call[])[], text = 'done') {
  return { turns: turns.map((turn) => ({ calls: Array.isArray(turn) ? turn : [turn] })), text };
}

/** MC of CASES.md. */
export function choice(...options: string[]): Call {
  return { tool: 'ask_a_human', args: { kind: 'multiple_choice', question: 'Which one?', options } };
}

/** FF of CASES.md. */
export function freeForm(question = 'What do you think?'): Call {
  return { tool: 'ask_a_human', args: { kind: 'free_form', question } };
}

export function sleep(ms: number): Call {
  return { tool: 'sleep', args: { ms } };
}

export function effect(name: string): Call {
  return { tool: 'record_effect', args: { name } };
}

export function delegate(input: unknown, more: { background?: boolean; agent?: string } = {}): Call {
  return { tool: 'delegate', args: { agent: 'scripted', input, ...more } };
}

export function collect(childRunId?: string): Call {
  return { tool: 'collect', args: childRunId === undefined ? {} : { child_run_id: childRunId } };
}

export const freeText = (text: string) => ({ kind: 'free_form', text });
export const pick = (optionId: string) => ({ kind: 'multiple_choice', option_id: optionId });
export const writeIn = (text: string) => ({ kind: 'multiple_choice', option_id: 'other', other_text: text });
export const decline = (reason?: string) => ({ kind: 'decline', ...(reason === undefined ? {} : { reason }) });
