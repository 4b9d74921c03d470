import { exportStore } from '../export/export-store.ts'
import { noCounts } from '../import/position.ts'
import { type RunJob, writeAsCurrent } from './attempt.ts'
import { deleteParts, partsOf, partsWriter } from './parts.ts'
import type { ExportOptions } from './start-job.ts'

/** Writes a store's products, from one snapshot: an attempt after an interrupted one starts again. */
export const runExport: RunJob = async (catalogue, attempt, { quotas, signal }) => {
  const { db } = catalogue
  const { channel, status, ...form } = attempt.options as unknown as ExportOptions
  await writeAsCurrent(db, attempt, (transaction) => deleteParts(transaction, attempt, 'output'))
  const writeOutput = partsWriter(attempt, 'output', quotas)
  let written = 0
  attempt.counts = noCounts
  const selection = { storeUuid: attempt.storeUuid, channel, status: status ?? undefined }
  await exportStore(catalogue, selection, form, async (text, products) => {
    signal.throwIfAborted()
    const parts = partsOf(Buffer.from(text))
    await writeAsCurrent(db, attempt, (transaction) => writeOutput(transaction, written, parts))
    written += parts.length
    attempt.counts = { ...noCounts, rows: attempt.counts.rows + products }
  })
  return undefined
}
