import { createRequestPreparer, type GraphQLRequest } from '../../graphql/prepare-request.ts'
import type { OperationResult } from '../../request/exchange.ts'
import { notAcceptable } from '../../request/http-error.ts'
import type { ApiParts } from './api-parts.ts'
import { createSubscriptionApi } from './subscription-api.ts'
import { traced } from './traced.ts'

/** Names of the types, and no fields of them. */
const shallowIntrospection = 3

/** A body with more than this multiple of the bytes of a small one is not even parsed here: the pool checks it too. */
const unparsedTimes = 4

/** Each power of ten of the cost is a kind of reads. A kind per operation would let clients make new ones by names. */
const kindOf = (cost: number) => `GraphQL ${Math.ceil(Math.log10(cost + 1))}`

const eventsOnly = 'a subscription is a POST whose Accept allows text/event-stream'

/** GraphQL over HTTP: prepares the operation of a request, and runs it here or in the pool. */
export function createGraphQLApi(parts: ApiParts) {
  const { pool, poolRule, chooseReplica, contextOf } = parts
  const prepare = createRequestPreparer(parts.engine, parts.persistedDocuments, parts.log)
  const subscribe = createSubscriptionApi(parts)
  return async (request: GraphQLRequest): Promise<OperationResult> => {
    const { caller, requestId, body } = request
    if (pool && body && body.length > unparsedTimes * poolRule.limits.bytes) return pool.graphql(request)
    const prepared = prepare(request)
    if ('status' in prepared) return { answer: prepared }
    const { operation, cost, maxAffected, staleness } = prepared
    const { name, isMutation, size, access } = operation
    if (prepared.subscribe) {
      if (!request.acceptsEvents) return { answer: notAcceptable(eventsOnly) }
      const answer = await subscribe(prepared.subscribe, cost, request)
      return { answer, summary: { operation: name, isWrite: false } }
    }
    if (request.accept === '') return { answer: notAcceptable() }
    // Each root field of a mutation may use the same variables.
    const copies = isMutation ? size.rootFields : 1
    // The schema has thousands of fields, which have no cost.
    const isLong = size.introspectionDepth > shallowIntrospection
    const kind = !isMutation || access.readsInPayload ? kindOf(cost) : undefined
    if (pool && poolRule.isForPool({ body, copies, cost, isLong, kind })) return pool.graphql(request)
    const replica = staleness && (await chooseReplica(staleness, caller))
    const run = async () => {
      const context = contextOf('graphql', caller, requestId, { replica, maxAffected, isLatest: staleness?.isLatest })
      const answer = await traced('operation', name, () => prepared.run(context))
      return { answer, summary: { operation: name, isWrite: isMutation } }
    }
    return kind === undefined ? run() : poolRule.runRead(kind, run)
  }
}
