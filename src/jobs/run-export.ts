import { exportStore, type Outline } from '../export/export-store.ts'
import { exportFormats } from '../export/formats.ts'
import { noCounts } from '../import/report/counts.ts'
import type { RunAttempt } from './attempt.ts'
import { deleteParts, writeParts } from './parts.ts'
import type { ExportOptions } from './start-job.ts'

/** Writes a store's products, from one snapshot: an attempt after an interrupted one starts again. */
export const runExport: RunAttempt = async (catalogue, attempt, { signal }) => {
  const { db } = catalogue
  const { format, channel, status } = attempt.options as unknown as ExportOptions
  const { outlined, head, batch } = exportFormats[format]
  await deleteParts(db, attempt, 'output')
  let outline: Outline = { attributes: [], formats: [] }
  let parts = 0
  attempt.counts = noCounts
  const add = async (text: string) => {
    signal.throwIfAborted()
    if (text !== '') await writeParts(db, attempt, 'output', parts++, [text])
  }
  const selection = { storeUuid: attempt.storeUuid, channel, status: status ?? undefined }
  await exportStore(catalogue, selection, {
    outlined,
    begin: async (read) => {
      outline = read
      await add(head(read))
    },
    take: async (products) => {
      await add(batch(products, outline))
      attempt.counts = { ...noCounts, rows: attempt.counts.rows + products.length }
    },
  })
  return undefined
}
