import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ConsoleSpanExporter,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Statement, Trace, Tracing } from './trace.ts'

type Env = Record<string, string | undefined>

/** The exporter named by OTEL_TRACES_EXPORTER: OTLP over HTTP, which reads its own environment, or the console. */
export function exporterOf({ OTEL_TRACES_EXPORTER: name = 'otlp' }: Env): SpanExporter {
  if (name === 'otlp') return new OTLPTraceExporter()
  if (name === 'console') return new ConsoleSpanExporter()
  throw new Error(`OTEL_TRACES_EXPORTER must be otlp, console or none; got ${JSON.stringify(name)}`)
}

/** The sampler named by OTEL_TRACES_SAMPLER. By default the caller decides; without a caller's trace all is sampled. */
function samplerOf({
  OTEL_TRACES_SAMPLER: name = 'parentbased_always_on',
  OTEL_TRACES_SAMPLER_ARG: text,
}: Env): Sampler {
  const ratio = Number(text ?? 1)
  if (!(ratio >= 0 && ratio <= 1)) {
    throw new Error(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1; got ${JSON.stringify(text)}`)
  }
  const roots = new Map<string, Sampler>([
    ['always_on', new AlwaysOnSampler()],
    ['always_off', new AlwaysOffSampler()],
    ['traceidratio', new TraceIdRatioBasedSampler(ratio)],
  ])
  const root = roots.get(name.replace(/^parentbased_/, ''))
  if (root) return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
  const known = [...roots.keys()].flatMap((key) => [key, `parentbased_${key}`]).join(', ')
  throw new Error(`OTEL_TRACES_SAMPLER must be one of ${known}; got ${JSON.stringify(name)}`)
}

/** Sends the spans of requests to an exporter, with the sampler of the environment. */
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
      return ({ error } = {}) => {
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

const traceparentPattern = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})/

/** The context with the caller's span as parent, if the header `traceparent` is valid (W3C Trace Context). */
function contextOf(traceparent: string | undefined): Context {
  const [, traceId = '', spanId = '', flags = '00'] = traceparentPattern.exec(traceparent ?? '') ?? []
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return ROOT_CONTEXT
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true })
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

/** The text of a statement contains no values, which are parameters. */
function recordStatement(tracer: Tracer, { sql, durationMs, error }: Statement, parent: Context): void {
  const endTime = Date.now()
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': sql }
  const [verb = 'query'] = sql.trim().split(/\s+/, 1)
  const span = tracer.startSpan(verb, { kind: SpanKind.CLIENT, startTime: endTime - durationMs, attributes }, parent)
  if (error !== undefined) fail(span, error)
  span.end(endTime)
}

/** Records the class of an error only, because messages may contain values. */
function fail(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown')
}
