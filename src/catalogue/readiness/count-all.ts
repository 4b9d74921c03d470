import { sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'
import { type Counts, recount, requiredMask } from './counts.ts'
import { chunkSize } from './evaluate.ts'
import type { ReaderState } from './reader-state.ts'

/** Number of gaps that one step deletes. */
const mostDeleted = 5_000

/**
 * Moves the cursor to now and requests a new count of all products. The current counts stay, as of their time, until
 * the new ones are complete. `total` includes those changes after the cursor that `counted` lists.
 */
export async function restartCounts({ db }: WriteCatalogue, uuid: string, state: ReaderState): Promise<void> {
  await sql`
    update channel_readiness set state = case when state = 'current' then state else 'dropped' end,
      as_of = coalesce(as_of, ${state.asOf}::timestamptz), total = coalesce(total, ${state.total}::integer)
    where store_uuid = ${uuid}`.execute(db)
  // Citus updates a reference table only in a statement that reads no other table.
  const { rows } = await sql<{ total: number; tx: string; counted: string }>`
    select total, tx, counted::text as counted from count_products(${uuid}::uuid)`.execute(db)
  const [{ total, tx, counted } = { total: 0, tx: null, counted: '{}' }] = rows
  await sql`
    update change_reader set ledger = (select left(ledger::text, 8) from change_horizon limit 1),
      tx = ${tx}::xid8, seq = 0, counted = ${counted}::xid8[], total = ${total}::integer, as_of = now(),
      requested = requested + 1
    where store_uuid = ${uuid}`.execute(db)
}

/** Starts counts for new requirements and drops unneeded ones. Returns whether all counts are complete. */
export async function adjustCounts(work: WriteCatalogue, uuid: string, state: ReaderState): Promise<boolean> {
  const live = state.counts.filter((counts) => counts.state !== 'dropped')
  const isOf = (counts: Counts, { channel, requirements }: (typeof state.wanted)[number]) =>
    counts.channel === channel &&
    !counts.isStale &&
    JSON.stringify(counts.requirements) === JSON.stringify(requirements)
  // The current counts of a channel are kept until new ones are complete.
  const isKept = (counts: Counts) =>
    state.wanted.some((one) => isOf(counts, one) || (counts.state === 'current' && counts.channel === one.channel))
  const unneeded = live.filter((counts) => !isKept(counts))
  const lacking = state.wanted.filter((one) => !live.some((counts) => isOf(counts, one)))
  for (const { channel, build } of unneeded) {
    await sql`update channel_readiness set state = 'dropped'
      where store_uuid = ${uuid} and channel = ${channel} and build = ${build}`.execute(work.db)
  }
  for (const { channel, requirements } of lacking) {
    const build = 1 + Math.max(0, ...state.counts.map((counts) => counts.build))
    await sql`
      insert into channel_readiness (store_uuid, channel, build, state, requirements, required, missing)
      values (${uuid}, ${channel}, ${build}, 'counting', ${JSON.stringify(requirements)}::jsonb,
        ${String(requiredMask(requirements))}::bigint, ${requirements.map(() => 0)}::integer[])`.execute(work.db)
  }
  const isSettled = state.counts.every((counts) => counts.state === 'current')
  const isComplete = isSettled && lacking.length + unneeded.length === 0
  if (isComplete && state.done < state.requested) await finish(work, uuid, state)
  return isComplete
}

/** Records that all counts are complete. */
async function finish({ db }: WriteCatalogue, uuid: string, { requested, wanted }: ReaderState): Promise<void> {
  await (wanted.length === 0
    ? sql`delete from change_reader where store_uuid = ${uuid} and requested = ${requested}`
    : sql`update change_reader set done = ${requested} where store_uuid = ${uuid}`
  ).execute(db)
}

/** One step: counts the next products for new requirements, or else deletes some gaps of dropped counts. */
export async function continueCounts(work: WriteCatalogue, uuid: string, state: ReaderState): Promise<void> {
  const counting = state.counts.find((counts) => counts.state === 'counting')
  const dropped = state.counts.find((counts) => counts.state === 'dropped')
  if (counting) await countNext(work, uuid, counting)
  else if (dropped) await deleteSome(work, uuid, dropped)
}

async function countNext(work: WriteCatalogue, uuid: string, counts: Counts): Promise<void> {
  const size = chunkSize(counts.requirements)
  const { rows } = await sql<{ code: string }>`
    select product_code as code from product where store_uuid = ${uuid} and product_code > ${counts.countedTo}
    order by product_code limit ${size}`.execute(work.db)
  const codes = rows.map(({ code }) => code)
  await recount(work, uuid, counts, codes)
  const isComplete = codes.length < size
  const { channel, build } = counts
  if (isComplete) {
    await sql`update channel_readiness set state = 'dropped'
      where store_uuid = ${uuid} and channel = ${channel} and state = 'current'`.execute(work.db)
  }
  await sql`
    update channel_readiness set counted_to = ${codes.at(-1) ?? counts.countedTo},
      state = ${isComplete ? 'current' : 'counting'}
    where store_uuid = ${uuid} and channel = ${channel} and build = ${build}`.execute(work.db)
}

async function deleteSome({ db }: WriteCatalogue, uuid: string, { channel, build }: Counts): Promise<void> {
  const { rows } = await sql<{ deleted: number }>`
    with part as materialized (
      select product_code from product_gap
      where store_uuid = ${uuid} and channel = ${channel} and build = ${build}
      order by product_code limit ${mostDeleted}
    ), deleted as (
      delete from product_gap where store_uuid = ${uuid} and channel = ${channel} and build = ${build}
        and product_code = any(array(select product_code from part))
    )
    select count(*)::integer as deleted from part`.execute(db)
  if ((rows[0]?.deleted ?? 0) === mostDeleted) return
  await sql`delete from channel_readiness
    where store_uuid = ${uuid} and channel = ${channel} and build = ${build}`.execute(db)
}
