import type { Enumerations, ProductStatus } from '../catalog/enumerations.ts'
import type { View } from '../catalog/viewer.ts'
import { exportStore, type Outline } from '../export/export-store.ts'
import { exportFormats } from '../export/formats.ts'
import type { ClaimedJob } from './claim.ts'
import type { JobCounts } from './job.ts'
import { dropParts, writeParts } from './parts.ts'
import { runImportJob } from './run-import-job.ts'
import type { ExportOptions } from './start-job.ts'

/** What a job runs with. */
export interface JobWork {
  /** Ends it as soon as it can be gone on with from where it is. */
  signal: AbortSignal
  onProgress(counts: Partial<JobCounts>): void
}

/** How a job ended, or that it has to be gone on with. */
export type JobEnd =
  | { state: 'ended'; error: string | undefined; counts: Partial<JobCounts> }
  | { state: 'given back' }
  | { state: 'lost' }

export function runJob(db: View, job: ClaimedJob, enumerations: Enumerations, work: JobWork): Promise<JobEnd> {
  return job.kind === 'import' ? runImportJob(db, job, enumerations, work) : runExportJob(db, job, work)
}

class GivenBack extends Error {}

/** An export is of one snapshot: it begins anew when it was interrupted. */
async function runExportJob(db: View, job: ClaimedJob, { signal, onProgress }: JobWork): Promise<JobEnd> {
  const { format, channel, status } = job.options as unknown as ExportOptions
  const { outlined, head, batch } = exportFormats[format]
  await dropParts(db, job, 'output')
  let outline: Outline = { attributes: [], formats: [] }
  let parts = 0
  let rows = 0
  const add = async (text: string) => {
    if (signal.aborted) throw new GivenBack()
    if (text !== '') await writeParts(db, job, 'output', parts++, [text])
  }
  const selection = { storeUuid: job.storeUuid, channel, status: (status ?? undefined) as ProductStatus | undefined }
  try {
    await exportStore(db, selection, {
      outlined,
      begin: async (read) => {
        outline = read
        await add(head(read))
      },
      take: async (products) => {
        await add(batch(products, outline))
        rows += products.length
        onProgress({ rows })
      },
    })
  } catch (error) {
    if (error instanceof GivenBack) return { state: 'given back' }
    throw error
  }
  return { state: 'ended', error: undefined, counts: { rows } }
}
