/**
 * Tool approvals: an agent that releases a version. Looking is free; deploying always needs a person's yes, an
 * announcement only when it goes to everyone. The tools of this example touch nothing: they say what they would do.
 */
import { z } from 'zod';
import { defineAgent, defineTool, member, textMember, type RecordedTurn } from '../../../activities/define';
import { modelOr } from '../_model';

const version = z.string().regex(/^\d+\.\d+\.\d+$/, 'must be a version such as 1.4.0');

const listChanges = defineTool({
  name: 'list_changes',
  title: 'List changes',
  description: 'Lists what has changed since the last release.',
  input: z.object({ version }),
  execute: () => ({
    changes: ['Faster search', 'Invoices can be exported', 'Fix: dates in the inbox'],
    breaking: false,
  }),
});

const runChecks = defineTool({
  name: 'run_checks',
  title: 'Run checks',
  description: 'Runs the checks of a version and returns how they went.',
  input: z.object({ version }),
  execute: () => ({ passed: 412, failed: 0 }),
});

const deploy = defineTool({
  name: 'deploy',
  title: 'Deploy',
  description: 'Deploys a version. The share of traffic that it gets is a whole percentage.',
  input: z.object({
    version,
    environment: z.enum(['staging', 'production']),
    traffic_percent: z.number().int().min(1).max(100),
  }),
  needsApproval: true,
  // A deployment must not happen twice: a real one hands the key on to whoever deploys.
  execute: (args, { idempotencyKey }) => ({ deployed: args, deployment: idempotencyKey }),
});

const announce = defineTool({
  name: 'announce',
  title: 'Announce',
  description: 'Announces a release to the team or to everyone.',
  input: z.object({ audience: z.enum(['team', 'everyone']), text: z.string().min(1).max(2_000) }),
  needsApproval: ({ audience }) => audience === 'everyone',
  execute: ({ audience }) => ({ announced_to: audience }),
});

const release = modelOr([
  ({ input }) => ({
    calls: [
      { tool: 'list_changes', args: { version: versionOf(input) } },
      { tool: 'run_checks', args: { version: versionOf(input) } },
    ],
  }),
  ({ input }) => ({
    text: 'The checks pass and nothing breaks: I deploy to a tenth of production first.',
    calls: [
      { tool: 'deploy', args: { version: versionOf(input), environment: 'production', traffic_percent: 10 } },
      { tool: 'announce', args: { audience: 'team', text: `${versionOf(input)} is about to go out.` } },
    ],
  }),
  ({ input, result }): RecordedTurn => {
    const refused = member(result('deploy'), 'error');
    if (refused !== null) {
      return { text: `Not released: ${textMember(result('deploy'), 'message')}` };
    }
    const text = `${versionOf(input)} is out: faster search, invoices can be exported.`;
    return { calls: [{ tool: 'announce', args: { audience: 'everyone', text } }] };
  },
  ({ input, result }): RecordedTurn => {
    if (member(result('deploy'), 'error') !== null) return { text: 'Not released.' };
    const announced = member(result('announce'), 'error') === null ? 'announced' : 'not announced';
    return { text: `${versionOf(input)} is deployed and ${announced}.` };
  },
]);

export const releaseManager = defineAgent({
  name: 'release-manager',
  description: `Releases a version; a person approves the deployment and any announcement to everyone. ${release.note}`,
  instructions: [
    'You release a version. List the changes and run the checks first; stop when a check fails.',
    'Then deploy to production with 10 percent of the traffic, and announce it to the team.',
    'When it is deployed, announce it to everyone in one sentence. When a person rejects a step, stop and say why.',
  ].join(' '),
  input: z.object({ version }),
  tools: [listChanges, runChecks, deploy, announce],
  model: release.model,
});

type Value = Parameters<typeof member>[0];

function versionOf(input: Value): string {
  return textMember(input, 'version');
}
