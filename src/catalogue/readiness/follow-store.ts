import { sql } from 'kysely'
import { CatalogueError } from '../../errors.ts'
import type { Catalogue, WriteCatalogue } from '../catalogue.ts'
import type { Change } from '../changes/change.ts'
import { readCursor } from '../changes/cursor.ts'
import { type ChangePage, listChanges } from '../changes/list-changes.ts'
import { adjustCounts, continueCounts, restartCounts } from './count-all.ts'
import { type Counts, recount } from './counts.ts'
import { chunkSize } from './evaluate.ts'
import { inStore, type ReaderState, timeOf } from './reader-state.ts'

/** Number of changes that one step reads. */
const pageSize = 100
/** The cursor moves without changes too: a cursor from before the kept changes has expired. */
const oldestMs = 3_600_000

/**
 * One step in a store that has requirements: recounts the products that have changed since the cursor, moves the cursor
 * past these changes, and counts the next products for new requirements. Any process may run or be killed at any time:
 * each transaction holds the store's lock, leaves counts that agree with their gaps, and may be repeated. `locked`:
 * another process is working in the store.
 */
export async function followStore(catalogue: Catalogue, uuid: string): Promise<'locked' | 'more' | 'done'> {
  const started = await inStore(catalogue, uuid, async (work, state) => {
    if (state.cursor === undefined) await restartCounts(work, uuid, state)
    return { ...state, isComplete: state.cursor !== undefined && (await adjustCounts(work, uuid, state)) }
  })
  if (started === undefined) return 'done'
  if (started === 'locked') return started
  if (started.cursor === undefined) return 'more'
  const page = await readPage(catalogue, uuid, started.cursor)
  if (!page) {
    await inStore(catalogue, uuid, (work, state) => restartCounts(work, uuid, state))
    return 'more'
  }
  const isBehind = !(await followPage(catalogue, uuid, started, page)) || page.hasMore
  if (!started.isComplete) await inStore(catalogue, uuid, (work, state) => continueCounts(work, uuid, state))
  return isBehind || !started.isComplete ? 'more' : 'done'
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

/** Recounts the products of a page and moves the cursor past it. False if another process has moved the cursor. */
async function followPage(
  catalogue: Catalogue,
  uuid: string,
  started: ReaderState,
  page: ChangePage,
): Promise<boolean> {
  const isRecent = started.now.getTime() - started.asOf.getTime() < oldestMs
  if (page.changes.length === 0 && isRecent) return true
  const touching = page.changes.filter(({ kind }) => kind === 'product' || kind === 'link')
  const codes = [...new Set(touching.flatMap((change) => change.codes))]
  const size = Math.min(...[[], ...started.wanted.map((one) => one.requirements)].map(chunkSize))
  for (let from = 0; ; from += size) {
    const isLast = from + size >= codes.length
    const isOurs = await inStore(catalogue, uuid, async (work, state) => {
      if (state.cursor !== started.cursor) return false
      for (const counts of state.counts.filter(isFollowed))
        await recount(work, uuid, counts, codes.slice(from, from + size))
      if (isLast) await moveCursor(work, uuid, state, page)
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
  { changes, next }: ChangePage,
): Promise<void> {
  const { tx, seq } = readCursor(next ?? '')
  const asOf = await timeOf(work, uuid, { tx: String(tx), seq: String(seq) })
  const added = changes.reduce((sum, change) => sum + (counted.includes(change.tx) ? 0 : addedBy(change)), 0)
  await sql`
    update change_reader set tx = ${String(tx)}::xid8, seq = ${String(seq)}::bigint, as_of = ${asOf}::timestamptz,
      total = total + ${added}::integer
    where store_uuid = ${uuid}`.execute(work.db)
}

/** The number of products that a change adds, negative for removed ones. */
function addedBy({ kind, action, codes }: Change): number {
  if (kind !== 'product' || action === 'updated') return 0
  return action === 'created' ? codes.length : -codes.length
}
