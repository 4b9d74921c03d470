import type { Selectable } from 'kysely'
import type { Database } from '../database/tables.ts'

/** What a job has done with the rows of a file, or how many products it has written. */
export interface JobCounts {
  rows: number
  created: number
  updated: number
  unchanged: number
  failed: number
  assetsAdded: number
  linksAdded: number
}

/** One thing that is wrong with one row of an import. */
export interface JobProblem {
  row: number
  line: number | null
  productCode: string | null
  field: string | null
  reason: string
}

/** An import or export that the gateway does in the background. */
export interface Job {
  jobId: string
  storeUuid: string
  kind: 'import' | 'export'
  state: 'queued' | 'running' | 'succeeded' | 'failed'
  counts: JobCounts
  problems: JobProblem[]
  error: string | null
  createdAt: Date
  startedAt: Date | null
  heartbeatAt: Date | null
  finishedAt: Date | null
}

export const jobColumns = [
  'store_uuid',
  'job_id',
  'kind',
  'state',
  'counts',
  'problems',
  'error',
  'created_at',
  'started_at',
  'heartbeat_at',
  'finished_at',
] as const

/** A row of the table in the words of the API. */
export function jobOf(row: Pick<Selectable<Database['job']>, (typeof jobColumns)[number]>): Job {
  const none = { rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0, assetsAdded: 0, linksAdded: 0 }
  return {
    jobId: row.job_id,
    storeUuid: row.store_uuid,
    kind: row.kind,
    state: row.state,
    counts: { ...none, ...row.counts },
    problems: row.problems as JobProblem[],
    error: row.error,
    createdAt: row.created_at,
    startedAt: row.started_at,
    heartbeatAt: row.heartbeat_at,
    finishedAt: row.finished_at,
  }
}

/** Rows a second, as long as it has run; null before it has begun. */
export function rateOf({ counts, startedAt, heartbeatAt, finishedAt }: Job): number | null {
  const until = finishedAt ?? heartbeatAt
  if (!startedAt || !until) return null
  return counts.rows / Math.max((until.getTime() - startedAt.getTime()) / 1000, 0.001)
}
