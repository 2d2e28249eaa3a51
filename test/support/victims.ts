/** Temporal, one worker and one API as processes, any of which can be killed and started again. */
import type { ApiCaller } from './http';
import { ProcessStack, type Program } from './processes';

export const VICTIMS = ['worker', 'api', 'temporal'] as const;
export type Victim = (typeof VICTIMS)[number];

export class Victims {
  readonly stack: ProcessStack;
  private worker: Program | undefined;
  private apiProgram: Program | undefined;
  private caller: ApiCaller | undefined;

  constructor(env: Record<string, string> = {}) {
    this.stack = new ProcessStack(env);
  }

  /** The API that is up now: after a restart it is another one, on another port. */
  get api(): ApiCaller {
    if (!this.caller) throw new Error('the API is not running');
    return this.caller;
  }

  async startAll(): Promise<void> {
    await this.restart('temporal');
    await this.restart('worker');
    await this.restart('api');
  }

  /** SIGKILL. Resolves when the process is gone. */
  async kill(victim: Victim): Promise<void> {
    if (victim === 'temporal') await this.stack.killTemporal();
    if (victim === 'worker') await this.worker?.kill();
    if (victim === 'api') await this.apiProgram?.kill();
  }

  async restart(victim: Victim): Promise<void> {
    if (victim === 'temporal') await this.stack.startTemporal();
    if (victim === 'worker') this.worker = await this.stack.startWorker();
    if (victim === 'api') ({ program: this.apiProgram, api: this.caller } = await this.stack.startApi());
  }

  async stop(): Promise<void> {
    await this.stack.stop();
  }
}
