import { sql } from 'kysely'
import { cursorOfText, type LedgerPosition, positionOfText, textOfPosition } from '../../catalogue/changes/cursor.ts'
import { CatalogueError } from '../../errors.ts'
import { latestPosition } from '../../live/new-changes.ts'
import { nothingPending } from '../webhook.ts'
import { type DeliveryParts, isPending, type Next } from './attempt.ts'
import { type LeasedWebhook, update } from './leases.ts'
import { type Batch, batchesOf, maxDeliveries, noticeOf } from './message.ts'

const maxPages = 20

/** The messages of a webhook in their order. Their changes are read in pages, which are not kept. */
export function createBacklog(parts: DeliveryParts) {
  const { db, owner, read } = parts
  let page: { batches: Batch[]; next: LedgerPosition; hasMore: boolean } | undefined
  let hasRead = false
  const gapOf = (webhook: LeasedWebhook): Next => {
    const cursor = cursorOfText(webhook.position)
    const message = noticeOf('webhook.gap', `gap:${cursor}`, { store_uuid: webhook.storeUuid, cursor })
    return { webhook, message, end: webhook.position, isLarge: false }
  }
  /** The changes after the position are no longer kept: the webhook goes on from now. */
  const lose = async (webhook: LeasedWebhook): Promise<Next | undefined> => {
    const position = textOfPosition(await latestPosition(db, [webhook.storeUuid]))
    const changes = sql`position = ${position}, ${nothingPending}, state = 'lost', has_gap = true`
    const lost = await update(db, webhook, owner, changes)
    page = undefined
    return lost && gapOf(lost)
  }
  /** `position`: nothing from the webhook's own to this one matches. A page after it has the whole batch again. */
  const begin = async (webhook: LeasedWebhook, batch: Batch, position: string): Promise<Next | undefined> => {
    const changes = sql`position = ${position}, ${isPending(batch)}`
    const kept = webhook.pending === batch.end ? webhook : await update(db, webhook, owner, changes)
    return kept && { webhook: kept, ...batch }
  }
  const next = async (webhook: LeasedWebhook): Promise<Next | 'end' | undefined> => {
    if (webhook.state === 'lost') return gapOf(webhook)
    const { storeUuid, filter, pending } = webhook
    const upTo = pending === null ? undefined : positionOfText(pending)
    let { position } = webhook
    for (let pages = 0; ; pages++) {
      if (page) {
        const batch = page.batches.shift()
        if (batch) return begin(webhook, batch, position)
        if (!page.hasMore || pages >= maxPages) break
        position = textOfPosition(page.next)
      }
      const { changes, next, hasMore } = await read(storeUuid, positionOfText(position), upTo)
      hasRead ||= changes.length > 0
      const batches = batchesOf(changes, { filter, pending, ledger: next.ledger })
      const end = batches[maxDeliveries - 1]?.end
      page = end === undefined ? { batches, next, hasMore } : { batches, next: positionOfText(end), hasMore: true }
    }
    const { hasMore } = page
    const readTo = textOfPosition(page.next)
    const isSame = readTo === webhook.position
    const kept = isSame || (await update(db, webhook, owner, sql`position = ${readTo}, ${nothingPending}`))
    return kept && !hasMore ? 'end' : undefined
  }
  return {
    /** The next message; 'end' if there is none; undefined if the webhook is due again at once. */
    next: (webhook: LeasedWebhook): Promise<Next | 'end' | undefined> =>
      next(webhook).catch((error: unknown) => {
        if (error instanceof CatalogueError && error.code === 'cursor_expired') return lose(webhook)
        throw error
      }),
    hasRead: () => hasRead,
    /** The position up to which all is taken, if nothing else was to be read after it. */
    readTo: () => (page && !page.hasMore && page.batches.length === 0 ? textOfPosition(page.next) : undefined),
    /** Takes the message after that off the page, if it has one: recorded with the attempt, it saves a statement. */
    takeFollowing: (): Batch | undefined => page?.batches.shift(),
  }
}
