import type { Reply } from './http';

/** A refusal in short: what was sent is named, so that a failure in a long list says which. */
export function refusal(sent: unknown, { status, body }: Pick<Reply, 'status' | 'body'>) {
  const named = body as { error?: unknown; issues?: { path: string }[] } | undefined;
  return { sent, status, error: named?.error, paths: named?.issues?.map(({ path }) => path) };
}

/** The fault lies in this field of the body, and nowhere else. */
export function faultIn(sent: unknown, ...paths: string[]) {
  return { sent, status: 422, error: 'invalid_input', paths };
}

/** A refusal by one of the codes that come without issues. */
export function refusedAs(sent: unknown, status: number, error: string) {
  return { sent, status, error, paths: undefined };
}
