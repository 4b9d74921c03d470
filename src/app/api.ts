import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { createAnswerCache } from '../../rest/conditional.ts'
import { endpoints } from '../../rest/endpoints.ts'
import { createHandler } from '../../rest/handler.ts'
import { shapeOfJson } from '../../rest/request/json-shape.ts'
import { schema } from '../../schema/index.ts'
import type { Caller } from '../auth/caller.ts'
import type { Filter } from '../catalogue/asset-groups/list-groups.ts'
import { PatternWork } from '../catalogue/attributes/pattern-work.ts'
import { forgetPatterns } from '../catalogue/attributes/store-patterns.ts'
import { catalogueFor } from '../catalogue/catalogue.ts'
import type { Enumerations } from '../catalogue/enumerations.ts'
import type { Database } from '../database/tables.ts'
import { createContext } from '../graphql/context.ts'
import { type PatternUse, patternWorkOf } from '../graphql/pattern-use.ts'
import type { PersistedDocuments } from '../graphql/persisted-documents.ts'
import { createEngine, type Introspection } from '../graphql/prepare.ts'
import { publicError } from '../graphql/public-error.ts'
import { createGraphQL, type GraphQLRequest } from '../graphql/serve.ts'
import { type RouteLimits, routeOf, type Weight } from '../heavy/route.ts'
import type { Routes } from '../http/router.ts'
import type { JobQuotas } from '../jobs/quotas.ts'
import { withContext } from '../request/context.ts'
import { maxObjectBytes, ReadLimit } from '../request/read-limit.ts'
import { traced } from '../request/traced.ts'
import { type RunOptions, restServices } from './rest-services.ts'
import type { ThreadPoolApi } from './thread-pool-api.ts'

export interface ApiOptions {
  db: Kysely<Database>
  enumerations(): Enumerations
  filter: Filter | undefined
  onJobQueued(): void
  jobQuotas: JobQuotas
  introspection: Introspection
  persistedDocuments: PersistedDocuments | undefined
  pageCacheMb: number
  /** The pool of threads that answers what would block this one; undefined in such a thread. */
  threads: ThreadPoolApi | undefined
  routeLimits: RouteLimits
  log: Logger
}

/** REST and GraphQL over one schema: plain requests in, plain answers out. */
export type Api = Pick<Routes, 'rest' | 'graphql' | 'errorOf'>

export function createApi(options: ApiOptions): Api {
  const { db, enumerations, filter, onJobQueued: jobQueued, jobQuotas, threads, routeLimits, log } = options
  const contextOf = (caller: Caller, requestId: string, { transaction, onAssetGroupPage }: RunOptions = {}) =>
    createContext({
      catalogue: catalogueFor(transaction ?? db, caller.viewer, new PatternWork(threads && routeLimits.patternWork)),
      enumerations: enumerations(),
      caller,
      requestId,
      filter,
      jobQueued,
      jobQuotas,
      onAssetGroupPage,
    })
  const errorOf = (thrown: unknown, requestId: string) => publicError(thrown, log.child({ requestId }))
  const engine = createEngine(schema, options.introspection)
  const prepare = createGraphQL(engine, options.persistedDocuments, log)
  const isHeavy = (weight: Partial<Weight>) =>
    routeOf({ bytes: 0, members: () => 0, cost: 0, patternWork: 0, ...weight }, routeLimits) === 'thread'
  const sizeOf = (body: Uint8Array) => ({ bytes: body.length, members: () => shapeOfJson(body).members })
  const patternWorkFor = async (
    { viewer }: Caller,
    use: PatternUse,
    variables: Record<string, unknown>,
    { length }: Uint8Array,
  ) => {
    const isBounded = threads && routeLimits.patternWork < Number.POSITIVE_INFINITY
    return isBounded ? patternWorkOf(use, variables, length, catalogueFor(db, viewer)) : 0
  }
  const rest = restServices(engine, { db, log, contextOf })
  // A larger GraphQL body is not even parsed on this thread: it is handed to another one with its document unchecked.
  const maxParsedBytes = 2 * routeLimits.bytes
  const graphqlInThread = async (pool: ThreadPoolApi, request: GraphQLRequest, caller: Caller) => {
    try {
      return await pool.graphql(request, caller)
    } finally {
      forgetPatterns()
    }
  }
  const readLimited = <T>(work: () => T) =>
    threads ? withContext({ readLimit: new ReadLimit(maxObjectBytes) }, work) : work()
  const handleRest = createHandler(endpoints, {
    ...rest,
    enumerations,
    errorOf,
    inThread: (request, caller, body) =>
      body && isHeavy(sizeOf(body)) ? threads?.rest(request, caller, body) : undefined,
    matchInThread: async (request, caller, body, { document, variables }) => {
      const patternWork = await patternWorkFor(caller, rest.patternUseOf(document), variables, body)
      return isHeavy({ patternWork }) ? threads?.rest(request, caller, body) : undefined
    },
    answers: createAnswerCache(Math.floor(options.pageCacheMb * 1024 * 1024)),
  })
  return {
    errorOf,
    rest: async (request) => {
      if (!threads || (request.method !== 'GET' && request.method !== 'HEAD')) return handleRest(request)
      // How much a page has is known once it is read.
      const readLimit = new ReadLimit(maxObjectBytes)
      const answer = await withContext({ readLimit }, () => handleRest(request))
      const caller = readLimit.isExceeded && request.caller()
      return caller ? threads.rest(request, caller) : answer
    },
    graphql: async (request, caller, requestId) => {
      const { body = new Uint8Array() } = request
      if (threads && body.length > maxParsedBytes) return graphqlInThread(threads, request, caller)
      const prepared = prepare(request, caller, requestId)
      if ('status' in prepared) return { answer: prepared }
      const { name, isMutation, patternUse } = prepared.operation
      if (threads) {
        const { cost, variables } = prepared
        const { bytes, members } = sizeOf(body)
        // Each root field of a mutation may use the same variables.
        const copies = isMutation ? patternUse.copies : 1
        const size = { bytes: bytes * copies, members: () => members() * copies }
        const patternWork = await patternWorkFor(caller, patternUse, variables, body)
        if (isHeavy({ ...size, cost, patternWork })) return graphqlInThread(threads, request, caller)
      }
      const run = () => prepared.run(contextOf(caller, requestId))
      const answer = await traced('operation', name, () => (isMutation ? run() : readLimited(run)))
      if (patternUse.uses.has('compiles')) forgetPatterns()
      return { answer, operation: { operation: name, isWrite: isMutation } }
    },
  }
}
