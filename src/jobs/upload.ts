import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { type Catalogue, jsonOfOrigin } from '../catalogue/catalogue.ts'
import type { Enumerations } from '../catalogue/enumerations.ts'
import { requireStore } from '../catalogue/stores/stores.ts'
import type { Database } from '../database/tables.ts'
import { codeOf } from '../database/unavailable.ts'
import { CatalogueError } from '../errors.ts'
import { checkedRequest, type ImportOptions } from '../import/options.ts'
import { requestContext } from '../request/context.ts'
import type { ArrivingFile } from '../request/exchange.ts'
import { asTransaction, insertJob, type JobKey } from './job.ts'
import { heartbeats } from './liveness.ts'
import { partsWriter } from './parts.ts'
import { countUnfinished, type JobQuotas, requireRoom } from './quotas.ts'
import { enqueue } from './start-job.ts'

/** A file that was received as the input of a job, which is not queued yet. */
export interface Upload extends JobKey {
  /** The hash of the file. */
  digest: Buffer
  /** Deletes the file, unless its job is queued. */
  discard(): Promise<void>
}

interface UploadedFile extends ArrivingFile {
  /** Of the token that sends it. */
  tokenId: string
}

/** Larger than the parts of an output: a file takes fewer statements. */
const writtenBytes = 256 * 1024

/**
 * Receives the file of an import as the input of a job, which `startUploaded` queues. Checks the options first. Leaves
 * nothing of a file that does not arrive whole. Throws `invalid_request`, `store_not_found` and `quota_exceeded`.
 */
export async function receiveUpload(
  catalogue: Catalogue,
  enumerations: Enumerations,
  options: ImportOptions,
  { chunks, announced, tokenId }: UploadedFile,
  quotas: JobQuotas,
): Promise<Upload> {
  const { db } = catalogue
  const checked = checkedRequest(options, enumerations, 'snake_case')
  const storeUuid = await requireStore(catalogue, options.store)
  const key = { storeUuid, jobId: uuidv7() }
  await insertUploading(db, key, { ...checked, storeUuid }, { bytes: announced, uploader: tokenId }, quotas)
  const uploading = { store_uuid: storeUuid, job_id: key.jobId, state: 'uploading' } as const
  const beat = () =>
    db
      .updateTable('job')
      .set({ heartbeat_at: sql`now()` })
      .where(({ and }) => and(uploading))
      .execute()
  // Outside the request: a client that leaves cancels the statements of its request.
  const timer = requestContext.exit(() => setInterval(() => beat().catch(() => {}), heartbeats.upload.everyMs).unref())
  const discard = async () => {
    const found = db.deleteFrom('job').where(({ and }) => and(uploading))
    // Without a database the job is deleted when its heartbeats have ended.
    await requestContext.exit(() => found.execute()).catch(() => {})
  }
  try {
    const digest = await writeFile(db, key, chunks, quotas)
    return { ...key, digest, discard }
  } catch (error) {
    await discard()
    throw codeOf(error) === foreignKeyViolation ? noLongerThere() : error
  } finally {
    clearInterval(timer)
  }
}

/** Queues the import of a file that was uploaded. Throws `unavailable` if its job was deleted meanwhile. */
export function startUploaded(catalogue: Catalogue, { storeUuid, jobId }: JobKey): Promise<void> {
  const { db } = catalogue
  return asTransaction(db, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('job')
      .set({ state: 'queued', heartbeat_at: null, origin: jsonOfOrigin(catalogue) })
      .where(({ and }) => and({ store_uuid: storeUuid, job_id: jobId, state: 'uploading' }))
      .executeTakeFirst()
    if (numUpdatedRows !== 1n) throw noLongerThere()
    const { unfinished } = await countUnfinished(transaction, storeUuid)
    await enqueue(transaction, { storeUuid, jobId }, unfinished - 1, db.isTransaction)
  })
}

const foreignKeyViolation = '23503'

/** The error of an upload whose job was deleted meanwhile. */
function noLongerThere(): CatalogueError {
  return new CatalogueError('unavailable', 'the job of the upload was deleted before its end; send the file again')
}

/** Inserts the job of an upload, if its store has room for it. */
function insertUploading(
  db: Kysely<Database>,
  key: JobKey,
  options: object,
  file: { bytes: number; uploader: string },
  quotas: JobQuotas,
): Promise<unknown> {
  return db.transaction().execute(async (transaction) => {
    await requireRoom(transaction, key.storeUuid, file, quotas)
    const origin = { tokenId: file.uploader }
    await insertJob(transaction, key, { kind: 'import', state: 'uploading', heartbeat_at: new Date(), options, origin })
  })
}

/** Writes a file as the input of a job, part by part. Returns its hash. */
async function writeFile(db: Kysely<Database>, key: JobKey, chunks: AsyncIterable<Buffer>, quotas: JobQuotas) {
  const write = partsWriter(key, 'input', quotas)
  const hash = createHash('sha256')
  let part = 0
  for await (const bytes of joined(chunks)) {
    hash.update(bytes)
    await write(db, part++, [bytes])
  }
  return hash.digest()
}

/** Chunks joined to parts. */
async function* joined(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    waiting.push(chunk)
    size += chunk.length
    if (size < writtenBytes) continue
    yield Buffer.concat(waiting, size)
    waiting = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(waiting, size)
}
