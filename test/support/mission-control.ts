/** Agent Mission Control as a caller of ours: it polls, and posts what people reply. STATUS and MSG of CASES.md. */
import type { MissionRunStatus, MissionStep } from '../../api/mission-control/schemas';
import type { DocumentedCaller } from './documented';
import { ApiCaller, eventually, type Reply } from './http';
import { StreamReader } from './sse';

/** Calls on the root of the API, where these endpoints are. */
class RootCaller extends ApiCaller {
  override get base(): string {
    return this.url;
  }
}

export class MissionControl {
  private readonly caller: ApiCaller;

  /** With a documented caller every reply is held against the OpenAPI document. */
  constructor(
    api: ApiCaller,
    private readonly documented?: DocumentedCaller,
  ) {
    this.caller = new RootCaller(api.url, api.key, 15_000);
  }

  async call<Body = Record<string, unknown>>(method: string, path: string, body?: unknown, headers = {}) {
    const reply = await this.caller.call<Body>(method, path, body, headers);
    this.documented?.check(method, path, reply);
    return reply;
  }

  /** STATUS. Throws unless it is 200 and sound. */
  async status(runId: string): Promise<MissionRunStatus> {
    const { status, body, text } = await this.call<MissionRunStatus>('GET', `/runs/${runId}/status`);
    if (status !== 200) throw new Error(`status: ${status} ${text}`);
    expectSound(body);
    return body;
  }

  /** MSG: the reply as it is; one with a status in it is sound. */
  async message(runId: string, message: unknown, more: Record<string, unknown> = {}): Promise<Reply<MissionRunStatus>> {
    const reply = await this.call<MissionRunStatus>('POST', `/runs/${runId}/messages`, { message, ...more });
    if (reply.status < 300) expectSound(reply.body);
    return reply;
  }

  /** The live stream of a run. */
  stream(runId: string, lastEventId?: string): Promise<StreamReader> {
    return StreamReader.openPath(this.caller, `/runs/${runId}/events`, lastEventId);
  }

  /** Polls until some step waits, and gives it. */
  async untilWaiting(runId: string, delivered?: string): Promise<MissionStep> {
    let step: MissionStep | undefined;
    const waits = async () => {
      step = waitingStep(await this.status(runId));
      return step !== undefined && (delivered === undefined || step.delivered === delivered);
    };
    if (!(await eventually(waits)) || !step) throw new Error(`never waited: ${JSON.stringify(step)}`);
    return step;
  }
}

export function waitingStep(status: MissionRunStatus): MissionStep | undefined {
  return status.steps.find((step) => step.status === 'waiting');
}

/** What holds of every status, whatever the run is at (CONTRACT §7). */
export function expectSound(status: MissionRunStatus): void {
  const { steps, currentStep, totalSteps } = status;
  const waits = status.status === 'human_intervention';
  expect(totalSteps).toBe(steps.length);
  expect(currentStep).toBeGreaterThanOrEqual(Math.min(1, totalSteps));
  expect(currentStep).toBeLessThanOrEqual(totalSteps);
  expect(steps.filter((step) => step.status === 'waiting')).toEqual(waits ? [steps[currentStep - 1]] : []);
  expect(steps.filter((step) => 'delivered' in step)).toEqual(waits ? [steps[currentStep - 1]] : []);
  expect(new Set(steps.map((step) => step.stepId)).size).toBe(steps.length);
  for (const step of steps) expect(new Date(step.startedAt).toISOString()).toBe(step.startedAt);
  if (['completed', 'failed', 'cancelled'].includes(status.status)) {
    expect(steps.filter((step) => step.status === 'running')).toEqual([]);
  }
}
