import type { DocumentNode } from 'graphql'
import type { Transaction } from 'kysely'
import { endpoints } from '../../../rest/endpoints.ts'
import { createHandler, operationNameOf } from '../../../rest/handler.ts'
import { ListAssetsDocument, type ListAssetsQueryVariables } from '../../../rest/operations.generated.ts'
import type { ReadCall, RestServices } from '../../../rest/services.ts'
import { toHttpError } from '../../../rest/translate.ts'
import type { Database } from '../../database/tables.ts'
import { requireAccess } from '../../graphql/access.ts'
import type { Engine, PreparedOperation } from '../../graphql/engine.ts'
import { publicErrors } from '../../graphql/public-error.ts'
import { doOnce } from '../../idempotency/once.ts'
import { receiveUpload } from '../../jobs/upload.ts'
import { tenantOf } from '../../request/caller.ts'
import { maxTextBytes } from '../../request/read-bytes.ts'
import type { ApiOptions } from '../gateway-options.ts'
import type { ApiParts, RunOptions } from './api-parts.ts'
import { createEventsApi } from './events-api.ts'
import { createStoredListing } from './stored-listing.ts'
import { traced } from './traced.ts'

type UploadOptions = Parameters<typeof receiveUpload>[2]

/** The number of rows, or of items, that a long answer may have. */
const longCost = 10_000

/** Each endpoint is a kind of reads. The listing is two: for clients that know a version, answers are mostly short. */
const kindOf = (document: DocumentNode, isCheck = false) => `${operationNameOf(document)}${isCheck ? ', known' : ''}`

/** REST over the engine: each endpoint is a GraphQL operation; the listing of asset groups reads stored texts. */
export function createRestApi(engine: Engine, options: ApiOptions, parts: ApiParts) {
  const { db, enumerations, pool, filterService, pageCacheMb, jobQuotas } = options
  const { recordsChanges, isForPool, reads, chooseReplica, catalogueOf, errorOf } = parts
  const { accessOf, run } = createOperations(engine, options, parts)
  const listing = createStoredListing(pageCacheMb, filterService)
  const whereOf = async ({ staleness, caller }: ReadCall): Promise<RunOptions> =>
    staleness ? { replica: await chooseReplica(staleness, caller), isLatest: staleness.isLatest } : {}
  const services: RestServices = {
    enumerations,
    recordsChanges,
    errorOf,
    authorize: (document, caller) => requireAccess(accessOf(document), caller),
    answerInPool: (request, { document, answers, isLong }, caller, body) => {
      const isCheck = answers.kind === 'listing' && request.headers['if-none-match'] !== undefined
      // Only reads have no body.
      const kind = body === undefined ? kindOf(document, isCheck) : undefined
      return isForPool({ body, cost: isLong ? longCost : 0, kind }) ? pool?.rest(request, caller, body) : undefined
    },
    read: async (document, variables, call) => {
      const where = await whereOf(call)
      return reads.run(kindOf(document), () => run(document, variables, call, where))
    },
    readListing: async (variables, call, isKnown) => {
      const where = await whereOf(call)
      const catalogue = catalogueOf(call.caller, where)
      const list = () => listing(catalogue, variables as ListAssetsQueryVariables, { isKnown, isKept: !where.replica })
      const kind = kindOf(ListAssetsDocument, isKnown !== undefined)
      return reads.run(kind, () => traced('operation', 'ListAssets', list), maxTextBytes)
    },
    receiveFile: (given, { caller }, arriving) => {
      const file = { ...arriving, tokenId: caller.tokenId }
      return receiveUpload(catalogueOf(caller, {}), enumerations(), given as UploadOptions, file, jobQuotas)
    },
    events: createEventsApi(options),
    write: ({ maxAffected, upload, ...call }, key, work) => {
      const workIn = (transaction?: Transaction<Database>) =>
        work((document, variables) => run(document, variables, call, { transaction, maxAffected, upload }))
      return key ? doOnce(db, { ...key, owner: tenantOf(call.caller) }, workIn) : workIn()
    },
  }
  return createHandler(endpoints, services)
}

/** The operations of the endpoints, prepared. `run` returns the data, or throws the errors as one `HttpError`. */
function createOperations(engine: Engine, { log }: ApiOptions, { contextOf }: ApiParts) {
  const operations = new Map<DocumentNode, PreparedOperation>(
    endpoints.map(({ document }) => [document, engine.prepareOwn(document)]),
  )
  const operationOf = (document: DocumentNode) => {
    const operation = operations.get(document)
    if (!operation) throw new Error('the document must be one of an endpoint')
    return operation
  }
  return {
    accessOf: (document: DocumentNode) => operationOf(document).access,
    run: (
      document: DocumentNode,
      variables: Record<string, unknown>,
      { caller, requestId }: Omit<ReadCall, 'staleness'>,
      where: RunOptions,
    ): Promise<unknown> =>
      traced('operation', operationNameOf(document), async () => {
        const context = contextOf('rest', caller, requestId, where)
        const { data, errors } = await operationOf(document).run(variables, context)
        if (errors) throw toHttpError(publicErrors(errors, log, requestId))
        return data
      }),
  }
}
