/**
 * OpenTelemetry traces: a request, the calls to Temporal that it makes, the workflow, its activities. Set up by OpenTelemetry's
 * own variables (`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER`, …). Ids and names are in them,
 * never what anybody asked or answered.
 */
import {
  context,
  diag,
  DiagConsoleLogger,
  DiagLogLevel,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Context } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResourcesSync, envDetectorSync, Resource } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import {
  makeWorkflowExporter,
  OpenTelemetryActivityInboundInterceptor,
  OpenTelemetryWorkflowClientInterceptor,
} from '@temporalio/interceptors-opentelemetry';
import type { InjectedSinks, WorkerOptions, WorkflowBundleOption } from '@temporalio/worker';
import type { WorkflowInfo } from '@temporalio/workflow';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { tracedWorkflowBundle } from '../worker/bundle';

export interface Tracing {
  clientInterceptors: WorkflowClientInterceptor[];
  /** What a worker gets besides: the bundle is made anew, which takes some seconds. */
  worker(): Promise<Pick<WorkerOptions, 'interceptors' | 'sinks'> & { workflowBundle: WorkflowBundleOption }>;
  /** Adds a span for each request, before any other hook. */
  requests: (this: void, app: FastifyInstance) => void;
  /** Sends what is left; gives up after two seconds. */
  stop(): Promise<void>;
}

const STOP_WITHIN_MS = 2_000;

export function startTracing(role: string): Tracing {
  diag.setLogger(new DiagConsoleLogger(), DiagLogLevel.ERROR);
  const named = new Resource({ 'service.name': `holdpoint-${role}` });
  const resource = named.merge(detectResourcesSync({ detectors: [envDetectorSync] }));
  const spans = new BatchSpanProcessor(new OTLPTraceExporter());
  const provider = new NodeTracerProvider({ resource, spanProcessors: [spans] });
  provider.register();
  return {
    clientInterceptors: [new OpenTelemetryWorkflowClientInterceptor()],
    worker: async () => ({
      workflowBundle: await tracedWorkflowBundle(),
      interceptors: { activity: [(ctx) => ({ inbound: new OpenTelemetryActivityInboundInterceptor(ctx) })] },
      sinks: { exporter: withIdsAlone(makeWorkflowExporter(spans, resource)) },
    }),
    requests: traceRequests,
    async stop() {
      const late = new Promise((resolve) => setTimeout(resolve, STOP_WITHIN_MS).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
    },
  };
}

/**
 * The exporter puts all that is known of a workflow on each of its spans, its memo included, and with that the question: it
 * is told ids and names alone.
 */
function withIdsAlone(
  exporter: ReturnType<typeof makeWorkflowExporter>,
): InjectedSinks<{ exporter: WorkflowExporter }>['exporter'] {
  return {
    export: {
      fn: (info, spans) => {
        const { workflowId, runId, workflowType, taskQueue, namespace } = info;
        const ids = { workflowId, runId, workflowType, taskQueue, namespace } as WorkflowInfo;
        return exporter.export.fn(ids, spans as Parameters<typeof exporter.export.fn>[1]);
      },
    },
  };
}

type WorkflowExporter = { export(spans: unknown[]): void };

function traceRequests(app: FastifyInstance): void {
  const tracer = trace.getTracer('holdpoint');
  const contexts = new WeakMap<FastifyRequest, Context>();
  app.addHook('onRequest', (request, reply, done) => {
    // Probes come every few seconds and say nothing.
    if (request.routeOptions.config.access === 'public') return done();
    const { method, routeOptions } = request;
    const route = routeOptions.url ?? 'no route';
    const attributes = { 'http.request.method': method, 'http.route': route };
    const above = propagation.extract(context.active(), request.headers);
    const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, above);
    reply.raw.once('close', () => {
      const { statusCode } = reply.raw;
      span.setAttribute('http.response.status_code', statusCode);
      if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    const within = trace.setSpan(above, span);
    contexts.set(request, within);
    context.with(within, done);
  });
  // Reading a body loses the context that the request began in.
  app.addHook('preValidation', (request, _reply, done) => {
    context.with(contexts.get(request) ?? context.active(), done);
  });
}
