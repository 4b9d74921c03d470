import type { DocumentNode } from 'graphql'
import type { Transaction } from 'kysely'
import { endpoints } from '../../../rest/endpoints.ts'
import { createHandler, operationNameOf } from '../../../rest/handler.ts'
import { ListAssetsDocument, type ListAssetsQueryVariables } from '../../../rest/operations.generated.ts'
import type { CheckedRequest, RestServices } from '../../../rest/services.ts'
import { toHttpError } from '../../../rest/translate.ts'
import type { Database } from '../../database/tables.ts'
import { requireAccess } from '../../graphql/access.ts'
import { publicErrors } from '../../graphql/public-error.ts'
import { doOnce } from '../../idempotency/once.ts'
import { memoized } from '../../lazy.ts'
import { maxTextBytes } from '../../request/read-bytes.ts'
import type { ApiParts, RunOptions } from './api-parts.ts'
import { createEventsApi } from './events-api.ts'
import { createStoredListing } from './stored-listing.ts'
import { traced } from './traced.ts'
import { createUploadApi } from './upload-api.ts'

/** Each endpoint is a kind of reads. The listing is two: for clients that know a version, answers are mostly short. */
const kindOf = (document: DocumentNode, isCheck = false) => `${operationNameOf(document)}${isCheck ? ', known' : ''}`

/** REST over the engine: each endpoint is a GraphQL operation; the listing of asset groups reads stored texts. */
export function createRestApi(parts: ApiParts) {
  const { db, enumerations, pool, recordsChanges } = parts
  const { poolRule, chooseReplica, catalogueOf, errorOf, onJobQueued } = parts
  const { operationOf, run } = createOperations(parts)
  const { receiveFile, startReceived } = createUploadApi(parts)
  const listing = createStoredListing(parts.pageCacheMb, parts.filterService)
  const whereOf = async ({ staleness, caller }: CheckedRequest): Promise<RunOptions> =>
    staleness ? { replica: await chooseReplica(staleness, caller), isLatest: staleness.isLatest } : {}
  const services: RestServices = {
    enumerations,
    recordsChanges,
    errorOf,
    authorize: (document, caller) => requireAccess(operationOf(document).access, caller),
    answerInPool: (request, { document, answers, isLong }, caller, body) => {
      const isCheck = answers.kind === 'listing' && request.headers['if-none-match'] !== undefined
      // Only reads have no body.
      const kind = body === undefined ? kindOf(document, isCheck) : undefined
      const isForPool = pool && poolRule.isForPool({ body, isLong, kind })
      return isForPool ? pool.rest(request, caller, body) : undefined
    },
    read: async (checked, variables) => {
      const where = await whereOf(checked)
      return poolRule.runRead(kindOf(checked.endpoint.document), () => run(checked, where, variables))
    },
    readListing: async (checked, isKnown) => {
      const where = await whereOf(checked)
      const catalogue = catalogueOf(checked.caller, where)
      const variables = checked.variables as ListAssetsQueryVariables
      const list = () => listing(catalogue, variables, { isKnown, isKept: !where.replica })
      const kind = kindOf(ListAssetsDocument, isKnown !== undefined)
      return poolRule.runRead(kind, () => traced('operation', 'ListAssets', list), maxTextBytes)
    },
    receiveFile,
    events: createEventsApi(parts),
    write: async (checked, key, work) => {
      const { caller, preferences, upload } = checked
      const execute = (transaction?: Transaction<Database>) =>
        upload
          ? startReceived(checked, upload, transaction)
          : run(checked, { transaction, maxAffected: preferences?.maxAffected })
      const workIn = (transaction?: Transaction<Database>) => work(() => execute(transaction))
      const written = await (key ? doOnce(db, { ...key, caller }, workIn) : workIn())
      // After the commit. A repetition has queued nothing, which does no harm.
      if (upload) onJobQueued()
      return written
    },
  }
  return createHandler(endpoints, services)
}

/** `run` returns the data of a request's operation, or throws the errors as one `HttpError`. */
function createOperations({ engine, log, contextOf }: ApiParts) {
  const operationOf = memoized((document: DocumentNode) => engine.prepareOwn(document))
  // At the start: the first requests need not wait.
  for (const { document } of endpoints) operationOf(document)
  const run = (checked: CheckedRequest, where: RunOptions, variables = checked.variables): Promise<unknown> => {
    const { endpoint, caller, request } = checked
    return traced('operation', operationNameOf(endpoint.document), async () => {
      const context = contextOf('rest', caller, request.requestId, where)
      const { data, errors } = await operationOf(endpoint.document).run(variables, context)
      if (errors) throw toHttpError(publicErrors(errors, log, request.requestId))
      return data
    })
  }
  return { operationOf, run }
}
