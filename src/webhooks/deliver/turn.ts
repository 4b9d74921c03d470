import { sql } from 'kysely'
import { cursorOfText, type LedgerPosition, positionOfText, textOfPosition } from '../../catalogue/changes/cursor.ts'
import { CatalogueError } from '../../errors.ts'
import { latestPosition } from '../../live/new-changes.ts'
import { nothingPending } from '../webhook.ts'
import { type DeliveryParts, deliver, isPending, type Next, ping } from './attempt.ts'
import { keep, release, type TakenWebhook, take, type WebhookKey } from './leases.ts'
import { type Batch, batchesOf, maxDeliveries, noticeOf } from './message.ts'
import type { ReadPage } from './shared-pages.ts'

export interface TurnParts extends DeliveryParts {
  read: ReadPage
}

const maxPages = 20
/** Between the reads of changes that do not match, and between deliveries of large changes, which are joined then. */
const joiningMs = 1_000
const pauseAfterErrorMs = 5_000

/**
 * Takes a webhook, unless another process has it, and delivers what it waits for: one message after the other, until
 * one fails.
 */
export async function runTurn(parts: TurnParts, key: WebhookKey): Promise<void> {
  const { db, owner } = parts
  const taken = await take(db, key, owner)
  if (!taken) return
  let rest = { hasMore: true, pauseMs: pauseAfterErrorMs }
  try {
    rest = taken.ping ? await pingOnce(parts, taken) : await deliverAll(parts, taken)
  } finally {
    await release(db, key, owner, rest)
  }
}

async function pingOnce(parts: TurnParts, taken: TakenWebhook) {
  await ping(parts, taken)
  return { hasMore: true, pauseMs: 0 }
}

async function deliverAll(parts: TurnParts, taken: TakenWebhook) {
  const backlog = createBacklog(parts)
  const end = performance.now() + parts.times.turn
  let next = await backlog.next(taken)
  let pauseMs = backlog.hasRead() ? joiningMs : 0
  for (let sent = 1; next && next !== 'end'; sent++) {
    const following = backlog.takeFollowing()
    pauseMs = next.isLarge ? joiningMs : 0
    const webhook: TakenWebhook | undefined = await deliver(parts, next, following)
    if (!webhook || webhook.attempt > 0 || !isOn(webhook) || sent === maxDeliveries || performance.now() >= end) break
    next = following ? { webhook, ...following } : await backlog.next(webhook)
  }
  // A poll during the pause does not find what follows, and would know no reason to look again after it.
  return next === 'end' ? { hasMore: pauseMs > 0, pauseMs } : { hasMore: true, pauseMs: 0 }
}

/** Its user may have switched it off. */
function isOn({ state }: TakenWebhook): boolean {
  return state !== 'disabled' && state !== 'paused'
}

/** The messages of a webhook in their order. Their changes are read in pages, which are not kept. */
function createBacklog(parts: TurnParts) {
  const { db, owner, read } = parts
  let page: { batches: Batch[]; next: LedgerPosition; hasMore: boolean } | undefined
  let hasRead = false
  const gapOf = (webhook: TakenWebhook): Next => {
    const cursor = cursorOfText(webhook.position)
    const message = noticeOf('webhook.gap', `gap:${cursor}`, { store_uuid: webhook.storeUuid, cursor })
    return { webhook, message, end: webhook.position, isLarge: false }
  }
  /** The changes after the position are no longer kept: the webhook goes on from now. */
  const lose = async (webhook: TakenWebhook): Promise<Next | undefined> => {
    const position = textOfPosition(await latestPosition(db, [webhook.storeUuid]))
    const changes = sql`position = ${position}, ${nothingPending}, state = 'lost', has_gap = true`
    const lost = await keep(db, webhook, owner, changes)
    page = undefined
    return lost && gapOf(lost)
  }
  /** `position`: nothing from the webhook's own to this one matches. A page after it has the whole batch again. */
  const begin = async (webhook: TakenWebhook, batch: Batch, position: string): Promise<Next | undefined> => {
    const changes = sql`position = ${position}, ${isPending(batch)}`
    const kept = webhook.pending === batch.end ? webhook : await keep(db, webhook, owner, changes)
    return kept && { webhook: kept, ...batch }
  }
  const next = async (webhook: TakenWebhook): Promise<Next | 'end' | undefined> => {
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
      page = { batches: batchesOf(changes, { filter, pending, ledger: next.ledger }), next, hasMore }
    }
    const { hasMore } = page
    const looked = textOfPosition(page.next)
    const isSame = looked === webhook.position
    const kept = isSame || (await keep(db, webhook, owner, sql`position = ${looked}, ${nothingPending}`))
    return kept && !hasMore ? 'end' : undefined
  }
  return {
    /** The next message; 'end' if there is none; undefined if the webhook is to be looked at again at once. */
    next: (webhook: TakenWebhook): Promise<Next | 'end' | undefined> =>
      next(webhook).catch((error: unknown) => {
        if (error instanceof CatalogueError && error.code === 'cursor_expired') return lose(webhook)
        throw error
      }),
    hasRead: () => hasRead,
    /** Takes the message after that off the page, if it has one: recorded with the attempt, it saves a statement. */
    takeFollowing: (): Batch | undefined => page?.batches.shift(),
  }
}
