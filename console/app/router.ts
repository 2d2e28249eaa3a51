/** Addresses of the pages. All behind `#`, so that none of them shadows a path of the API. */
export type Route =
  | { page: 'inbox'; runId: string | null; askId: string | null; query: URLSearchParams }
  | { page: 'runs'; query: URLSearchParams }
  | { page: 'run'; runId: string; view: RunView; query: URLSearchParams }
  | { page: 'start'; query: URLSearchParams }
  | { page: 'unknown'; query: URLSearchParams };

export const RUN_VIEWS = ['timeline', 'transcript', 'details'] as const;
export type RunView = (typeof RUN_VIEWS)[number];

/** The page that a `location.hash` names; the inbox when it names none. */
export function routeOf(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  const query = new URLSearchParams(search);
  const parts = path.split('/').filter(Boolean).map(decoded);
  const [page, first, second, third] = parts;
  if (third !== undefined) return { page: 'unknown', query };
  switch (page) {
    case undefined:
      return { page: 'inbox', runId: null, askId: null, query };
    case 'inbox':
      if (first !== undefined && second === undefined) return { page: 'unknown', query };
      return { page: 'inbox', runId: first ?? null, askId: second ?? null, query };
    case 'runs': {
      if (first === undefined) return { page: 'runs', query };
      const view = RUN_VIEWS.find((known) => known === (second ?? 'timeline'));
      return view ? { page: 'run', runId: first, view, query } : { page: 'unknown', query };
    }
    case 'start':
      return first === undefined ? { page: 'start', query } : { page: 'unknown', query };
    default:
      return { page: 'unknown', query };
  }
}

/** The address of a page: path parts, and what of the query is not empty. */
export function href(parts: readonly string[], query: Record<string, string | null> | URLSearchParams = {}): string {
  const entries = query instanceof URLSearchParams ? [...query] : Object.entries(query);
  const kept = entries.filter((entry): entry is [string, string] => entry[1] !== null && entry[1] !== '');
  const search = new URLSearchParams(kept).toString();
  return `#/${parts.map(encodeURIComponent).join('/')}${search ? `?${search}` : ''}`;
}

export const runHref = (runId: string, view: RunView = 'timeline') =>
  href(view === 'timeline' ? ['runs', runId] : ['runs', runId, view]);
export const askHref = (runId: string, askId: string, query?: URLSearchParams) => href(['inbox', runId, askId], query);

/** Puts settings of a page into its address without a step in the history for each letter typed. */
export function replaceQuery(parts: readonly string[], query: Record<string, string>): void {
  history.replaceState(null, '', href(parts, query));
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
