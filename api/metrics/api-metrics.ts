/** What an API process measures of itself (Prometheus). No run ids, names or texts in labels: they would never end. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { TIME_TO_ANSWER_BUCKETS, type Channel } from '../../workflows/contract';
import { ApiError } from '../errors';

/** What can be told at the moment somebody asks for the metrics. */
export interface MeasuredService {
  openStreams(): { run: number; inbox: number };
  /** Asks that are pending, in all workspaces. May fail. */
  countPending(): Promise<number>;
}

/** Filled in while an answer is on its way, as far as it gets. */
export interface AnswerFacts {
  channel: Channel;
  /** When the question was asked. */
  askedAt?: string | undefined;
}

/** From calls of milliseconds to the deadline of a request. */
const CALL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class ApiMetrics {
  readonly registry = new Registry();
  /** Other metrics of this process, in the same text format: those of a worker beside the API. */
  readonly also: (() => Promise<string>)[] = [];

  private readonly answers = this.counter(
    'holdpoint_api_answers_total',
    'Answers that came in, by what became of them.',
    ['channel', 'outcome'],
  );
  private readonly resumes = this.histogram(
    'holdpoint_api_resume_seconds',
    'From an answer that came in to its verdict.',
    ['channel'],
    CALL_SECONDS,
  );
  private readonly waits = this.histogram(
    'holdpoint_api_time_to_answer_seconds',
    'From the ask to the answer that was taken, of answers that came through this process.',
    ['channel'],
    TIME_TO_ANSWER_BUCKETS,
  );
  private readonly requests = this.histogram(
    'holdpoint_api_request_seconds',
    'HTTP requests; a stream lasts until it ends.',
    ['method', 'route', 'status'],
    CALL_SECONDS,
  );
  private readonly calls = this.histogram(
    'holdpoint_temporal_call_seconds',
    'Calls to Temporal, long polls left out; each try is one.',
    ['method'],
    CALL_SECONDS,
  );
  private readonly callErrors = this.counter('holdpoint_temporal_call_errors_total', 'Calls to Temporal that failed.', [
    'method',
    'code',
  ]);

  /** Adds what is counted when it is asked for. */
  observe(service: MeasuredService): void {
    const streams = this.gauge('holdpoint_api_streams_open', 'Event streams that are open.', ['kind'], () => {
      for (const [kind, count] of Object.entries(service.openStreams())) streams.set({ kind }, count);
    });
    const pending = this.gauge(
      'holdpoint_asks_pending',
      'Asks that wait for an answer now, by Temporal’s index.',
      [],
      async () => {
        // Not 0, which would be good news.
        pending.set(await service.countPending().catch(() => Number.NaN));
      },
    );
  }

  /** Measures an answer from here to its verdict, whether it is taken or thrown as an error. */
  async answer<Reply extends { queued: boolean }>(facts: AnswerFacts, work: () => Promise<Reply>): Promise<Reply> {
    const startedAt = performance.now();
    const ended = (outcome: string) => {
      const { channel } = facts;
      this.answers.inc({ channel, outcome });
      this.resumes.observe({ channel }, secondsSince(startedAt));
    };
    try {
      const reply = await work();
      ended(reply.queued ? 'queued' : 'taken');
      if (facts.askedAt !== undefined && !reply.queued) {
        this.waits.observe({ channel: facts.channel }, Math.max(0, Date.now() - Date.parse(facts.askedAt)) / 1_000);
      }
      return reply;
    } catch (error) {
      ended(outcomeOf(error));
      throw error;
    }
  }

  /** Counts answers that a door refused together, before it sent any of them. */
  refused(channel: Channel, error: unknown, answers: number): void {
    this.answers.inc({ channel, outcome: outcomeOf(error) }, answers);
  }

  request(labels: { method: string; route: string; status: number }, seconds: number): void {
    this.requests.observe(labels, seconds);
  }

  /** `code` is the gRPC code of a call that failed. */
  call(method: string, seconds: number | null, code: string | null): void {
    if (seconds !== null) this.calls.observe({ method }, seconds);
    if (code !== null) this.callErrors.inc({ method, code });
  }

  /** All of it in Prometheus' text format. A part that fails is left out. */
  async text(): Promise<string> {
    const more = await Promise.all(this.also.map((source) => source().catch(() => '')));
    return [await this.registry.metrics(), ...more].filter(Boolean).join('\n');
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  private counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private histogram<Label extends string>(name: string, help: string, labelNames: Label[], buckets: number[]) {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }

  private gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    collect: () => void | Promise<void>,
  ) {
    return new Gauge({ name, help, labelNames, collect, registers: [this.registry] });
  }
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1_000;
}

function outcomeOf(error: unknown): string {
  return error instanceof ApiError ? error.code : 'internal_error';
}
