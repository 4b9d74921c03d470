import type { Kysely, Transaction } from 'kysely'
import type { Logger } from 'pino'
import { createAnswerCache } from '../rest/answer-cache.ts'
import { endpoints } from '../rest/endpoints.ts'
import { createHandler, type RestRequest, type RestResponse, type RestServices } from '../rest/handler.ts'
import { schema } from '../schema/index.ts'
import type { Caller } from './auth/caller.ts'
import type { Enumerations } from './catalog/enumerations.ts'
import type { Filter } from './catalog/filtered-groups.ts'
import { viewOf, viewWithin } from './catalog/viewer.ts'
import { createContext } from './context.ts'
import { whenItsTurn } from './database/connect.ts'
import type { Database } from './database/tables.ts'
import { requireAccess } from './graphql/access.ts'
import { cheapHere } from './graphql/cheap-here.ts'
import { createExecutor } from './graphql/executor.ts'
import { createGuard, type Introspection } from './graphql/guard.ts'
import type { PersistedDocuments } from './graphql/persisted-documents.ts'
import { publicError } from './graphql/public-error.ts'
import { createShortcut } from './graphql/shortcut.ts'
import { answerGraphQL, type GraphQLRequest, type GraphQLServices } from './http/graphql-answer.ts'
import type { Answer } from './http/respond.ts'
import { createOnce } from './idempotency/once.ts'
import { createKnownLarge } from './known-large.ts'
import { once } from './once.ts'
import { requestScope } from './request-scope.ts'
import { operationName, traced } from './tracing/traced.ts'

/** What the doors lead to, on whichever thread they stand. */
export interface DoorsOptions {
  db: Kysely<Database>
  authenticate: RestServices<Caller>['authenticate']
  /** Where requests go that would keep all others waiting; undefined: nowhere, here they are answered. */
  elsewhere?: Elsewhere | undefined
  enumerations(): Enumerations
  /** The remote filter, if there is one. */
  filter: Filter | undefined
  jobQueued(): void
  introspection: Introspection
  persistedDocuments: PersistedDocuments | undefined
  pageCacheMb: number
  log: Logger
}

/** Up to this size of a heavy GraphQL request its document is looked at here: the other thread need not begin for one that is hostile. */
const mostReadHere = 256 * 1024

/** What answers requests instead of this thread. */
export interface Elsewhere {
  /** Whether a body is too long to be worked on here. */
  isHeavy(body: Uint8Array | undefined): boolean
  /** What a GraphQL operation may cost at most to be run here. */
  mostCost: number
  /** How many characters of JSON a read may work on here. */
  mostRead: number
  rest(request: RestRequest, caller: Caller, body: Uint8Array<ArrayBuffer> | undefined): Promise<RestResponse>
  graphql(request: GraphQLRequest, caller: Caller): Promise<Answer>
}

export interface Doors {
  rest(request: RestRequest): Promise<RestResponse>
  graphql(request: GraphQLRequest, caller: Caller, requestId: string): Promise<Answer>
  /** The error of a door as its caller may see it. */
  errorOf: RestServices<Caller>['errorOf']
}

/** The two doors, over one schema: plain requests in, plain answers out. The one place where schema and façade meet. */
export function createDoors({ db, log, ...options }: DoorsOptions): Doors {
  const { authenticate, elsewhere, enumerations, filter, jobQueued, introspection, persistedDocuments } = options
  const contextOf = (caller: Caller, requestId: string, transaction?: Transaction<Database>) =>
    createContext({
      db: transaction ? viewWithin(db, transaction, caller.viewer) : viewOf(db, caller.viewer),
      enumerations: enumerations(),
      ...{ caller, requestId, filter, jobQueued },
    })
  const errorOf = (thrown: unknown, requestId: string) => publicError(thrown, log.child({ requestId }))
  const doOnce = createOnce(db)
  const documents = endpoints.flatMap(({ document, version }) => [document, ...(version ? [version.document] : [])])
  const executor = createExecutor(schema, documents, log)
  const execute: typeof executor = (...args) => traced('operation', 'graphql', () => executor(...args), operationName)
  const rest = createHandler(endpoints, {
    ...{ authenticate, enumerations, errorOf },
    elsewhere: (request, caller, body) => {
      const isCostly = requestScope.getStore()?.isCostly ?? false
      if (isCostly) known.add(request)
      const isHeavy = isCostly || elsewhere?.isHeavy(body) || (!body && known.has(request))
      return isHeavy ? elsewhere?.rest(request, caller, body) : undefined
    },
    answers: createAnswerCache(Math.floor(options.pageCacheMb * 1024 * 1024)),
    authorize: (document, caller) => requireAccess(schema, document, undefined, caller),
    execute: (document, variables, { caller, requestId }) => execute(document, variables, contextOf(caller, requestId)),
    whenItsTurn: (work) => whenItsTurn(db, work),
    once: (request, work) =>
      doOnce(request, (transaction) =>
        work((document, variables, { caller, requestId }) =>
          execute(document, variables, contextOf(caller, requestId, transaction)),
        ),
      ),
  })
  const guard = cheapHere(createGuard(schema, introspection), elsewhere?.mostCost)
  const shortcut = persistedDocuments?.only ? () => undefined : createShortcut(schema, guard, log)
  // What the first answers do without is loaded when it is first asked for.
  const yoga = once(async () =>
    (await import('./graphql/yoga.ts')).createGraphQL(schema, guard, log, persistedDocuments),
  )
  const known = createKnownLarge()
  const grant = () => {
    const scope = requestScope.getStore()
    if (scope) scope.allowance = elsewhere?.mostRead
  }
  return {
    rest: (request) => {
      grant()
      return rest(request)
    },
    errorOf,
    graphql: async (request, caller, requestId) => {
      grant()
      const isHeavy = elsewhere?.isHeavy(request.body) ?? false
      const isTooLong = isHeavy && (request.body?.length ?? 0) > mostReadHere
      if (elsewhere && (isTooLong || known.has(request))) return elsewhere.graphql(request, caller)
      const context = contextOf(caller, requestId)
      const services: GraphQLServices = {
        isHeavy,
        whenItsTurn: (run) => whenItsTurn(db, run),
        shortcut: (posted) => shortcut({ ...posted, isHeavy }, context),
        fetch: async (url: string, init: RequestInit) => (await yoga()).fetch(url, init, context),
      }
      const answer = await traced('operation', 'graphql', () => answerGraphQL(request, services), operationName)
      if (answer !== 'too costly') return answer
      if (!elsewhere) throw new Error('nothing is too costly where there is nowhere else')
      known.add(request)
      return elsewhere.graphql(request, caller)
    },
  }
}
