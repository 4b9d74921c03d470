import { sql } from 'kysely'
import type { Catalogue } from '../catalogue.ts'
import type { RowDifference } from '../projections/projection.ts'
import { queuedCodes } from '../projections/queue.ts'
import { type ChannelCounts, findChangedGaps, findCounts, requiredMask } from './counts.ts'
import { chunkSize } from './evaluate.ts'

/** Compares the gaps, and how many products miss what. Requirements that are being counted are left out. */
export async function checkReadiness(catalogue: Catalogue, uuid: string, limit: number): Promise<RowDifference[]> {
  const queued = await findQueued(catalogue, uuid)
  const found: RowDifference[] = []
  for (const counts of (await findCounts(catalogue, uuid)).filter(({ state }) => state === 'current')) {
    if (found.length >= limit) break
    found.push(...(await checkSums(catalogue, uuid, counts)))
    found.push(...(await checkGaps(catalogue, uuid, counts, queued, limit - found.length)))
  }
  return found
}

async function findQueued({ db }: Catalogue, uuid: string): Promise<Set<string>> {
  const { rows } = await queuedCodes(uuid).execute(db)
  return new Set(rows.map(({ code }) => code))
}

async function checkGaps(
  catalogue: Catalogue,
  uuid: string,
  counts: ChannelCounts,
  queued: ReadonlySet<string>,
  limit: number,
) {
  const { channel, build, requirements } = counts
  const size = chunkSize(requirements)
  const found: RowDifference[] = []
  for (let after = ''; ; ) {
    const { rows } = await sql<{ code: string }>`
      (select product_code as code from product where store_uuid = ${uuid} and product_code > ${after}
        order by product_code limit ${size})
      union
      (select product_code from product_gap
        where store_uuid = ${uuid} and channel = ${channel} and build = ${build} and product_code > ${after}
        order by product_code limit ${size})
      order by code limit ${size}`.execute(catalogue.db)
    const codes = rows.map(({ code }) => code)
    const last = codes.at(-1)
    if (last === undefined || found.length >= limit) return found
    const gaps = await findChangedGaps(catalogue, uuid, counts, codes)
    const wrong = gaps.filter(({ code }) => !queued.has(code))
    found.push(
      ...wrong.map(({ code, before, after }) => {
        return { what: 'gap', channel, code, kept: maskOf(before), actual: maskOf(after) }
      }),
    )
    after = last
  }
}

const maskOf = (mask: bigint) => mask.toString(2)

/** The sums of the gaps: both are written together, also for products in the queue. */
async function checkSums({ db }: Catalogue, uuid: string, counts: ChannelCounts): Promise<RowDifference[]> {
  const { channel, build, requirements, missing, blocked } = counts
  const masks = [...requirements.map((_, bit) => 1n << BigInt(bit)), requiredMask(requirements)].map(String)
  const { rows } = await sql<{ bit: number; count: number }>`
    select b.bit, count(g.mask)::integer as count
    from unnest(${masks}::bigint[]) with ordinality b(mask, bit)
      left join product_gap g on g.store_uuid = ${uuid} and g.channel = ${channel} and g.build = ${build}
        and g.mask & b.mask <> 0
    group by b.bit order by b.bit`.execute(db)
  const actual = rows.map(({ count }) => count).join(' ')
  const kept = [...missing, blocked].join(' ')
  return actual === kept ? [] : [{ what: 'missing', channel, code: null, kept, actual }]
}
