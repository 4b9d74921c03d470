import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/tables.ts'
import { isWithoutRoom } from '../database/unavailable.ts'

/** `storage`: writes fail because the disk of the database is full. */
export type Status = 'ok' | 'storage' | 'unavailable'

const deadlineMs = 1_000
const probeEveryMs = 5_000

/** Makes the check of the database and the filtering service. Concurrent callers share one check. */
export function createStatusCheck(
  db: Kysely<Database>,
  isFilterServiceReachable = async () => true,
): () => Promise<Status> {
  let hasRoom = true
  let probedAt = -probeEveryMs
  const check = async (): Promise<Status> => {
    const [isReachable] = await Promise.all([isFilterServiceReachable(), sql`select 1`.execute(db)])
    const now = performance.now()
    if (now - probedAt >= probeEveryMs) {
      probedAt = now
      hasRoom = await findRoom(db)
    }
    if (!isReachable) return 'unavailable'
    return hasRoom ? 'ok' : 'storage'
  }
  let round: Promise<Status> | undefined
  return () => {
    const late = () => sleep<Status>(deadlineMs, 'unavailable', { ref: false })
    round ??= Promise.race([check().catch((): Status => 'unavailable'), late()]).finally(() => {
      round = undefined
    })
    return round
  }
}

/** Lets PostgreSQL write a temporary file of 4 MiB to the disk of the tables: this needs no rights and no WAL. */
async function findRoom(db: Kysely<Database>): Promise<boolean> {
  try {
    await db.transaction().execute(async (transaction) => {
      await sql`select set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true)`.execute(
        transaction,
      )
      await sql`with filler as materialized (select repeat('x', 8192) from generate_series(1, 512))
        select count(*) from filler`.execute(transaction)
    })
    return true
  } catch (error) {
    return !isWithoutRoom(error)
  }
}
