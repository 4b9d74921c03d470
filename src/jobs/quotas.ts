import { type Kysely, sql, type Transaction } from 'kysely'
import { joinTransaction, wholeCatalogue } from '../catalogue/catalogue.ts'
import { lockStore } from '../catalogue/locks.ts'
import { onlyRow } from '../database/only-row.ts'
import type { Database } from '../database/tables.ts'
import { CatalogueError } from '../errors.ts'

/** What the jobs of one store may take. One of them runs at a time. */
export interface JobQuotas {
  queued: number
  /** The input and output that its jobs keep. */
  keptMb: number
}

const mebibyte = 1024 * 1024
/** Added for each job to the bytes of its input and output. */
const bytesOfJob = 16 * 1024

interface NewJob {
  bytes: number
  /** The token that uploads its file. It may use half of the queue: files that arrive slowly block no others. */
  uploader?: string
}

/**
 * Throws `quota_exceeded` unless the store may have one more job. Locks its queue until the transaction ends. Returns
 * how many unfinished jobs it has.
 */
export async function requireRoom(
  db: Transaction<Database>,
  storeUuid: string,
  { bytes, uploader }: NewJob,
  quotas: JobQuotas,
): Promise<number> {
  await lockStore(joinTransaction(wholeCatalogue(db), db), storeUuid, { jobs: 'all' })
  const { queued, unfinished, uploads } = await countUnfinished(db, storeUuid, uploader)
  if (queued >= quotas.queued) {
    throw new CatalogueError(
      'quota_exceeded',
      `at most ${quotas.queued} jobs of a store may be queued; there are ${queued}: wait until one of them has started, or delete one with deleteJob`,
    )
  }
  const maxUploads = Math.ceil(quotas.queued / 2)
  if (uploads >= maxUploads) {
    const details = `at most ${maxUploads} uploads of a token to a store may be open; there are ${uploads}`
    throw new CatalogueError('quota_exceeded', `${details}: wait until one of them has ended`)
  }
  await roomFor(db, storeUuid, bytesOfJob + bytes, quotas)
  return unfinished
}

/** How many more bytes the jobs of a store may keep. Throws `quota_exceeded` if these are fewer. */
export async function roomFor(db: Kysely<Database>, storeUuid: string, bytes: number, quotas: JobQuotas) {
  const kept = await measureJobs(db, storeUuid)
  const left = quotas.keptMb * mebibyte - kept
  if (bytes <= left) return left
  throw new CatalogueError(
    'quota_exceeded',
    `the jobs of a store may keep at most ${quotas.keptMb} MiB of input and output; they keep ${Math.ceil(kept / mebibyte)} MiB, and this needs more: delete jobs with deleteJob, or wait until they have ended and are deleted`,
  )
}

interface JobNumbers {
  queued: number
  unfinished: number
  /** Those of the uploader. */
  uploads: number
}

export async function countUnfinished(
  db: Kysely<Database>,
  storeUuid: string,
  uploader: string | null = null,
): Promise<JobNumbers> {
  const { rows } = await sql<JobNumbers>`
    select count(*) filter (where state <> 'running')::int as queued, count(*)::int as unfinished,
      count(*) filter (where state = 'uploading' and origin ->> 'tokenId' = ${uploader}::text)::int as uploads
    from job where store_uuid = ${storeUuid}::uuid and state in ('uploading', 'queued', 'running')`.execute(db)
  return onlyRow(rows)
}

/** The bytes that the jobs of a store keep. PostgreSQL knows a value's length without reading it. */
async function measureJobs(db: Kysely<Database>, storeUuid: string): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    select (select count(*) from job where store_uuid = ${storeUuid}::uuid) * ${bytesOfJob}::bigint
      + (select coalesce(sum(octet_length(bytes)), 0) from job_part where store_uuid = ${storeUuid}::uuid) as bytes`.execute(
    db,
  )
  return Number(onlyRow(rows).bytes)
}
