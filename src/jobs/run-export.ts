import { exportStore } from '../export/export-store.ts'
import { noCounts } from '../import/report/counts.ts'
import type { RunAttempt } from './attempt.ts'
import { deleteParts, writeParts } from './parts.ts'
import type { ExportOptions } from './start-job.ts'

/** Writes a store's products, from one snapshot: an attempt after an interrupted one starts again. */
export const runExport: RunAttempt = async (catalogue, attempt, { signal }) => {
  const { db } = catalogue
  const { format, channel, status } = attempt.options as unknown as ExportOptions
  await deleteParts(db, attempt, 'output')
  let parts = 0
  attempt.counts = noCounts
  const selection = { storeUuid: attempt.storeUuid, channel, status: status ?? undefined }
  await exportStore(catalogue, selection, format, async (text, products) => {
    signal.throwIfAborted()
    if (text !== '') await writeParts(db, attempt, 'output', parts++, [text])
    attempt.counts = { ...noCounts, rows: attempt.counts.rows + products }
  })
  return undefined
}
