import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Enumerations, ProductStatus } from '../catalogue/enumerations.ts'
import { exportStore, type Outline } from '../export/export-store.ts'
import { exportFormats } from '../export/formats.ts'
import { noCounts } from '../import/report/counts.ts'
import type { Attempt, JobControl, JobResult } from './attempt.ts'
import { deleteParts, writeParts } from './parts.ts'
import { runImport } from './run-import.ts'
import type { ExportOptions } from './start-job.ts'

/**
 * Runs a job, which reads its input from the table `job_part` and writes its output there. It uses nothing of this
 * process but its arguments. Throws when it is interrupted, or when PostgreSQL fails.
 */
export function runJob(
  catalogue: Catalogue,
  attempt: Attempt,
  enumerations: Enumerations,
  control: JobControl,
): Promise<JobResult> {
  if (attempt.kind === 'export') return runExport(catalogue, attempt, control)
  return runImport(catalogue, attempt, enumerations, control)
}

/** Writes a store's products, from one snapshot: an attempt after an interrupted one starts again. */
async function runExport(
  catalogue: Catalogue,
  attempt: Attempt,
  { signal, onProgress }: JobControl,
): Promise<JobResult> {
  const { db } = catalogue
  const { format, channel, status } = attempt.options as unknown as ExportOptions
  const { outlined, head, batch } = exportFormats[format]
  await deleteParts(db, attempt, 'output')
  let outline: Outline = { attributes: [], formats: [] }
  let parts = 0
  let counts = noCounts
  const add = async (text: string) => {
    signal.throwIfAborted()
    if (text !== '') await writeParts(db, attempt, 'output', parts++, [text])
  }
  const selection = {
    storeUuid: attempt.storeUuid,
    channel,
    status: (status ?? undefined) as ProductStatus | undefined,
  }
  await exportStore(catalogue, selection, {
    outlined,
    begin: async (read) => {
      outline = read
      await add(head(read))
    },
    take: async (products) => {
      await add(batch(products, outline))
      counts = { ...counts, rows: counts.rows + products.length }
      onProgress(counts)
    },
  })
  return { error: undefined, counts }
}
