import { sql } from 'kysely'
import { CatalogueError } from '../../errors.ts'
import type { Catalogue, WriteCatalogue } from '../catalogue.ts'
import type { Change } from '../changes/change.ts'
import { readCursor } from '../changes/cursor.ts'
import { type ChangePage, listChanges } from '../changes/list-changes.ts'
import { adjustCounts, beginAnew, countFurther } from './count-all.ts'
import { type Counts, recount } from './counts.ts'
import { chunkSize } from './evaluate.ts'
import { inStore, type ReaderState } from './reader-state.ts'

/** How many changes are read at a time. */
const pageSize = 100
/** The cursor of a store without changes moves too: one that is older than the kept changes would have expired. */
const oldestMs = 3_600_000

/**
 * Goes on with a store that has requirements: counts anew the products that have changed since the cursor, moves the
 * cursor behind them, and counts some more products for requirements that are new. Any process may do so at any time,
 * and be killed meanwhile: each transaction holds the store's lock and leaves counts that agree with their gaps, and a
 * product that is counted twice counts once. `locked`: another process is at work in the store.
 */
export async function followStore(catalogue: Catalogue, uuid: string): Promise<'locked' | 'more' | 'done'> {
  const begun = await inStore(catalogue, uuid, async (work, state) => {
    if (state.cursor === undefined) await beginAnew(work, uuid, state)
    return { ...state, isComplete: state.cursor !== undefined && (await adjustCounts(work, uuid, state)) }
  })
  if (begun === undefined) return 'done'
  if (begun === 'locked') return begun
  if (begun.cursor === undefined) return 'more'
  const page = await readPage(catalogue, uuid, begun.cursor)
  if (!page) {
    await inStore(catalogue, uuid, (work, state) => beginAnew(work, uuid, state))
    return 'more'
  }
  const isBehind = !(await followPage(catalogue, uuid, begun, page)) || page.more
  if (!begun.isComplete) await inStore(catalogue, uuid, (work, state) => countFurther(work, uuid, state))
  return isBehind || !begun.isComplete ? 'more' : 'done'
}

/** Undefined if changes after the cursor may be missing. */
async function readPage(catalogue: Catalogue, uuid: string, cursor: string): Promise<ChangePage | undefined> {
  try {
    return await listChanges(catalogue, uuid, {}, { after: cursor, limit: pageSize })
  } catch (error) {
    if (error instanceof CatalogueError && error.code === 'cursor_expired') return undefined
    throw error
  }
}

/** Counts the products that a page touches, and moves the cursor behind it. False if another process did so before. */
async function followPage(catalogue: Catalogue, uuid: string, begun: ReaderState, page: ChangePage): Promise<boolean> {
  const isRecent = begun.now.getTime() - begun.asOf.getTime() < oldestMs
  if (page.changes.length === 0 && isRecent) return true
  const touching = page.changes.filter(({ kind }) => kind === 'product' || kind === 'link')
  const codes = [...new Set(touching.flatMap((change) => change.codes))]
  const size = Math.min(...[[], ...begun.wanted.map((one) => one.requirements)].map(chunkSize))
  for (let from = 0; ; from += size) {
    const isLast = from + size >= codes.length
    const isOurs = await inStore(catalogue, uuid, async (work, state) => {
      if (state.cursor !== begun.cursor) return false
      for (const counts of state.counts.filter(isFollowed))
        await recount(work, uuid, counts, codes.slice(from, from + size))
      if (isLast) await moveCursor(work, uuid, state, begun.now, page)
      return true
    })
    if (isOurs !== true || isLast) return isOurs === true
  }
}

function isFollowed({ state, isStale }: Counts): boolean {
  return state !== 'dropped' && !isStale
}

async function moveCursor(
  work: WriteCatalogue,
  uuid: string,
  { counted }: ReaderState,
  now: Date,
  { changes, next }: ChangePage,
): Promise<void> {
  const { tx, seq } = readCursor(next ?? '')
  const added = changes.reduce((sum, change) => sum + (counted.includes(change.tx) ? 0 : addedBy(change)), 0)
  await sql`
    update change_reader set tx = ${String(tx)}::xid8, seq = ${String(seq)}::bigint, as_of = ${now}::timestamptz,
      total = total + ${added}::integer
    where store_uuid = ${uuid}`.execute(work.db)
}

/** By how much a change makes the number of products grow. */
function addedBy({ kind, action, codes }: Change): number {
  if (kind !== 'product' || action === 'updated') return 0
  return action === 'created' ? codes.length : -codes.length
}
