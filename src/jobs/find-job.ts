import { storeUuidOf } from '../catalog/text.ts'
import type { View } from '../catalog/viewer.ts'
import { type Job, jobColumns, jobOf } from './job.ts'

/** The job of this id, or undefined when there is none, or none that the viewer may see: it belongs to its store. */
export async function findJob(db: View, jobId: string): Promise<Job | undefined> {
  const uuid = storeUuidOf(jobId)
  if (uuid === undefined) return undefined
  const { stores } = db.viewer
  const row = await db.selectFrom('job').select(jobColumns).where('job_id', '=', uuid).executeTakeFirst()
  return row && (stores?.has(row.store_uuid) ?? true) ? jobOf(row) : undefined
}
