import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { errorResponse } from '../../rest/answers/error.ts'
import { type RequestContext, requestContext } from '../request/context.ts'
import type { RequestSummary, ServedRequest } from '../request/log.ts'
import { ReadBytes } from '../request/read-bytes.ts'
import { requestIdOf } from '../request/request-id.ts'
import type { Trace, Tracing } from '../tracing/trace.ts'
import { serveExpecting } from './body/continue.ts'
import type { createCors } from './cors.ts'
import { createServer } from './node-http.ts'
import { answerParserErrors } from './parser-errors.ts'
import { startInOrder } from './pipelining.ts'
import { respond } from './respond.ts'
import { maxHeaders, type Routes, route } from './router.ts'

export interface ServerOptions extends Routes {
  trace?: Tracing['begin'] | undefined
  cors: ReturnType<typeof createCors>
  /** Called for each request after its answer is handed to the socket. */
  onServed(served: ServedRequest, trace: Trace | undefined): void
}

/** Slow clients are cut: headers within 10 s, the whole request within 15 s. `readFile` has a limit of its own. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 65_000,
}

/** The status in log and metrics of a request whose client left before the answer was sent. */
const clientLeft = 499

/** The HTTP server: each request runs in its context, gets one answer, and is reported once. */
export function createHttpServer(options: ServerOptions): Server {
  const start = (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = performance.now()
    const context = contextOf(request, response, options.trace)
    void requestContext.run(context, serve, options, request, response, context).then((summary) => {
      const requestId = context.requestId.text
      const status = context.signal.aborted ? clientLeft : response.statusCode
      options.onServed({ ...summary, requestId, status, durationMs: performance.now() - startedAt }, context.trace)
    })
  }
  const server = createServer({ ...timeouts, requireHostHeader: false }, (request, response) =>
    startInOrder(request, response, () => start(request, response)),
  )
  server.maxHeadersCount = maxHeaders
  serveExpecting(server)
  answerParserErrors(server)
  return server
}

function contextOf(request: IncomingMessage, response: ServerResponse, trace: ServerOptions['trace']): RequestContext {
  const { method = 'GET', headers } = request
  const traceparent = typeof headers.traceparent === 'string' ? headers.traceparent : undefined
  const leaving = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) leaving.abort()
  })
  return {
    requestId: requestIdOf(request),
    traceparent,
    trace: trace?.({ method, traceparent }),
    signal: leaving.signal,
    tenant: '',
    tokenId: '',
    readBytes: new ReadBytes(),
  }
}

async function serve(
  options: ServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  { requestId }: RequestContext,
): Promise<RequestSummary> {
  const allowed = options.cors(request)
  try {
    if (allowed?.isPreflight) {
      respond(request, response, requestId, { status: 204, headers: {} }, allowed.headers)
      return noOperation
    }
    const { answer, headers, summary } = await route(options, request, response, requestId)
    respond(request, response, requestId, answer, { ...allowed?.headers, ...headers })
    return { ...noOperation, ...summary }
  } catch (thrown) {
    if (request.destroyed && !request.complete) return noOperation
    const error = options.errorOf(thrown, requestId.text)
    if (response.headersSent) response.destroy()
    else respond(request, response, requestId, errorResponse(error, requestId.text), allowed?.headers)
    return noOperation
  }
}

const noOperation: RequestSummary = { api: 'other', operation: 'none', isWrite: false, tokenName: undefined }
