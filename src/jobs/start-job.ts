import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Enumerations } from '../catalog/enumerations.ts'
import { requireStore } from '../catalog/stores.ts'
import type { View } from '../catalog/viewer.ts'
import { invalidRequest } from '../errors.ts'
import { type ImportOptions, importRequest } from '../import/request.ts'
import { requireConfigured } from '../import/require-configured.ts'
import { UsageError } from '../import/usage-error.ts'
import { type Job, jobColumns, jobOf } from './job.ts'
import { partsOf, writeParts } from './parts.ts'

/** What an export writes. */
export interface ExportOptions {
  format: 'csv' | 'jsonl'
  channel: string
  status: string | null
}

/** Starts an import of a text in the background. Throws `invalid_request` for options that cannot be meant, and `store_not_found`. */
export async function startImport(
  db: View,
  enumerations: Enumerations,
  options: ImportOptions,
  content: string,
): Promise<Job> {
  const storeUuid = await requireStore(db, options.store)
  const complete = { ...options, store: storeUuid }
  try {
    requireConfigured(importRequest('content', complete), enumerations)
  } catch (error) {
    if (error instanceof UsageError) throw invalidRequest([{ field: 'input', details: inWordsOfApi(error.message) }])
    throw error
  }
  return insertJob(db, storeUuid, 'import', complete, content)
}

/** Starts an export in the background. Throws `invalid_request` and `store_not_found`. */
export async function startExport(
  db: View,
  storeUuid: string,
  { format, ...options }: Omit<ExportOptions, 'format'> & { format: string },
): Promise<Job> {
  if (format !== 'csv' && format !== 'jsonl') {
    throw invalidRequest([{ field: 'format', details: 'format must be CSV or JSONL; got JSON' }])
  }
  return insertJob(db, await requireStore(db, storeUuid), 'export', { format, ...options }, '')
}

/** Messages of the import name options as the command line has them. */
export function inWordsOfApi(message: string): string {
  return message.replaceAll(/--([a-z]+(?:-[a-z]+)*)/g, (_, name: string) =>
    name.replaceAll(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase()),
  )
}

async function insertJob(db: View, storeUuid: string, kind: Job['kind'], options: object, input: string): Promise<Job> {
  const jobId = uuidv7()
  return db.transaction().execute(async (transaction) => {
    await writeParts(transaction, { storeUuid, jobId }, 'input', 0, partsOf(input))
    const row = await transaction
      .insertInto('job')
      .values({
        store_uuid: storeUuid,
        job_id: jobId,
        kind,
        state: 'queued',
        options: JSON.stringify(options),
        counts: sql`'{}'::jsonb`,
        problems: sql`'[]'::jsonb`,
        error: null,
        started_at: null,
        heartbeat_at: null,
        finished_at: null,
      })
      .returning(jobColumns)
      .executeTakeFirstOrThrow()
    return jobOf(row)
  })
}
