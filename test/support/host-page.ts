/** Somebody else's page, on an origin of its own and with a strict content security policy, that embeds the widget. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HostPage {
  origin: string;
  /** The page as it shows a run; `body` is the HTML around, `lang` and `dir` those of the page. */
  urlOf: (run: { api: string; runId: string; askId?: string }, more?: Record<string, string>) => string;
  close: () => Promise<void>;
}

/** What a page may reach: its own script, the widget's and the API. No inline script, no inline style, no eval. */
function policy(api: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${api}`,
    "style-src 'self'",
    `connect-src ${api}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].join('; ');
}

/** The page's own script: makes the element, hands it the key, and keeps what it says. */
const SCRIPT = `
const settings = new URLSearchParams(location.search);
const ask = document.createElement('holdpoint-ask');
window.heard = [];
for (const type of ['answered', 'refused', 'closed']) {
  ask.addEventListener(type, (event) => window.heard.push({ type, detail: event.detail }));
}
ask.setAttribute('api', settings.get('api'));
ask.setAttribute('run-id', settings.get('run'));
if (settings.get('ask')) ask.setAttribute('ask-id', settings.get('ask'));
if (settings.get('theme')) ask.setAttribute('theme', settings.get('theme'));
document.documentElement.dir = settings.get('dir') ?? 'ltr';
ask.apiKey = settings.get('key');
document.querySelector('main').append(ask);
window.ask = ask;
`;

export async function startHostPage(): Promise<HostPage> {
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://host');
    if (url.pathname === '/page.js') {
      response.setHeader('content-type', 'text/javascript').end(SCRIPT);
      return;
    }
    const api = url.searchParams.get('api') ?? '';
    response.setHeader('content-security-policy', policy(api));
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><html lang="en"><head><title>Host</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <script type="module" src="${api}/holdpoint-ask.js"></script>
      <script type="module" src="/page.js"></script></head>
      <body><main><h1>Somebody else’s page</h1></main></body></html>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    urlOf: ({ api, runId, askId }, more = {}) =>
      `${origin}/?${new URLSearchParams({ api, run: runId, ...(askId ? { ask: askId } : {}), ...more }).toString()}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
