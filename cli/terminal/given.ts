/** What an option was given: itself, a file's content, or what comes on standard input. */
import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { CommandError, EXIT } from './exit';

/** `-` is standard input, whole but for one line end at its end; everything else is the text itself. */
export async function givenText(given: string): Promise<string> {
  return given === '-' ? (await textOf(process.stdin)).replace(/\r?\n$/, '') : given;
}

/** JSON as written, in `@file`, or on standard input with `-`. Throws `CommandError`. */
export async function givenJson(option: string, given: string): Promise<unknown> {
  const text = given.startsWith('@') ? await fileText(option, given.slice(1)) : await givenText(given);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new CommandError(
      `${option} is not JSON: ${error instanceof Error ? error.message : String(error)}`,
      EXIT.usage,
    );
  }
}

async function fileText(option: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${option}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, EXIT.usage);
  }
}
