/** Code blocks of the README and the docs, so that tests run what is printed there. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Blocks of one language in a Markdown file, in order. */
export function snippets(file: string, language: string): string[] {
  const text = readFileSync(path.resolve(__dirname, '../..', file), 'utf8');
  const fence = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm');
  return [...text.matchAll(fence)].map((match) => match[1] ?? '');
}

/** The one block that holds `mark`. */
export function snippetWith(file: string, language: string, mark: string): string {
  const found = snippets(file, language).filter((snippet) => snippet.includes(mark));
  if (found.length !== 1) throw new Error(`${file} has ${found.length} ${language} snippets with ${mark}`);
  return found[0] as string;
}
