/** Where a command reads and writes: what it was asked for on stdout, everything else on stderr. */
import { styleText } from 'node:util';
import { HoldpointError } from '../../client';
import { CommandError } from './exit';
import { columnsOf, fitted, safeJson, safeLine } from './safe-text';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export class Terminal {
  constructor(
    /** Machine-readable output: JSON on stdout, errors as JSON on stderr. */
    readonly json: boolean,
    private readonly colours: boolean,
  ) {}

  /** True where a person can be asked: prompts go to stderr, so stdout may be a file. */
  get canAsk(): boolean {
    return process.stdin.isTTY && process.stderr.isTTY;
  }

  /** Something that was asked for. `text` is safe to show. */
  line(text = ''): void {
    process.stdout.write(`${text}\n`);
  }

  /** Something besides: a hint, a state. */
  note(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** A whole answer as JSON, for people indented and for programs on one line. */
  value(value: unknown): void {
    this.line(safeJson(value, process.stdout.isTTY ? 2 : undefined));
  }

  /** One of many, a line each. */
  record(value: unknown): void {
    this.line(safeJson(value));
  }

  paint(style: Style, text: string): string {
    return this.colours ? styleText(style, text, { validateStream: false }) : text;
  }

  /** Columns aligned; the last one is cut where the terminal ends, and whole where there is none. */
  table(head: readonly string[], rows: readonly (readonly string[])[]): void {
    const cells = rows.map((row) => row.map(safeLine));
    const widths = head.map((title, at) => Math.max(...[title, ...cells.map((row) => row[at] ?? '')].map(columnsOf)));
    const lay = (row: readonly string[]) =>
      row
        .map((cell, at) => (at === row.length - 1 ? cell : `${cell}${' '.repeat((widths[at] ?? 0) - columnsOf(cell))}`))
        .join('  ');
    const room = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
    this.line(this.paint('bold', fitted(lay(head), room)));
    for (const row of cells) this.line(fitted(lay(row), room));
  }

  /** An error, for whoever reads it: one line and its issues, or one line of JSON. */
  error(error: unknown): void {
    const { code, message, issues } = factsOf(error);
    if (this.json) {
      this.note(safeJson({ error: code, message, ...(issues.length > 0 ? { issues } : {}) }));
      return;
    }
    this.note(`${this.paint('red', 'error:')} ${safeLine(message)}`);
    for (const issue of issues) this.note(`  ${safeLine(`${issue.path || 'body'}: ${issue.message}`)}`);
  }
}

/** What to do about it at a terminal. */
const HINTS: Partial<Record<string, string>> = {
  unauthorized: 'HOLDPOINT_API_KEY is the key that is sent',
  connection_failed: 'HOLDPOINT_URL or --url says where the API is',
};

function factsOf(error: unknown): Pick<HoldpointError, 'code' | 'message' | 'issues'> {
  if (error instanceof HoldpointError) {
    const { code, message, issues } = error;
    const hint = HINTS[code];
    return { code, message: hint ? `${message} (${hint})` : message, issues };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: error instanceof CommandError ? error.code : 'failed', message, issues: [] };
}
