import { type Context, ROOT_CONTEXT, type SpanContext, trace } from '@opentelemetry/api'

const pattern = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})/

/** The caller's span as the parent, if the header `traceparent` names one (W3C Trace Context). */
export function contextOf(traceparent: string | undefined): Context {
  const [, traceId = '', spanId = '', flags = '00'] = pattern.exec(traceparent ?? '') ?? []
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return ROOT_CONTEXT
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true })
}

export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}
