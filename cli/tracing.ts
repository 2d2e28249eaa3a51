/** The one switch for traces: nothing of OpenTelemetry's SDK is loaded unless it is on. */
import type { Settings } from './settings';
import type { Tracing } from './open-telemetry';

/** Traces of this process, where `HOLDPOINT_OTEL` asks for them. `role` is the service's name unless `OTEL_SERVICE_NAME` is set. */
export async function tracingOf(settings: Settings, role: string): Promise<Tracing | undefined> {
  if (!settings.HOLDPOINT_OTEL) return undefined;
  const { startTracing } = await import('./open-telemetry.js');
  return startTracing(role);
}
