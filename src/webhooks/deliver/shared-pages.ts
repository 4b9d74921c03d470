import { type FeedPosition, feedPosition, isBefore, type LedgerPosition } from '../../catalogue/changes/cursor.ts'
import type { NewChanges } from '../../live/new-changes.ts'

/** Reads the changes of a store after a position. A page of another webhook is used only if it reaches `upTo`. */
export type ReadPage = (storeUuid: string, after: LedgerPosition, upTo?: FeedPosition) => Promise<NewChanges>

const keptMs = 1_000
/** A page may have some MiB. */
const maxPages = 8

/**
 * Reads pages for all webhooks of a store, which are mostly at about the same position: the last page serves those
 * whose position is in it.
 */
export function createSharedPages(read: ReadPage): ReadPage {
  const last = new Map<string, { after: LedgerPosition; page: Promise<NewChanges>; timer: NodeJS.Timeout }>()
  /** A timer would keep the page. */
  const forget = (storeUuid: string) => {
    clearTimeout(last.get(storeUuid)?.timer)
    last.delete(storeUuid)
  }
  const begin = (storeUuid: string, after: LedgerPosition) => {
    forget(storeUuid)
    const page = read(storeUuid, after)
    last.set(storeUuid, { after, page, timer: setTimeout(() => last.delete(storeUuid), keptMs).unref() })
    for (const store of [...last.keys()].slice(0, -maxPages)) forget(store)
    return page
  }
  return async (storeUuid, after, upTo = after) => {
    const known = last.get(storeUuid)
    const isInside = ({ next }: NewChanges) =>
      next.ledger === after.ledger && isBefore(after, next) && !isBefore(next, upTo)
    // What fails for the position of another one may not fail for this one.
    let page = known && !isBefore(after, known.after) ? await known.page.catch(() => undefined) : undefined
    if (!page || !isInside(page)) page = await begin(storeUuid, after)
    return { ...page, changes: page.changes.filter(({ tx, seq }) => isBefore(after, feedPosition(tx, seq))) }
  }
}
