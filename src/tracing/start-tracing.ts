import type { Tracing } from './trace.ts'

/** Starts tracing if OpenTelemetry's variables name an endpoint or an exporter. Else its packages are not loaded. */
export async function startTracing(env: Record<string, string | undefined>): Promise<Tracing | undefined> {
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } =
    env
  const isOff = OTEL_SDK_DISABLED?.toLowerCase() === 'true' || OTEL_TRACES_EXPORTER === 'none'
  const isWanted = OTEL_TRACES_EXPORTER || OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  if (isOff || !isWanted) return undefined
  const { exporterOf, tracingTo } = await import('./open-telemetry.ts')
  return tracingTo(exporterOf(env), env)
}
