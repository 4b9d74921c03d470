import { sql } from 'kysely'
import { onlyRow } from '../../../database/only-row.ts'
import { CatalogueError, changesDisabled, invalidRequest } from '../../../errors.ts'
import { BoundedFailures } from '../../bounded-failures.ts'
import { type Catalogue, requireVisible, type WriteCatalogue } from '../../catalogue.ts'
import { type LockRequest, lockStore } from '../../locks.ts'
import { requireStore } from '../../stores/stores.ts'
import { isOfCatalogue } from '../change.ts'
import { listReverts, revertFinder } from '../receipt.ts'
import { recordedByReverts, requireQuota } from './quota.ts'
import type { Reversal, RevertedCounts } from './restore-items.ts'
import { assetsAndLinks } from './revert-assets.ts'
import { products } from './revert-products.ts'
import { definitions, requirements, storeFields } from './revert-settings.ts'
import { type SkippedItem, sentenceOf } from './skipped-item.ts'

/** What a revert does with items that later requests changed. */
export type RevertPolicy = 'SKIP' | 'FAIL' | 'OVERWRITE'

export interface RevertResult {
  storeUuid: string
  /** The id of the revert itself, which can be reverted too. */
  requestId: string
  reverted: RevertedCounts
  skipped: SkippedItem[]
  /** How many skipped items `skipped` leaves out. */
  more: number
}

/** How many items a revert over the API may have: it is one transaction within the time limit of a request. */
const maxItems = 100_000

/** In the order in which they depend on each other. */
const steps = [storeFields, definitions, requirements, assetsAndLinks, products]

/**
 * Restores the values from before a request, in one transaction. The ledger records the revert, so it can be reverted.
 * Items that later requests changed are skipped, overwritten, or fail the revert. Throws `changes_disabled`,
 * `request_not_found`, `not_revertible`; if it is bounded, `quota_exceeded`, or `payload_too_large` for more than
 * `maxItems`, `store_not_found`. At most twenty statements, and three more for each 12 MiB of products.
 */
export async function revertRequest(
  catalogue: WriteCatalogue,
  storeUuid: string,
  requestId: string,
  policy: RevertPolicy,
  isBounded = true,
): Promise<RevertResult> {
  const { origin } = catalogue
  if (!origin) throw changesDisabled()
  if (origin.requestId === requestId) {
    throw invalidRequest([{ field: 'requestId', details: 'requestId must not be the id of the revert itself' }])
  }
  const uuid = requireVisible(catalogue, storeUuid)
  const found = await findRequest(catalogue, uuid, requestId)
  if (found.items === 0) {
    await requireStore(catalogue, uuid)
    const details = `the store ${JSON.stringify(storeUuid)} has no changes of a request ${JSON.stringify(requestId)}`
    throw new CatalogueError('request_not_found', [{ field: 'requestId', details }])
  }
  if (isBounded) requireWithinBounds(found)
  const { seqs, kinds } = found
  await lockStore(catalogue, uuid, locksFor(found))
  // As updateStore does.
  if (kinds.includes('store')) {
    await sql`select from store where store_uuid = ${uuid} for no key update`.execute(catalogue.db)
  }
  const cancelled = await requireNotReverted(catalogue, uuid, requestId, policy)
  const later = await findLater(catalogue, uuid, requestId, found)
  const skipped = new BoundedFailures<SkippedItem>()
  const reversal = { storeUuid: uuid, requestId, overwrites: policy === 'OVERWRITE', seqs, later, cancelled, skipped }
  const writes: WriteCatalogue = { ...catalogue, origin: { ...origin, reverts: requestId } }
  const reverted = { products: 0, assets: 0, links: 0, definitions: 0, requirements: 0, storeFields: 0 }
  for (const step of steps.filter((one) => one.kinds.some((kind) => kinds.includes(kind)))) {
    Object.assign(reverted, await step.revert(writes, reversal))
  }
  if (policy === 'FAIL') requireComplete(skipped)
  return { storeUuid: uuid, requestId: origin.requestId, reverted, skipped: skipped.kept, more: skipped.more }
}

function requireWithinBounds({ items, recordedMb }: Found): void {
  if (items > maxItems) {
    const details = `a request with at most ${maxItems} changes can be reverted here; it has ${items}: use \`catalog revert\``
    throw new CatalogueError('payload_too_large', [{ field: 'requestId', details }])
  }
  requireQuota(recordedMb)
}

interface Found {
  items: number
  /** What reverts have recorded in the store in the last 24 hours, in MiB. */
  recordedMb: number
  seqs: string[]
  firstAt: Date
  kinds: string[]
  /** The codes by kind; null if they are more than `maxNames`. */
  names: { kind: string; name: string }[] | null
}

/** The largest number of codes that are locked one by one; for more the whole store is locked. */
const maxNames = 100

async function findRequest({ db }: Catalogue, storeUuid: string, requestId: string): Promise<Found> {
  const { rows } = await sql<Found>`
    with own as materialized (
      select kind, seq, at, codes, count, items from change
      where store_uuid = ${storeUuid} and request_id = ${requestId} and ${isOfCatalogue}
    )
    select coalesce(sum(items), 0)::int as items, array_agg(seq::text order by seq) as seqs, min(at) as "firstAt",
      coalesce(array_agg(distinct kind), '{}') as kinds, case when sum(count) <= ${maxNames}::integer then (
        select json_agg(n) from (select distinct kind, unnest(codes) as name from own) n
      ) end as names, ${recordedByReverts(storeUuid)} as "recordedMb"
    from own`.execute(db)
  return onlyRow(rows)
}

/**
 * The locks that writers of such items take. With assets, those of all groups: an asset may be linked anywhere in its
 * store.
 */
function locksFor({ kinds, names }: Found): LockRequest {
  const of = (kind: string) => names?.flatMap((named) => (named.kind === kind ? named.name : [])) ?? 'all'
  return {
    ...(kinds.includes('asset') ? { groups: 'all' } : kinds.includes('link') && { groups: of('link') }),
    ...(kinds.includes('product') && { products: of('product') }),
    ...((kinds.includes('definition') || kinds.includes('requirement')) && { definitions: 'all' }),
  }
}

/** A chunk of an import takes at most this long: no change of a request is older than its first kept one by more. */
const maxChunk = '15 minutes'

/**
 * The keys of the later changes of a request's items. Throws `not_revertible` if the request may have changes from
 * before the ledger began, or of a day that was dropped.
 */
async function findLater(
  { db }: WriteCatalogue,
  storeUuid: string,
  requestId: string,
  { seqs, firstAt }: Found,
): Promise<Reversal['later']> {
  // An hour earlier, as clocks of servers may differ: the time only excludes partitions.
  const from = new Date(firstAt.getTime() - 3_600_000)
  const { rows } = await sql<Reversal['later'] & { isCut: boolean }>`
    select state.since > ${firstAt} or state.has_gap or state.horizon_seq > 0 and to_regclass('change_' || to_char(
        (${firstAt}::timestamptz - ${maxChunk}::interval) at time zone 'UTC', 'YYYYMMDD')) is null as "isCut",
      coalesce(later.tx, '{}') as tx, coalesce(later.seq, '{}') as seq, coalesce(later.at, '{}') as at
    from ledger_state(${storeUuid}::uuid) state cross join (
      select array_agg(tx::text) as tx, array_agg(seq::text) as seq, array_agg(at::text) as at
      from (select distinct tx, seq, at from changes_since(${storeUuid}::uuid, ${requestId}, ${seqs}::bigint[], ${from})) c
    ) later`.execute(db)
  const { isCut, ...later } = onlyRow(rows)
  if (!isCut) return later
  const details = `the request ${JSON.stringify(requestId)} may have changes that are older than the ledger`
  throw new CatalogueError('not_revertible', details)
}

/**
 * Throws `not_revertible` if the request is reverted already, unless the policy overwrites. Returns the ids of its
 * reverts and of their reverts, which cancel each other out.
 */
async function requireNotReverted(
  catalogue: WriteCatalogue,
  storeUuid: string,
  requestId: string,
  policy: RevertPolicy,
): Promise<string[]> {
  const reverts = await listReverts(catalogue, storeUuid, [requestId])
  const revertedBy = revertFinder(reverts)(requestId)
  if (!revertedBy || policy === 'OVERWRITE') return reverts.map((revert) => revert.requestId)
  const details = `the request ${JSON.stringify(requestId)} is reverted already, by ${JSON.stringify(revertedBy.requestId)}: revert that one, or overwrite what changed since`
  throw new CatalogueError('not_revertible', details)
}

/** How many items an error lists. */
const maxFaults = 1_000

function requireComplete({ kept, more }: BoundedFailures<SkippedItem>): void {
  if (kept.length === 0) return
  const faults = kept.slice(0, maxFaults).map((item) => ({ details: sentenceOf(item) }))
  const others = kept.length - faults.length + more
  if (others > 0) faults.push({ details: `${others} more items cannot be reverted` })
  throw new CatalogueError('not_revertible', faults)
}
