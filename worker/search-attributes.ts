/**
 * Registration of search attributes. An upsert of one that the server does not know fails every workflow task of the
 * run, so they are there before a worker polls, or it does not start.
 */
import type { Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../workflows/contract';

const VALUE_TYPES = {
  Keyword: temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  Datetime: temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
} as const;

/** The search attributes are missing and cannot be added: the message says which and how to add them. */
export class SearchAttributesError extends Error {
  override readonly name = 'SearchAttributesError';
}

type ServiceConnection = Pick<Connection, 'operatorService' | 'workflowService'>;

/** The missing ones. Throws when one is there with another type, or when the server does not tell. */
async function missingAttributes(
  connection: ServiceConnection,
  namespace: string,
): Promise<Record<string, temporal.api.enums.v1.IndexedValueType>> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing: Record<string, temporal.api.enums.v1.IndexedValueType> = {};
  for (const [name, type] of Object.entries(SEARCH_ATTRIBUTES)) {
    const known = customAttributes?.[name];
    if (known === undefined) missing[name] = VALUE_TYPES[type];
    else if (known !== VALUE_TYPES[type]) {
      throw new SearchAttributesError(`search attribute ${name} exists with another type; Holdpoint needs ${type}`);
    }
  }
  return missing;
}

/** Throws `SearchAttributesError` when the namespace lacks one of Holdpoint's search attributes; adds none. */
export async function checkSearchAttributes(connection: ServiceConnection, namespace: string): Promise<void> {
  const missing = Object.keys(await missingAttributes(connection, namespace));
  if (missing.length > 0) throw new SearchAttributesError(howToAdd(namespace, missing));
}

/**
 * Makes sure that the namespace has Holdpoint's search attributes; adds those that are missing and waits until the
 * server takes them. Throws `SearchAttributesError` when one has another type or cannot be added.
 */
export async function ensureSearchAttributes(connection: ServiceConnection, namespace: string): Promise<void> {
  const missing = await missingAttributes(connection, namespace);
  if (Object.keys(missing).length === 0) return;
  try {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: missing });
  } catch (error) {
    if (!isAlreadyExists(error)) throw new SearchAttributesError(howToAdd(namespace, Object.keys(missing), error));
  }
  await untilUsable(connection, namespace);
}

/** The server caches its attributes for some seconds: a start that used one now might be refused. */
async function untilUsable(connection: ServiceConnection, namespace: string): Promise<void> {
  const query = Object.keys(SEARCH_ATTRIBUTES)
    .map((name) => `${name} IS NULL`)
    .join(' AND ');
  for (let attempt = 0; ; attempt += 1) {
    try {
      await connection.workflowService.countWorkflowExecutions({ namespace, query });
      return;
    } catch (error) {
      if (attempt >= 60)
        throw new SearchAttributesError(`the server does not take the new search attributes: ${reason(error)}`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

function howToAdd(namespace: string, names: string[], error?: unknown): string {
  const flags = names.map(
    (name) => `--name ${name} --type ${SEARCH_ATTRIBUTES[name as keyof typeof SEARCH_ATTRIBUTES]}`,
  );
  return (
    `search attributes are missing${error === undefined ? '' : ` and could not be added (${reason(error)})`}; add them with: ` +
    `temporal operator search-attribute create --namespace ${namespace} ${flags.join(' ')}`
  );
}

function isAlreadyExists(error: unknown): boolean {
  return (error as { code?: unknown }).code === 6;
}

function reason(error: unknown): string {
  return ((error as { details?: string }).details || (error as Error).message).split('\n')[0] ?? 'unknown';
}
