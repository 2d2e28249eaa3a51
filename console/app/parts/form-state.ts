/** What was filled in on the start page, what is wrong with it, and the input that it stands for. */
import type { Issue } from '../../../client';
import type { Json } from '../../../workflows/contract';
import { fieldsOf, readField, readJson, setAt, type JsonSchema } from './schema-form';

/** Names that are no path of the input. */
export const WHOLE_INPUT = '#json';
export const MODE = '#mode';
export const ASSIGNEE = '#assignee';

export class FormState {
  private readonly filledIn: Map<string, string>;
  private readonly problems = new Map<string, string>();

  constructor(
    readonly schema: JsonSchema,
    /** What was filled in before. */
    before: Record<string, string>,
    private readonly onChange: () => void,
  ) {
    this.filledIn = new Map(Object.entries(before));
  }

  /** All that was filled in, by name. */
  get values(): Record<string, string> {
    return Object.fromEntries(this.filledIn);
  }

  written(name: string, initial = ''): string {
    return this.filledIn.get(name) ?? initial;
  }

  /** For a control's own event. */
  readonly setter = (name: string) => (event: Event) => {
    this.filledIn.set(name, (event.target as HTMLInputElement).value);
    this.problems.delete(name === WHOLE_INPUT ? 'input' : `input.${name}`);
    this.onChange();
  };

  /** What is wrong at a path of the request's body: `input.title`, `assignee`. */
  problem(path: string): string | undefined {
    return this.problems.get(path);
  }

  get hasProblems(): boolean {
    return this.problems.size > 0;
  }

  /** The input as it was filled in; undefined when it is none. Problems of before are forgotten, new ones noted. */
  readInput(): Json | undefined {
    this.problems.clear();
    const fields = fieldsOf(this.schema);
    if (!fields) {
      const read = readJson(this.written(WHOLE_INPUT, '{}'));
      if ('problem' in read) this.problems.set('input', read.problem);
      return 'value' in read ? read.value : undefined;
    }
    const input: Record<string, Json> = {};
    for (const field of fields) {
      const read = readField(field, this.written(field.path, field.initial));
      if ('problem' in read) this.problems.set(`input.${field.path}`, read.problem);
      else if (read.value !== undefined) setAt(input, field.path, read.value);
    }
    return input;
  }

  /** Puts what the server said beside its field, where there is one. */
  note({ path, message }: Issue): void {
    const fields = fieldsOf(this.schema) ?? [];
    const known = [...fields.map((field) => `input.${field.path}`), 'assignee', 'agent'];
    const at = known.find((name) => path === name || path.startsWith(`${name}.`));
    const told = at ? message : `${path}: ${message}`;
    const key = at ?? 'input';
    this.problems.set(key, [this.problems.get(key), told].filter(Boolean).join('; '));
  }
}
