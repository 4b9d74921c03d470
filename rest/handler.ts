import { type DocumentNode, getOperationAST } from 'graphql'
import type { HttpResponse, OperationResult, RestRequest } from '../src/request/exchange.ts'
import { HttpError } from '../src/request/http-error.ts'
import { errorResponse, mapUnavailableToDownstream } from './answers/error.ts'
import { answerFile } from './answers/file.ts'
import { answerListing } from './answers/listing.ts'
import { answerRead, answerWrite } from './answers/plain.ts'
import { acceptsRows, answerTable } from './answers/table.ts'
import { answerUpload } from './answers/upload.ts'
import { type Answers, createRoutes, type Endpoint, prefix, type Route } from './endpoint.ts'
import { readRequest } from './request/read-request.ts'
import type { CheckedRequest, RestServices } from './services.ts'

/** Makes the function that answers REST requests, errors included, in the spec's envelope. */
export function createHandler(
  endpoints: readonly Endpoint[],
  services: RestServices,
): (request: RestRequest) => Promise<OperationResult> {
  const routeOf = createRoutes(endpoints)
  return async (request) => {
    const { requestId } = request
    const route = routeOf(request.path)
    const endpoint = endpointOf(route.endpoints, request.method)
    const summary = {
      operation: endpoint ? operationNameOf(endpoint.document) : 'none',
      isWrite: endpoint?.isWrite === true,
    }
    try {
      const answered = await answer(request, route, endpoint, services)
      return { answer: answered, summary: { ...summary, warning: answered.headers.Warning } }
    } catch (thrown) {
      const error = mapUnavailableToDownstream(services.errorOf(thrown, requestId), endpoint)
      return { answer: errorResponse(error, requestId), summary }
    }
  }
}

/** The name of the document's operation. */
export function operationNameOf(document: DocumentNode): string {
  return getOperationAST(document)?.name?.value ?? 'none'
}

/** The endpoint of a method; HEAD is GET without a body. */
function endpointOf(endpoints: readonly Endpoint[] | undefined, method: string): Endpoint | undefined {
  return endpoints?.find((endpoint) => endpoint.method === (method === 'HEAD' ? 'GET' : method))
}

/** The steps of every request, in this order. Throws what `errorOf` translates. */
async function answer(
  request: RestRequest,
  { endpoints, values, parent }: Route,
  endpoint: Endpoint | undefined,
  services: RestServices,
): Promise<HttpResponse> {
  const caller = request.requireCaller()
  if (!endpoints) throw new HttpError('not_found', `there is no ${prefix} path ${JSON.stringify(request.path)}`)
  if (request.method === 'OPTIONS') return { status: 204, headers: { Allow: allowedMethods(endpoints) } }
  if (!endpoint) throw methodNotAllowed(request, endpoints, parent)
  services.authorize(endpoint.document, caller)
  const { kind } = endpoint.answers
  const body = endpoint.isWrite && kind !== 'upload' ? await request.body() : undefined
  const isLong = endpoint.isLong === true || (kind === 'table' && acceptsRows(request))
  const fromPool = kindsInParts.has(kind)
    ? undefined
    : services.answerInPool(request, { ...endpoint, isLong }, caller, body)
  if (fromPool) return fromPool
  const read = readRequest({ ...request, values }, endpoint, services.enumerations(), body)
  const answered = await answerOf({ ...read, endpoint, request, caller }, services)
  return read.warning === undefined
    ? answered
    : { ...answered, headers: { ...answered.headers, Warning: read.warning } }
}

/** Their bodies or answers come in parts, which are not passed to the pool. */
const kindsInParts: ReadonlySet<Answers['kind']> = new Set(['upload', 'file', 'events'])

function answerOf(checked: CheckedRequest, services: RestServices): Promise<HttpResponse> {
  const { answers } = checked.endpoint
  switch (answers.kind) {
    case 'read':
      return answerRead(checked, services)
    case 'write':
      return answerWrite(checked, services)
    case 'table':
      return answerTable(checked, answers, services)
    case 'listing':
      return answerListing(checked, services)
    case 'upload':
      return answerUpload(checked, services)
    case 'file':
      return answerFile(checked, answers, services)
    case 'events':
      return services.events(checked, answers.requestOf(checked.query))
    default:
      return answers satisfies never
  }
}

/** The refusal of a method: whoever sends a write to the path of one product learns which path takes it. */
function methodNotAllowed(
  { path, method }: RestRequest,
  endpoints: readonly Endpoint[],
  parent: Route['parent'],
): HttpError {
  const allow = allowedMethods(endpoints)
  const hint = endpointOf(parent, method) ? `, which ${path.slice(0, path.lastIndexOf('/'))} takes` : ''
  return new HttpError('method_not_allowed', `${path} takes ${allow}; got ${method}${hint}`, { Allow: allow })
}

function allowedMethods(endpoints: readonly Endpoint[]): string {
  const methods = endpoints.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return [...methods, 'OPTIONS'].join(', ')
}
