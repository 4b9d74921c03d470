import { endpoints } from '../../rest/endpoints.ts'
import { createHandler } from '../../rest/handler.ts'
import { toHttpError } from '../../rest/response/to-http-error.ts'
import { schema } from '../../schema/index.ts'
import type { Caller } from '../auth/caller.ts'
import { RequestPatterns } from '../catalogue/attributes/request-patterns.ts'
import { catalogueFor, type Origin } from '../catalogue/catalogue.ts'
import { createLatest } from '../catalogue/projections/latest.ts'
import { createReads } from '../event-loop/reads.ts'
import { chooseRoute, routeLimits as defaultRouteLimits } from '../event-loop/route.ts'
import { createContext } from '../graphql/context.ts'
import { createEngine } from '../graphql/prepare.ts'
import { publicError } from '../graphql/public-error.ts'
import { createGraphQL } from '../graphql/serve.ts'
import type { Routes } from '../http/router.ts'
import type { OperationResult } from '../request/exchange.ts'
import { HttpError } from '../request/http-error.ts'
import { shapeOfJson } from '../request/json-shape.ts'
import type { Staleness } from '../request/preferences.ts'
import { traced } from '../request/traced.ts'
import type { ApiOptions } from './gateway-options.ts'
import { createRestServices, type IsHeavy, type RunOptions } from './rest-services.ts'

/** Names of the types, and no fields of them. */
const shallowIntrospection = 3

/** REST and GraphQL over one schema. Requests and answers are plain data. */
export type Api = Pick<Routes, 'rest' | 'graphql' | 'errorOf'>

export function createApi(options: ApiOptions): Api {
  const { db, replicas, enumerations, filter, onJobQueued: jobQueued, jobQuotas, threads, log } = options
  const { routeLimits = defaultRouteLimits } = options
  const recordsChanges = options.changesRetention > 0
  const contextBy =
    (via: Origin['via']) =>
    (caller: Caller, requestId: string, run: RunOptions = {}) => {
      const { transaction, replica, restListing, maxAffected, isLatest } = run
      const patterns = new RequestPatterns(options.runPatterns)
      const catalogue = catalogueFor(transaction ?? db, caller.viewer, patterns, replica)
      return createContext({
        catalogue: isLatest ? { ...catalogue, caughtUp: createLatest(catalogue) } : catalogue,
        enumerations: enumerations(),
        caller,
        origin: recordsChanges ? { requestId, tokenId: caller.tokenId, actor: caller.tokenName, via } : undefined,
        requestId,
        filter,
        jobQueued,
        jobQuotas,
        restListing,
        affected: maxAffected === undefined ? undefined : { atMost: maxAffected, count: 0 },
      })
    }
  const chooseReplica = async ({ maxMs, after, isLatest }: Staleness, caller: Caller) =>
    isLatest ? undefined : replicas?.choose({ maxMs: maxMs ?? caller.staleMs ?? 0, after })
  /** Adds the position of a successful write, if there are replicas. */
  const located = (result: OperationResult): OperationResult | Promise<OperationResult> => {
    const { answer, summary } = result
    if (summary?.isWrite) options.onWritten?.()
    if (!replicas || !summary?.isWrite || answer.status !== 200) return result
    return replicas.position().then((position) => {
      if (position === undefined) return result
      return { summary, answer: { ...answer, headers: { ...answer.headers, 'X-Catalogue-Position': position } } }
    })
  }
  const errorOf = (thrown: unknown, requestId: string) =>
    thrown instanceof HttpError ? thrown : toHttpError([publicError(thrown, log.child({ requestId }))])
  const engine = createEngine(schema, options.introspection)
  const prepare = createGraphQL(engine, options.persistedDocuments, log)
  const reads = createReads(routeLimits.readBytes)
  const isHeavy: IsHeavy = ({ body = new Uint8Array(), cost = 0, copies = 1, isRead }) => {
    const size = { bytes: body.length * copies, members: () => shapeOfJson(body).members * copies }
    const mayReadMuch = isRead && reads.areLarge()
    return threads !== undefined && chooseRoute({ ...size, cost, mayReadMuch }, routeLimits) === 'pool'
  }
  // A larger GraphQL body is not even parsed here: the pool checks its document too.
  const maxParsedBytes = 4 * routeLimits.bytes
  const contextOf = contextBy('rest')
  const parts = { ...options, recordsChanges, isHeavy, reads, chooseReplica, contextOf, errorOf }
  const services = createRestServices(engine, parts)
  const handleRest = createHandler(endpoints, services)
  const handleGraphQL: Api['graphql'] = async (request, caller, requestId) => {
    const { body } = request
    if (threads && body && body.length > maxParsedBytes) return threads.graphql(request, caller)
    const prepared = prepare(request, caller, requestId)
    if ('status' in prepared) return { answer: prepared }
    const { name, isMutation, size, access } = prepared.operation
    const isRead = !isMutation || access.readsInPayload
    // Each root field of a mutation may use the same variables.
    const copies = isMutation ? size.rootFields : 1
    // The schema has thousands of fields, which have no cost.
    const cost = size.introspectionDepth > shallowIntrospection ? Number.POSITIVE_INFINITY : prepared.cost
    if (threads && isHeavy({ body, cost, copies, isRead })) return threads.graphql(request, caller)
    const replica = prepared.staleness && (await chooseReplica(prepared.staleness, caller))
    const { maxAffected } = prepared
    const isLatest = prepared.staleness?.isLatest
    const run = async () => {
      const context = contextBy('graphql')(caller, requestId, { replica, maxAffected, isLatest })
      const answer = await traced('operation', name, () => prepared.run(context))
      return { answer, summary: { operation: name, isWrite: isMutation } }
    }
    return isRead ? reads.run(run) : run()
  }
  return {
    errorOf,
    rest: async (request) => located(await handleRest(request)),
    graphql: async (...request) => located(await handleGraphQL(...request)),
  }
}
