import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { createAnswerCache } from '../../rest/conditional.ts'
import { endpoints } from '../../rest/endpoints.ts'
import { createHandler } from '../../rest/handler.ts'
import { shapeOfJson, tooComplex } from '../../rest/request/json-shape.ts'
import { RestError } from '../../rest/response/rest-error.ts'
import { schema } from '../../schema/index.ts'
import type { Caller } from '../auth/caller.ts'
import type { Filter } from '../catalogue/asset-groups/list-groups.ts'
import { catalogueFor } from '../catalogue/catalogue.ts'
import type { Enumerations } from '../catalogue/enumerations.ts'
import { withSlot } from '../database/connect.ts'
import type { Database } from '../database/tables.ts'
import { createContext } from '../graphql/context.ts'
import type { PersistedDocuments } from '../graphql/persisted-documents.ts'
import { createEngine, type Introspection } from '../graphql/prepare.ts'
import { publicError } from '../graphql/public-error.ts'
import { createGraphQL } from '../graphql/serve.ts'
import { type RouteLimits, routeOf } from '../heavy/route.ts'
import { refusal } from '../http/graphql-edge.ts'
import type { Routes } from '../http/router.ts'
import { withContext } from '../request/context.ts'
import { maxObjectBytes, ReadLimit } from '../request/read-limit.ts'
import { traced } from '../request/traced.ts'
import type { PooledApi } from './pooled-api.ts'
import { type RunOptions, restServices } from './rest-services.ts'

export interface ApiOptions {
  db: Kysely<Database>
  enumerations(): Enumerations
  filter: Filter | undefined
  onJobQueued(): void
  introspection: Introspection
  persistedDocuments: PersistedDocuments | undefined
  pageCacheMb: number
  /** Answers what would block this thread; undefined in a thread of the pool. */
  pool: PooledApi | undefined
  routeLimits: RouteLimits
  log: Logger
}

/** REST and GraphQL over one schema: plain requests in, plain answers out. */
export type Api = Pick<Routes, 'rest' | 'graphql' | 'errorOf'>

export function createApi(options: ApiOptions): Api {
  const { db, enumerations, filter, onJobQueued: jobQueued, pool, routeLimits, log } = options
  const contextOf = (caller: Caller, requestId: string, { transaction, takePage }: RunOptions = {}) =>
    createContext({
      catalogue: catalogueFor(transaction ?? db, caller.viewer),
      enumerations: enumerations(),
      caller,
      requestId,
      filter,
      jobQueued,
      takePage,
    })
  const errorOf = (thrown: unknown, requestId: string) => publicError(thrown, log.child({ requestId }))
  const engine = createEngine(schema, options.introspection)
  const admit = createGraphQL(engine, options.persistedDocuments, log)
  const isForPool = (body: Uint8Array, cost: number) =>
    pool && routeOf({ bytes: body.length, members: () => shapeOfJson(body).members, cost }, routeLimits) === 'pool'
  // A larger GraphQL body is not even parsed on this thread: its document is not checked before it is handed to the pool.
  const maxParsedBytes = 4 * routeLimits.bytes
  const readLimited = <T>(work: () => T) =>
    pool ? withContext({ readLimit: new ReadLimit(maxObjectBytes) }, work) : work()
  return {
    errorOf,
    rest: createHandler(endpoints, {
      ...restServices(engine, { db, log, contextOf }),
      enumerations,
      errorOf,
      inPool: (request, caller, body) => (body && isForPool(body, 0) ? pool?.rest(request, caller, body) : undefined),
      answers: createAnswerCache(Math.floor(options.pageCacheMb * 1024 * 1024)),
    }),
    graphql: async (request, caller, requestId) => {
      const { body = new Uint8Array() } = request
      if (pool && body.length > maxParsedBytes) return pool.graphql(request, caller)
      if (shapeOfJson(body).isTooComplex) return { answer: complexBody }
      const admitted = admit(request, caller, requestId)
      if ('status' in admitted) return { answer: admitted }
      if (pool && isForPool(body, admitted.cost)) return pool.graphql(request, caller)
      const { name, isMutation } = admitted.operation
      const run = () => withSlot(db, () => admitted.run(contextOf(caller, requestId)))
      const answer = await traced('operation', name, () => (isMutation ? run() : readLimited(run)))
      return { answer, operation: { operation: name, isWrite: isMutation } }
    },
  }
}

const complexBody = Object.freeze(refusal(new RestError('payload_too_large', `the body ${tooComplex}`)))
