import { type DocumentNode, getOperationAST } from 'graphql'
import type { Kysely, Transaction } from 'kysely'
import type { Logger } from 'pino'
import { endpoints } from '../../rest/endpoints.ts'
import type { RestServices } from '../../rest/handler.ts'
import type { ListAssetsQueryVariables } from '../../rest/operations.generated.ts'
import { JsonText } from '../../rest/response/envelope.ts'
import type { Caller } from '../auth/caller.ts'
import { type AssetGroupPage, groupsVersion } from '../catalogue/asset-groups/asset-groups.ts'
import { groupsText } from '../catalogue/asset-groups/groups-text.ts'
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
  contextOf(caller: Caller, requestId: string, options?: RunOptions): Context
}

export interface RunOptions {
  transaction?: Transaction<Database>
  onAssetGroupPage?: Context['onAssetGroupPage']
}

/** How the REST API runs its operations: each is a prepared GraphQL operation. */
export function restServices(
  engine: Engine,
  { db, log, contextOf }: Parts,
): Pick<RestServices<Caller>, 'authorize' | 'execute' | 'listingVersion' | 'idempotent'> {
  const operations = new Map(endpoints.map(({ document }) => [document, engine.prepareOwn(document)]))
  const operationOf = (document: DocumentNode) => {
    const operation = operations.get(document)
    if (!operation) throw new Error('the document must be one of an endpoint')
    return operation
  }
  const executeIn =
    (transaction?: Transaction<Database>): RestServices<Caller>['execute'] =>
    (document, variables, { caller, requestId }) => {
      let page: AssetGroupPage | undefined
      const onAssetGroupPage = (taken: AssetGroupPage) => {
        page = taken
      }
      const context = contextOf(caller, requestId, { ...(transaction && { transaction }), onAssetGroupPage })
      return traced('operation', nameOf(document), async () => {
        const { data, errors } = await operationOf(document).run(variables, context)
        if (errors) return { errors: publicErrors(errors, log, requestId) }
        const listing = page && { version: page.version, groups: new JsonText(groupsText(page.groups)) }
        // Node holds the context, and with it this function, until V8 collects its whole heap.
        page = undefined
        return { data, listing }
      })
    }
  return {
    authorize: (document, caller) => requireAccess(operationOf(document).access, caller),
    execute: executeIn(),
    listingVersion: async (variables, { caller, requestId }) => {
      const { catalogue, filter } = contextOf(caller, requestId)
      const { storeUuid, ...listing } = variables as ListAssetsQueryVariables
      return filter ? null : traced('operation', 'ListAssets', () => groupsVersion(catalogue, storeUuid, listing))
    },
    idempotent: (request, { viewer, tokenId }, work) => {
      const owner = viewer.stores ? [...viewer.stores].sort().join() : tokenId
      return doOnce(db, { ...request, owner }, (transaction) => work(executeIn(transaction)))
    },
  }
}

/** Makes the function that names the operation at a method and path; `none` where there is none. */
export function createOperationNames(): (method: string, path: string) => string {
  const names = new Map(endpoints.map(({ method, path, document }) => [`${method} /v1${path}`, nameOf(document)]))
  return (method, path) => names.get(`${method === 'HEAD' ? 'GET' : method} ${path}`) ?? 'none'
}

function nameOf(document: DocumentNode): string {
  return getOperationAST(document)?.name?.value ?? 'none'
}
