/** `POST /agents`: starting a run. */
import { randomUUID } from 'node:crypto';
import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import {
  jsonBytes,
  LIMITS,
  MEMO_KEYS,
  newRunSnapshot,
  runIdFromUuid,
  WORKFLOW_TYPE,
  type AgentRunArgs,
  type ContractIssue,
  type RunIdentity,
  type RunRecord,
  type StartRun,
  type WorkflowTarget,
} from '../../workflows/contract';
import type { Agent } from '../../activities/agents';
import { ApiError, nullWhen } from '../errors';
import type { Principal } from '../keys';
import { fingerprint, fingerprintOfJson } from './fingerprint';
import type { TemporalGateway } from './gateway';
import type { KeyedStarts } from './keyed-starts';
import { readRun } from './lookup';
import { recordInAnyCase, recordOf } from './record';

/** What the API knows of an agent: that it can be started, and with what. */
export interface StartableAgent extends Omit<Agent, 'model'> {
  /** For a workflow of a team's own, made with `pausableRun`: it is started with the input as its one argument. */
  workflow?: WorkflowTarget | undefined;
}

const MAX_METADATA_BYTES = 16 * 1024;

/** Starts a run, or finds the one that the same `Idempotency-Key` has started. */
export async function startRun(
  deps: { gateway: TemporalGateway; agents: ReadonlyMap<string, StartableAgent>; keyedStarts: KeyedStarts },
  principal: Principal,
  body: StartRun,
  idempotencyKey: string | undefined,
): Promise<RunRecord> {
  const agent = checkStart(deps.agents, body);
  const start =
    idempotencyKey === undefined
      ? undefined
      : { key: fingerprint(principal.workspace, idempotencyKey), digest: fingerprintOfJson(body) };
  const keyed = start && `run_${start.key.slice(0, 32)}`;
  const runId = body.run_id ?? keyed ?? runIdFromUuid(randomUUID());
  // A chosen id is another body than the one that this key has started a run with.
  if (start && keyed !== runId && (await isStartedBy(deps.gateway, keyed, start.key))) throw keyIsUsed();
  if (start && !deps.keyedStarts.bind(start.key, runId)) throw keyIsUsed();
  const identity: RunIdentity = {
    root_run_id: runId,
    parent_run_id: null,
    ancestors: [],
    agent: body.agent,
    workspace: principal.workspace,
    on_question: body.on_question,
    assignee: body.assignee,
    metadata: body.metadata,
    ...(start ? { start } : {}),
  };
  const started = await deps.gateway.start(
    runId,
    agent.workflow
      ? { type: agent.workflow.type, taskQueue: agent.workflow.task_queue, args: [body.input] }
      : { type: WORKFLOW_TYPE, args: [{ agent: body.agent, input: body.input, run: identity } satisfies AgentRunArgs] },
    {
      memo: { [MEMO_KEYS.run]: identity },
      typedSearchAttributes: attributesOf(identity),
      staticSummary: `agent ${body.agent}`.slice(0, 100),
    },
  );
  if (started) return readStarted(deps.gateway, runId, identity);
  if (!start) throw runExists();
  const found = await readRun(deps.gateway, runId);
  const theirs = found?.identity.start;
  if (!found || theirs?.key !== start.key) {
    // The same key may try another id.
    deps.keyedStarts.free(start.key);
    throw runExists();
  }
  if (theirs.digest !== start.digest) throw keyIsUsed();
  return recordOf(deps.gateway, found);
}

/** The record of a run that was just started. It runs, so the caller hears of it even if it cannot be read in time. */
async function readStarted(gateway: TemporalGateway, runId: string, identity: RunIdentity): Promise<RunRecord> {
  const found = await readRun(gateway, runId).catch(() => null);
  if (found) return recordInAnyCase(gateway, found);
  const startedAt = new Date().toISOString();
  const open = { closed: false, closedAt: null, withdrawnAskId: null };
  const snapshot = newRunSnapshot(startedAt);
  return recordInAnyCase(gateway, { runId, executionId: '', historyLength: 0, startedAt, identity, snapshot, ...open });
}

async function isStartedBy(gateway: TemporalGateway, runId: string | undefined, key: string): Promise<boolean> {
  if (runId === undefined) return false;
  const found = await readRun(gateway, runId).catch(nullWhen('run_not_found'));
  return found?.identity.start?.key === key;
}

function checkStart(agents: ReadonlyMap<string, StartableAgent>, body: StartRun): StartableAgent {
  const agent = agents.get(body.agent);
  if (!agent) {
    const known = [...agents.keys()].join(', ') || 'none';
    throw invalid([{ path: 'agent', code: 'unknown_agent', message: `there is no such agent; there are: ${known}` }]);
  }
  if (jsonBytes(body.metadata) > MAX_METADATA_BYTES) {
    throw invalid([{ path: 'metadata', code: 'too_big', message: `must be at most ${MAX_METADATA_BYTES} bytes` }]);
  }
  if (jsonBytes(body.input) > LIMITS.bodyBytes) {
    throw invalid([{ path: 'input', code: 'too_big', message: `must be at most ${LIMITS.bodyBytes} bytes` }]);
  }
  const issues = agent.checkInput?.(body.input) ?? [];
  if (issues.length > 0) {
    throw invalid(issues.map((issue) => ({ ...issue, path: issue.path ? `input.${issue.path}` : 'input' })));
  }
  return agent;
}

function invalid(issues: ContractIssue[]): ApiError {
  return new ApiError('invalid_input', 'the body does not start a run: see issues', issues);
}

function keyIsUsed(): ApiError {
  return new ApiError('idempotency_conflict', 'this Idempotency-Key has started a run with another body');
}

function runExists(): ApiError {
  return new ApiError('run_exists', 'this run_id is taken: choose another one, or leave it out');
}

/** Search attributes of a run that starts; the workflow keeps those that change. */
function attributesOf(identity: RunIdentity): SearchAttributePair[] {
  const keyword = (name: string, value: string) => ({ key: defineSearchAttributeKey(name, 'KEYWORD'), value });
  const pairs = [
    keyword('HoldpointStatus', 'running'),
    keyword('HoldpointAgent', identity.agent),
    keyword('HoldpointRootRunId', identity.root_run_id),
    keyword('HoldpointWorkspace', identity.workspace),
  ];
  if (identity.assignee !== null) pairs.push(keyword('HoldpointAssignee', identity.assignee));
  return pairs;
}
