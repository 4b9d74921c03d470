import { type DocumentNode, getOperationAST } from 'graphql'
import type { Kysely, Transaction } from 'kysely'
import type { Logger } from 'pino'
import { type AnswerCache, createAnswerCache } from '../../rest/conditional.ts'
import { endpoints } from '../../rest/endpoints.ts'
import type { Reader, RestServices } from '../../rest/handler.ts'
import type { ListAssetsQueryVariables } from '../../rest/operations.generated.ts'
import { createRoutes } from '../../rest/path.ts'
import type { StalenessHeaders } from '../../rest/request/staleness.ts'
import { JsonText } from '../../rest/response/envelope.ts'
import type { Caller } from '../auth/caller.ts'
import { type AssetGroupPage, groupsVersion } from '../catalogue/asset-groups/asset-groups.ts'
import { groupsText } from '../catalogue/asset-groups/groups-text.ts'
import type { Replica } from '../database/replicas/replica-first.ts'
import type { Database } from '../database/tables.ts'
import { requireAccess } from '../graphql/access.ts'
import type { Context } from '../graphql/context.ts'
import type { Engine } from '../graphql/prepare.ts'
import { publicErrors } from '../graphql/public-error.ts'
import { doOnce } from '../idempotency/once.ts'
import { traced } from '../request/traced.ts'

interface Parts {
  db: Kysely<Database>
  log: Logger
  answers: AnswerCache
  chooseReplica(staleness: StalenessHeaders, caller: Caller): Promise<Replica | undefined>
  contextOf(caller: Caller, requestId: string, options?: RunOptions): Context
}

export interface RunOptions {
  transaction?: Transaction<Database> | undefined
  replica?: Replica | undefined
  onAssetGroupPage?: Context['onAssetGroupPage']
  maxAffected?: number | undefined
}

/** Pages of replicas are not kept: a default read must not find them. */
const noAnswers = createAnswerCache(0)

/** How the REST API runs its operations: each is a prepared GraphQL operation. */
export function restServices(
  engine: Engine,
  { db, log, answers, chooseReplica, contextOf }: Parts,
): Pick<RestServices<Caller>, 'authorize' | 'execute' | 'reader' | 'idempotent'> {
  const operations = new Map(endpoints.map(({ document }) => [document, engine.prepareOwn(document)]))
  const operationOf = (document: DocumentNode) => {
    const operation = operations.get(document)
    if (!operation) throw new Error('the document must be one of an endpoint')
    return operation
  }
  const executeIn =
    (where: Pick<RunOptions, 'transaction' | 'replica'>): RestServices<Caller>['execute'] =>
    (document, variables, { caller, requestId, maxAffected }) => {
      let page: AssetGroupPage | undefined
      const onAssetGroupPage = (taken: AssetGroupPage) => {
        page = taken
      }
      const context = contextOf(caller, requestId, { ...where, onAssetGroupPage, maxAffected })
      return traced('operation', nameOf(document), async () => {
        const { data, errors } = await operationOf(document).run(variables, context)
        if (errors) return { errors: publicErrors(errors, log, requestId) }
        const listing = page && { version: page.version, groups: new JsonText(groupsText(page.groups)) }
        // Node holds the context, and with it this function, until V8 collects its whole heap.
        page = undefined
        return { data, listing }
      })
    }
  const readerOf = (replica?: Replica): Reader<Caller> => ({
    execute: executeIn({ replica }),
    listingVersion: async (variables, { caller, requestId }) => {
      const { catalogue, filter } = contextOf(caller, requestId, { replica })
      const { storeUuid, ...listing } = variables as ListAssetsQueryVariables
      return filter ? null : traced('operation', 'ListAssets', () => groupsVersion(catalogue, storeUuid, listing))
    },
    answers: replica ? noAnswers : answers,
  })
  const primary = readerOf()
  return {
    authorize: (document, caller) => requireAccess(operationOf(document).access, caller),
    execute: primary.execute,
    reader: async (staleness, caller) => {
      const replica = await chooseReplica(staleness, caller)
      return replica ? readerOf(replica) : primary
    },
    idempotent: (request, { viewer, tokenId }, work) => {
      const owner = viewer.stores ? [...viewer.stores].sort().join() : tokenId
      return doOnce(db, { ...request, owner }, (transaction) => work(executeIn({ transaction })))
    },
  }
}

/** Makes the function that names the operation at a method and path; `none` where there is none. */
export function createOperationNames(): (method: string, path: string) => string {
  const routeOf = createRoutes(endpoints)
  return (method, path) => {
    const read = method === 'HEAD' ? 'GET' : method
    const endpoint = routeOf(path).endpoints?.find((one) => one.method === read)
    return endpoint ? nameOf(endpoint.document) : 'none'
  }
}

function nameOf(document: DocumentNode): string {
  return getOperationAST(document)?.name?.value ?? 'none'
}
