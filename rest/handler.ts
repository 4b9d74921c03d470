import { type DocumentNode, getOperationAST } from 'graphql'
import { statusOf, unreachable } from '../src/errors.ts'
import type { HttpResponse, OperationResult, RestRequest } from '../src/request/exchange.ts'
import { HttpError, unauthorized } from '../src/request/http-error.ts'
import { preferenceApplied } from '../src/request/preferences.ts'
import { answerVersioned } from './conditional.ts'
import type { Endpoint } from './endpoint.ts'
import { createRoutes, prefix, type Route } from './path.ts'
import { readJsonBody, readRequest } from './request/read-request.ts'
import { envelope, errorEnvelope, toJson } from './response/envelope.ts'
import { receiptLink } from './response/receipt-link.ts'
import { answerTable, isAskedForRows } from './response/table.ts'
import { toHttpError } from './response/to-http-error.ts'
import { withoutSuccesses } from './response/translate.ts'
import type { Execute, RestServices, Result } from './services.ts'

/** Makes the function that answers REST requests, errors included, in the spec's envelope. */
export function createHandler<Caller>(
  endpoints: readonly Endpoint[],
  services: RestServices<Caller>,
): (request: RestRequest<Caller>) => Promise<OperationResult> {
  const routeOf = createRoutes(endpoints)
  return async (request) => {
    const { requestId } = request
    const route = routeOf(request.path)
    const endpoint = endpointOf(route.endpoints, request.method)
    const summary = { operation: endpoint ? operationNameOf(endpoint.document) : 'none', isWrite: !isRead(request) }
    try {
      const answered = await answer(request, route, endpoint, services)
      return { answer: answered, summary: { ...summary, warning: answered.headers.Warning } }
    } catch (thrown) {
      const error = mapUnavailableToDownstream(services.errorOf(thrown, requestId), endpoint)
      return { answer: errorResponse(error, requestId), summary }
    }
  }
}

function isRead({ method }: { method: string }): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** The name of the document's operation. */
export function operationNameOf(document: DocumentNode): string {
  return getOperationAST(document)?.name?.value ?? 'none'
}

/** For the listing, the database is its downstream, also while a token is looked up (spec: HTTP mapping). */
function mapUnavailableToDownstream(error: HttpError, endpoint: Endpoint | undefined): HttpError {
  if (error.reason !== 'unavailable' || !endpoint?.dependsOnFilter) return error
  const [{ details = '' } = {}] = error.errorInfo
  const ofSource = details.replace(unreachable.unavailable, unreachable.downstream_unavailable)
  return new HttpError('downstream_unavailable', ofSource)
}

/** The endpoint of a method; HEAD is GET without a body. */
function endpointOf(route: readonly Endpoint[] | undefined, method: string): Endpoint | undefined {
  return route?.find((endpoint) => endpoint.method === (method === 'HEAD' ? 'GET' : method))
}

/** The answer to an error. */
export function errorResponse(error: HttpError, requestId: string): HttpResponse & { body: string } {
  return { ...errorHead(error), body: errorEnvelope(requestId, error.errorInfo) }
}

/** The status and headers of an error, on every path. */
export function errorHead({ reason, headers }: HttpError): { status: number; headers: Record<string, string> } {
  const status = statusOf(reason)
  const retry: Record<string, string> = status === 503 ? { 'Retry-After': '1' } : {}
  return { status, headers: { ...retry, ...headers } }
}

async function answer<Caller>(
  request: RestRequest<Caller>,
  { endpoints: route, values }: Route,
  endpoint: Endpoint | undefined,
  services: RestServices<Caller>,
): Promise<HttpResponse> {
  const caller = request.caller()
  if (caller === undefined) throw unauthorized(request.headers.authorization)
  if (!route) throw new HttpError('not_found', `there is no ${prefix} path ${JSON.stringify(request.path)}`)
  if (request.method === 'OPTIONS') return { status: 204, headers: { Allow: allowedMethods(route) } }
  if (!endpoint) {
    const allow = allowedMethods(route)
    const details = `${request.path} takes ${allow}; got ${request.method}`
    throw new HttpError('method_not_allowed', details, { Allow: allow })
  }
  services.authorize(endpoint.document, caller)
  const body = endpoint.takesBody ? await readJsonBody(request) : undefined
  const runHere = () => answerHere({ ...request, values }, endpoint, caller, body, services)
  const isLong = endpoint.isLong === true || (endpoint.table !== undefined && isAskedForRows(request))
  return services.runHereOrInPool(request, { endpoint, isLong }, caller, body, runHere)
}

async function answerHere<Caller>(
  request: RestRequest & Pick<Route, 'values'>,
  endpoint: Endpoint,
  caller: Caller,
  body: Uint8Array<ArrayBuffer> | undefined,
  services: RestServices<Caller>,
): Promise<HttpResponse> {
  const read = readRequest(request, endpoint, services.enumerations(), body)
  const answer = await answerRead(request, endpoint, caller, read, services)
  return read.warning === undefined ? answer : { ...answer, headers: { ...answer.headers, Warning: read.warning } }
}

async function answerRead<Caller>(
  request: RestRequest,
  endpoint: Endpoint,
  caller: Caller,
  { query, variables, idempotencyKey, staleness, preferences }: ReturnType<typeof readRequest>,
  services: RestServices<Caller>,
): Promise<HttpResponse> {
  const { requestId } = request
  const context = { caller, requestId, maxAffected: preferences?.maxAffected }
  const reader = staleness && (await services.reader(staleness, caller))
  if (reader && endpoint.isAssetListing) {
    return answerVersioned(endpoint, request, variables, reader.answers, {
      version: () => reader.listingVersion(variables, context),
      answer: async () => withoutErrors(await reader.listAssets(variables, context)),
    })
  }
  const run = async (execute: Execute<Caller>) => {
    const { data } = withoutErrors(await execute(endpoint.document, variables, context))
    return endpoint.toData(data)
  }
  if (endpoint.table) return answerTable(endpoint, request, query, await run((reader ?? services).execute))
  // A stored answer has no headers of its own.
  let headers: Record<string, string> = {}
  const work = async (execute: Execute<Caller>) => {
    const data = await run(execute)
    if (endpoint.takesBody && services.recordsChanges) headers = receiptLink(variables, data, requestId)
    if (!preferences) return toJson(data)
    headers = { ...headers, ...preferenceApplied(preferences.maxAffected, preferences.isMinimal) }
    return toJson(preferences.isMinimal ? withoutSuccesses(data as object) : data)
  }
  // A dry run changes nothing, so its answer is not stored.
  const isOnce = idempotencyKey && !variables.dryRun
  const data = isOnce
    ? await services.idempotent(idempotencyKey, caller, work)
    : await work((reader ?? services).execute)
  return { status: 200, headers, body: envelope(0, endpoint.success, requestId, data) }
}

function withoutErrors<R extends Result>(result: R): R {
  if (result.errors) throw toHttpError(result.errors)
  return result
}

function allowedMethods(route: readonly Endpoint[]): string {
  const methods = route.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return [...methods, 'OPTIONS'].join(', ')
}
