import { type DocumentNode, visit } from 'graphql'
import type { Transaction } from 'kysely'
import { createAnswerCache } from '../../rest/conditional.ts'
import { endpoints } from '../../rest/endpoints.ts'
import { operationNameOf } from '../../rest/handler.ts'
import {
  ListAssetsDocument,
  type ListAssetsQuery,
  type ListAssetsQueryVariables,
} from '../../rest/operations.generated.ts'
import { JsonText } from '../../rest/response/envelope.ts'
import type { CallContext, Reader, RestServices } from '../../rest/services.ts'
import { type Caller, shareOf } from '../auth/caller.ts'
import { groupsText, groupsVersion } from '../catalogue/asset-groups/asset-groups.ts'
import type { Replica } from '../database/replicas/replica-first.ts'
import type { Database } from '../database/tables.ts'
import type { Reads } from '../event-loop/reads.ts'
import { requireAccess } from '../graphql/access.ts'
import type { Context } from '../graphql/context.ts'
import type { Engine } from '../graphql/prepare.ts'
import { publicErrors } from '../graphql/public-error.ts'
import { doOnce } from '../idempotency/once.ts'
import type { Staleness } from '../request/preferences.ts'
import { maxReadBytes, maxTextBytes } from '../request/read-bytes.ts'
import { traced } from '../request/traced.ts'
import type { ApiOptions } from './gateway-options.ts'

interface RestParts extends ApiOptions, Pick<RestServices<Caller>, 'recordsChanges' | 'errorOf'> {
  isHeavy: IsHeavy
  reads: Reads
  chooseReplica(staleness: Staleness, caller: Caller): Promise<Replica | undefined>
  contextOf(caller: Caller, requestId: string, options?: RunOptions): Context
}

/** Whether a request runs in the pool; `copies`: how often it uses its body. */
export type IsHeavy = (request: {
  body: Uint8Array | undefined
  cost?: number
  copies?: number
  isRead: boolean
}) => boolean

export interface RunOptions {
  transaction?: Transaction<Database> | undefined
  replica?: Replica | undefined
  restListing?: Context['restListing']
  maxAffected?: number | undefined
  /** Whether reads wait until what is derived from products includes all that was committed before. */
  isLatest?: boolean | undefined
}

/** What the REST API needs to run its operations: each is a prepared GraphQL operation. */
export function createRestServices(engine: Engine, parts: RestParts): RestServices<Caller> {
  const { db, enumerations, recordsChanges, errorOf, chooseReplica } = parts
  const operations = createOperations(engine, parts)
  const primary = operations.readerOf()
  return {
    enumerations,
    recordsChanges,
    errorOf,
    authorize: (document, caller) => requireAccess(operations.accessOf(document), caller),
    execute: primary.execute,
    reader: async (staleness, caller) => {
      const replica = await chooseReplica(staleness, caller)
      return replica ? operations.readerOf(replica) : primary
    },
    idempotent: (request, caller, work) =>
      doOnce(db, { ...request, owner: shareOf(caller) }, (transaction) => work(operations.executeIn({ transaction }))),
    runHereOrInPool: createRunHereOrInPool(parts),
  }
}

type Where = Pick<RunOptions, 'transaction' | 'replica'>

/** Pages of replicas are not cached: they may be stale. */
const noAnswers = createAnswerCache(0)

function createOperations(engine: Engine, { log, pageCacheMb, contextOf }: RestParts) {
  const answers = createAnswerCache(Math.floor(pageCacheMb * 1024 * 1024))
  const operations = new Map(
    endpoints.map(({ document, isAssetListing }) => {
      return [document, engine.prepareOwn(isAssetListing ? withoutGroups(document) : document)]
    }),
  )
  const operationOf = (document: DocumentNode) => {
    const operation = operations.get(document)
    if (!operation) throw new Error('the document must be one of an endpoint')
    return operation
  }
  const run = (
    document: DocumentNode,
    variables: Record<string, unknown>,
    { caller, requestId, maxAffected }: CallContext<Caller>,
    { transaction, replica, restListing }: Omit<RunOptions, 'maxAffected'>,
  ) =>
    traced('operation', operationNameOf(document), async () => {
      const context = contextOf(caller, requestId, { transaction, replica, restListing, maxAffected })
      const { data, errors } = await operationOf(document).run(variables, context)
      return { data: data as unknown, errors: errors && publicErrors(errors, log, requestId) }
    })
  const executeIn =
    (where: Where): RestServices<Caller>['execute'] =>
    (document, variables, call) =>
      run(document, variables, call, where)
  const listAssetsIn =
    (where: Where): Reader<Caller>['listAssets'] =>
    async (variables, call) => {
      const restListing: Context['restListing'] = {}
      const { data, errors } = await run(ListAssetsDocument, variables, call, { ...where, restListing })
      const { page } = restListing
      if (errors || !page) return { errors, version: null }
      // Node holds the context until V8 collects its whole heap: the page must not stay in it.
      restListing.page = undefined
      const { assetGroups } = data as ListAssetsQuery
      const groups = new JsonText(groupsText(page.groups))
      return { data: { assetGroups: { ...assetGroups, groups } }, version: page.version }
    }
  const readerOf = (replica?: Replica): Reader<Caller> => ({
    execute: executeIn({ replica }),
    listAssets: listAssetsIn({ replica }),
    listingVersion: async (variables, { caller, requestId }) => {
      const { catalogue, filter } = contextOf(caller, requestId, { replica })
      const { storeUuid, ...listing } = variables as ListAssetsQueryVariables
      return filter ? null : traced('operation', 'ListAssets', () => groupsVersion(catalogue, storeUuid, listing))
    },
    answers: replica ? noAnswers : answers,
  })
  return { accessOf: (document: DocumentNode) => operationOf(document).access, executeIn, readerOf }
}

/** The listing without its groups: `groupsText` renders them. */
function withoutGroups(document: DocumentNode): DocumentNode {
  return visit(document, { Field: ({ name }) => (name.value === 'groups' ? null : undefined) })
}

/** The number of rows, or of items, that a long answer may have. */
const longCost = 10_000

function createRunHereOrInPool({ threads, isHeavy, reads }: RestParts): RestServices<Caller>['runHereOrInPool'] {
  return async (request, { endpoint, isLong }, caller, body, run) => {
    // Only reads have no body.
    const isRead = body === undefined
    if (threads && isHeavy({ body, cost: isLong ? longCost : 0, isRead })) return threads.rest(request, caller, body)
    if (!isRead) return run()
    return reads.run(run, endpoint.isAssetListing ? maxTextBytes : maxReadBytes)
  }
}
