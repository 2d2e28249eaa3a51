import { randomBytes } from 'node:crypto';

/** The agent of the session; there is none when `HOLDPOINT_AGENTS` names a folder without the examples. */
const EXAMPLE = 'offsite-planner';

/** What `npm start` prints once everything is up: where things are, and a session to try. */
export function banner(facts: {
  api: string;
  temporal: string;
  webUi: string;
  key: string;
  cli: { source: string; version: string };
  /** Names of the agents that can be started. */
  agents: readonly string[];
}): string {
  const runId = `offsite-${randomBytes(4).toString('hex')}`;
  const base = `${facts.api}/api/platform/v1`;
  return [
    '',
    'Holdpoint is up. Ctrl-C stops everything; what runs were waiting for is kept.',
    '',
    `  Console        ${facts.api}/`,
    `  API            ${base}`,
    `  API reference  ${facts.api}/docs`,
    `  Temporal       ${facts.temporal} (temporal ${facts.cli.version}, found by: ${facts.cli.source})`,
    `  Web UI         ${facts.webUi}`,
    `  API key        ${facts.key}`,
    '',
    ...(facts.agents.includes(EXAMPLE)
      ? [
          'Try it in another terminal, all at once or line by line. A scripted example agent plans an offsite; it asks you one',
          'thing, and a sub-agent of it asks another while its sibling works:',
          '',
          ...session({ base, key: facts.key, runId }),
        ]
      : [
          'Your agents, and what each takes to be started (POST /agents, or the page Start of the console):',
          '',
          `curl -s ${base}/definitions -H 'Authorization: Bearer ${facts.key}'; echo`,
        ]),
    '',
  ].join('\n');
}

/** A curl session: start, see it wait, answer it, answer its sub-agent, see the result. */
export function session(facts: { base: string; key: string; runId: string }): string[] {
  const run = `${facts.base}/agents/${facts.runId}`;
  const auth = `-H 'Authorization: Bearer ${facts.key}'`;
  const json = `-H 'Content-Type: application/json'`;
  return [
    `curl -s ${facts.base}/agents ${auth} ${json} -d '{"agent":"${EXAMPLE}","run_id":"${facts.runId}","input":{"team":"Platform"}}'; echo`,
    `until curl -s ${run} ${auth} | grep awaiting_input; do sleep 1; done`,
    `curl -s ${run}/resume ${auth} ${json} -d '{"input":{"kind":"free_form","text":"12 people"}}'; echo`,
    `until curl -s ${run}/asks ${auth} | grep -q run_id; do sleep 1; done`,
    `CHILD=$(curl -s ${run}/asks ${auth} | sed 's/.*"run_id":"\\([^"]*\\)".*/\\1/')`,
    `curl -s ${facts.base}/agents/$CHILD/resume ${auth} ${json} -d '{"input":{"kind":"multiple_choice","option_id":"other","other_text":"Porto"}}'; echo`,
    `until curl -s ${run} ${auth} | grep completed; do sleep 1; done`,
  ];
}
