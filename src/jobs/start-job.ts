import { sql, type Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Enumerations, ProductStatus } from '../catalogue/enumerations.ts'
import { requireStore } from '../catalogue/stores/stores.ts'
import { openQueue, queueName } from '../database/job-queue.ts'
import type { Database } from '../database/tables.ts'
import { invalidRequest } from '../errors.ts'
import type { ExportForm } from '../export/formats.ts'
import { checkedRequest, type ImportOptions } from '../import/options.ts'
import { chosenColumns, requireDelimiter } from '../request/csv/csv-options.ts'
import { asTransaction, insertJob, type Job, type JobKey } from './job.ts'
import { partsOf, writeParts } from './parts.ts'
import { type JobQuotas, requireRoom } from './quotas.ts'

export interface ExportOptions extends ExportForm {
  channel: string
  status: ProductStatus | null
}

/** Queues an import of a text. Throws `invalid_request` for bad options, `store_not_found` and `quota_exceeded`. */
export async function startImport(
  catalogue: Catalogue,
  enumerations: Enumerations,
  options: ImportOptions,
  content: string,
  quotas: JobQuotas,
): Promise<Job> {
  const storeUuid = await requireStore(catalogue, options.store)
  if (options.format === 'xlsx') {
    const details = 'format must be that of a text; XLSX is imported as a file: POST /v1/imports'
    throw invalidRequest([{ field: 'input.format', details: `input.${details}` }])
  }
  const request = { ...checkedRequest(options, enumerations, 'camelCase'), storeUuid }
  return queueJob(catalogue, storeUuid, 'import', request, content, quotas)
}

/** Queues an export. Throws `invalid_request`, `store_not_found` and `quota_exceeded`. */
export async function startExport(
  catalogue: Catalogue,
  storeUuid: string,
  { format, ...options }: Omit<ExportOptions, 'format'> & { format: string },
  quotas: JobQuotas,
): Promise<Job> {
  if (format !== 'csv' && format !== 'jsonl') {
    throw invalidRequest([{ field: 'format', details: `format must be CSV or JSONL; got ${format.toUpperCase()}` }])
  }
  requireDelimiter(options.delimiter)
  if (options.columns) chosenColumns(options.columns)
  return queueJob(catalogue, await requireStore(catalogue, storeUuid), 'export', { format, ...options }, '', quotas)
}

/** Inserts a job and queues it, in one transaction. */
function queueJob(
  { db, origin }: Catalogue,
  storeUuid: string,
  kind: Job['kind'],
  options: object,
  input: string,
  quotas: JobQuotas,
): Promise<Job> {
  const key = { storeUuid, jobId: uuidv7() }
  return asTransaction(db, async (transaction) => {
    const others = await requireRoom(transaction, storeUuid, { bytes: Buffer.byteLength(input) }, quotas)
    const job = await insertJob(transaction, key, { kind, state: 'queued', options, origin })
    await writeParts(transaction, key, 'input', 0, partsOf(Buffer.from(input)))
    await enqueue(transaction, key, others, db.isTransaction)
    return job
  })
}

/**
 * Sends the key of a job to the queue. `others`: how many unfinished jobs its store has besides. `goesOn`: the
 * transaction has further statements, as the present role.
 */
export async function enqueue(
  transaction: Transaction<Database>,
  { storeUuid, jobId }: JobKey,
  others: number,
  goesOn: boolean,
): Promise<void> {
  const queue = await openQueue(transaction)
  // Tenants have no rights on the queue.
  const { rows } = await sql<{ role: string }>`
    select current_setting('role') as role, set_config('role', 'none', true)`.execute(transaction)
  // The more jobs a store has, the later its next one runs: the first job of another store comes before its second.
  await queue.send(queueName, { storeUuid, jobId }, { group: { id: storeUuid }, priority: -others })
  if (goesOn) await sql`select set_config('role', ${rows[0]?.role}, true)`.execute(transaction)
}
