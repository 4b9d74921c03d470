import type { Tracing } from './trace.ts'

/** Starts tracing if OpenTelemetry's standard variables name an endpoint or an exporter. Otherwise its packages are not loaded. */
export async function startTracing(env: Record<string, string | undefined>): Promise<Tracing | undefined> {
  if (!isWanted(env)) return undefined
  const { exporterOf, tracingTo } = await import('./open-telemetry.ts')
  return tracingTo(exporterOf(env), env)
}

function isWanted(env: Record<string, string | undefined>): boolean {
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } =
    env
  if (OTEL_SDK_DISABLED?.toLowerCase() === 'true' || OTEL_TRACES_EXPORTER === 'none') return false
  return !!(OTEL_TRACES_EXPORTER || OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
}
