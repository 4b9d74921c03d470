import type { Transaction } from 'kysely'
import { operationNameOf } from '../../../rest/handler.ts'
import type { StartImportMutation } from '../../../rest/operations.generated.ts'
import type { CheckedRequest, ReceivedFile, RestServices } from '../../../rest/services.ts'
import { camelCase } from '../../../rest/translate.ts'
import type { Database } from '../../database/tables.ts'
import { requireNoLimit } from '../../graphql/context.ts'
import { receiveUpload, startUploaded } from '../../jobs/upload.ts'
import type { ApiParts } from './api-parts.ts'
import { traced } from './traced.ts'

type UploadOptions = Parameters<typeof receiveUpload>[2]

/** Imports whose file is the body: GraphQL takes a file as text of a document, which would hold it whole in memory. */
export function createUploadApi({ enumerations, jobQuotas, catalogueOf, contextOf }: ApiParts) {
  const receiveFile: RestServices['receiveFile'] = async ({ caller, request, preferences, query }) => {
    const { store_uuid: store, ...given } = query
    const options = { ...camelCase(given), store: String(store) } as UploadOptions
    requireNoLimit(preferences?.maxAffected, 'an import', options.dryRun ? '' : ', or use dry_run first')
    const file = { ...request.file(), tokenId: caller.tokenId }
    return receiveUpload(catalogueOf(caller, {}), enumerations(), options, file, jobQuotas)
  }
  /** Queues the import of a file that was received, and returns what its operation would. */
  const startReceived = (
    { endpoint, caller, request }: CheckedRequest,
    file: ReceivedFile,
    transaction: Transaction<Database> | undefined,
  ): Promise<StartImportMutation> =>
    traced('operation', operationNameOf(endpoint.document), async () => {
      const { catalogue, origin } = contextOf('rest', caller, request.requestId, { transaction })
      await startUploaded({ ...catalogue, origin: origin && { ...origin, operation: 'startImport' } }, file)
      return { startImport: { store_uuid: file.storeUuid, job_id: file.jobId, state: 'QUEUED' } }
    })
  return { receiveFile, startReceived }
}
