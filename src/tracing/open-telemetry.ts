import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, ConsoleSpanExporter, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import { contextOf, traceparentOf } from './context.ts'
import { samplerOf } from './sampler.ts'
import type { Statement, Trace, Tracing } from './trace.ts'

type Env = Record<string, string | undefined>

/** The exporter that OTEL_TRACES_EXPORTER names: OTLP over HTTP, which reads its endpoint and headers from the environment, or the console. */
export function exporterOf({ OTEL_TRACES_EXPORTER: name = 'otlp' }: Env): SpanExporter {
  if (name === 'otlp') return new OTLPTraceExporter()
  if (name === 'console') return new ConsoleSpanExporter()
  throw new Error(`OTEL_TRACES_EXPORTER must be otlp, console or none; got ${JSON.stringify(name)}`)
}

/** Traces requests to an exporter, sampled as the environment says. */
export function tracingTo(exporter: SpanExporter, env: Env): Tracing {
  const named = resourceFromAttributes({ 'service.name': env.OTEL_SERVICE_NAME ?? 'catalogue-gateway' })
  const resource = defaultResource()
    .merge(named)
    .merge(detectResources({ detectors: [envDetector] }))
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(env),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('catalogue-gateway')
  return {
    begin: ({ method, traceparent }) => {
      const attributes = { 'http.request.method': method }
      return traceOf(tracer, tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, contextOf(traceparent)))
    },
    close: () => provider.shutdown(),
  }
}

function traceOf(tracer: Tracer, request: Span): Trace {
  let current = request
  const within = (): Context => trace.setSpan(ROOT_CONTEXT, current)
  return {
    begin: (part, name) => {
      const before = current
      const kind = part === 'filter' ? SpanKind.CLIENT : SpanKind.INTERNAL
      const span = tracer.startSpan(name, { kind }, within())
      current = span
      return ({ name: better, error } = {}) => {
        if (better !== undefined) span.updateName(better)
        if (error !== undefined) fail(span, error)
        span.end()
        current = before
      }
    },
    statement: (statement) => recordStatement(tracer, statement, within()),
    traceparent: () => traceparentOf(current.spanContext()),
    end: ({ name, status, attributes }) => {
      request.updateName(name)
      request.setAttributes({ ...attributes, 'http.response.status_code': status })
      if (status >= 500) request.setStatus({ code: SpanStatusCode.ERROR })
      request.end()
    },
  }
}

/** Statements have their values as parameters, so that their text can be told. */
function recordStatement(tracer: Tracer, { sql, durationMs, error }: Statement, parent: Context): void {
  const endTime = Date.now()
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': sql }
  const [verb = 'query'] = sql.trim().split(/\s+/, 1)
  const span = tracer.startSpan(verb, { kind: SpanKind.CLIENT, startTime: endTime - durationMs, attributes }, parent)
  if (error !== undefined) fail(span, error)
  span.end(endTime)
}

/** A failure by its class: messages of errors can have values in them. */
function fail(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown')
}
