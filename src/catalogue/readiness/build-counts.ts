import { sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { recordEvaluated } from '../changes/record-changes.ts'
import { type ChannelCounts, findCounts, recount, requiredMask } from './counts.ts'
import { chunkSize } from './evaluate.ts'
import { listRequirements } from './requirements.ts'

/** Number of gaps that one step deletes. */
const maxDeleted = 5_000

/**
 * Counts the next products for new requirements, or deletes some gaps of requirements that no longer apply.
 * Returns whether there is more to do.
 */
export async function buildCounts(catalogue: WriteCatalogue, uuid: string): Promise<boolean> {
  if (await adjustCounts(catalogue, uuid)) return true
  const all = await findCounts(catalogue, uuid)
  const counting = all.find(({ state }) => state === 'counting')
  const dropped = all.find(({ state }) => state === 'dropped')
  if (counting) await countNext(catalogue, uuid, counting)
  else if (dropped) await deleteSome(catalogue, uuid, dropped)
  return (counting ?? dropped) !== undefined
}

/** Starts counts for new requirements and drops unneeded ones. Returns whether there were any. */
async function adjustCounts(catalogue: WriteCatalogue, uuid: string): Promise<boolean> {
  const all = await findCounts(catalogue, uuid)
  const wanted = await listRequirements(catalogue, uuid)
  const live = all.filter(({ state }) => state !== 'dropped')
  const isOf = (counts: ChannelCounts, { channel, requirements }: (typeof wanted)[number]) =>
    counts.channel === channel && JSON.stringify(counts.requirements) === JSON.stringify(requirements)
  // The current counts of a channel are kept until new ones are complete.
  const isKept = (counts: ChannelCounts) =>
    wanted.some((one) => isOf(counts, one) || (counts.state === 'current' && counts.channel === one.channel))
  const unneeded = live.filter((counts) => !isKept(counts))
  const lacking = wanted.filter((one) => !live.some((counts) => isOf(counts, one)))
  for (const counts of unneeded) await setState(catalogue, uuid, counts, 'dropped')
  for (const { channel, requirements } of lacking) {
    const build = 1 + Math.max(0, ...all.map((counts) => counts.build))
    await sql`
      insert into channel_readiness (store_uuid, channel, build, state, requirements, required, missing)
      values (${uuid}, ${channel}, ${build}, 'counting', ${JSON.stringify(requirements)}::jsonb,
        ${String(requiredMask(requirements))}::bigint, ${requirements.map(() => 0)}::integer[])`.execute(catalogue.db)
  }
  return unneeded.length + lacking.length > 0
}

async function countNext(catalogue: WriteCatalogue, uuid: string, counts: ChannelCounts): Promise<void> {
  const size = chunkSize(counts.requirements)
  const { rows } = await sql<{ code: string }>`
    select product_code as code from product where store_uuid = ${uuid} and product_code > ${counts.countedTo}
    order by product_code limit ${size}`.execute(catalogue.db)
  const codes = rows.map(({ code }) => code)
  await recount(catalogue, uuid, counts, codes)
  const { channel, build } = counts
  await sql`
    update channel_readiness set counted_to = ${codes.at(-1) ?? counts.countedTo},
      counted = counted + ${codes.length}::integer
    where store_uuid = ${uuid} and channel = ${channel} and build = ${build}`.execute(catalogue.db)
  if (codes.length === size) return
  const former = (await findCounts(catalogue, uuid)).filter((one) => one.channel === channel && one.state === 'current')
  for (const one of former) await setState(catalogue, uuid, one, 'dropped')
  await setState(catalogue, uuid, counts, 'current')
  await recordEvaluated(catalogue, uuid, counts)
}

async function setState(
  { db }: WriteCatalogue,
  uuid: string,
  { channel, build }: ChannelCounts,
  state: ChannelCounts['state'],
): Promise<void> {
  await sql`update channel_readiness set state = ${state}
    where store_uuid = ${uuid} and channel = ${channel} and build = ${build}`.execute(db)
}

async function deleteSome({ db }: WriteCatalogue, uuid: string, { channel, build }: ChannelCounts): Promise<void> {
  const { rows } = await sql<{ deleted: number }>`
    with part as materialized (
      select product_code from product_gap
      where store_uuid = ${uuid} and channel = ${channel} and build = ${build}
      order by product_code limit ${maxDeleted}
    ), deleted as (
      delete from product_gap where store_uuid = ${uuid} and channel = ${channel} and build = ${build}
        and product_code = any(array(select product_code from part))
    )
    select count(*)::integer as deleted from part`.execute(db)
  if (onlyRow(rows).deleted === maxDeleted) return
  await sql`delete from channel_readiness
    where store_uuid = ${uuid} and channel = ${channel} and build = ${build}`.execute(db)
}
