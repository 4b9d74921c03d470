import { sql } from 'kysely'
import type { Catalogue, WriteCatalogue } from '../catalogue.ts'
import { readinessItems, recorded } from '../changes/record-changes.ts'
import type { Sql } from '../conditions.ts'
import { evaluationJoin, findPatternMismatches, requirementsOf, unpacked } from './evaluate.ts'
import type { Requirement } from './requirements.ts'

/** Number of products of a store that do not meet each requirement of a channel (0006-projections.sql). */
export interface ChannelCounts {
  channel: string
  build: number
  state: 'current' | 'counting' | 'dropped'
  requirements: Requirement[]
  countedTo: string
  /** How many products were counted so far. */
  counted: number
  missing: number[]
  blocked: number
}

/** The counts of a store. */
export async function findCounts({ db }: Catalogue, uuid: string | null): Promise<ChannelCounts[]> {
  const { rows } = await sql<ChannelCounts>`
    select channel, build, state, requirements, counted_to as "countedTo", counted, missing, blocked
    from channel_readiness where store_uuid = ${uuid} order by channel, build`.execute(db)
  return rows
}

interface Row {
  code: string
  before: string | null
  mask: string | null
  values: { bit: number; value: string }[] | null
}

/** The gap of a product that is stored and the one that it has; 0 is none. */
export interface Gap {
  code: string
  before: bigint
  after: bigint
  isDeleted: boolean
}

/** The gaps of products that differ from the stored ones. */
export async function findChangedGaps(
  catalogue: Catalogue,
  uuid: string,
  { channel, build, requirements }: ChannelCounts,
  codes: readonly string[],
): Promise<Gap[]> {
  const list = sql`(
    select ${channel}::text as channel, ${JSON.stringify(requirements)}::jsonb as requirements) list`
  const { rows } = await sql<Row>`
    with r as materialized (${requirementsOf(list)})
    select k.code, g.mask::text as before, m.mask::text as mask, m.values
    from unnest(${codes}::text[]) k(code) left join lateral (
      select product_code, status, ${unpacked} as attributes from product
      where store_uuid = ${uuid} and product_code = k.code offset 0
    ) p on true left join lateral (
      select mask from product_gap
      where store_uuid = ${uuid} and channel = ${channel} and build = ${build} and product_code = k.code offset 0
    ) g on true left join lateral (
      select coalesce(bit_or(1::bigint << r.bit) filter (where v.is_missing), 0) as mask,
        json_agg(json_build_object('bit', r.bit, 'value', v.value))
          filter (where r.pattern is not null and not v.is_missing) as values
      from r ${evaluationJoin(uuid)}
    ) m on p.product_code is not null`.execute(catalogue.db)
  const patternOf = (bit: number) => requirements[bit]?.pattern ?? ''
  const mismatching = await findPatternMismatches(
    catalogue,
    rows.flatMap(({ values }) => (values ?? []).map(({ bit, value }) => ({ pattern: patternOf(bit), value }))),
  )
  return rows.flatMap(({ code, before, mask, values }) => {
    const bad = (values ?? []).filter(({ bit, value }) => mismatching.get(patternOf(bit))?.has(value))
    const after = bad.reduce((all, { bit }) => all | (1n << BigInt(bit)), BigInt(mask ?? 0))
    return after === BigInt(before ?? 0) ? [] : [{ code, before: BigInt(before ?? 0), after, isDeleted: mask === null }]
  })
}

/**
 * Replaces the gaps of products by their current ones, and updates the counts by the difference. Records which products
 * became ready or blocked, unless the requirements are still being counted.
 */
export async function recount(
  catalogue: WriteCatalogue,
  uuid: string,
  counts: ChannelCounts,
  codes: readonly string[],
): Promise<void> {
  const { channel, build } = counts
  const changed = await findChangedGaps(catalogue, uuid, counts, codes)
  if (changed.length === 0) return
  const sums = changedCounts(counts, changed)
  const gaps = changed.filter(({ after }) => after !== 0n)
  const whole = changed.filter(({ after }) => after === 0n).map(({ code }) => code)
  const items = counts.state === 'current' ? changedReadiness(counts, changed) : undefined
  // `run_on_server` (Citus) needs a statement that returns rows.
  await sql`
    with deleted as (
      delete from product_gap where store_uuid = ${uuid} and channel = ${channel} and build = ${build}
        and product_code = any(${whole}::text[])
    ), written as (
      insert into product_gap (store_uuid, channel, build, product_code, mask)
      select ${uuid}::uuid, ${channel}::text, ${build}::integer, code, mask
      from unnest(${gaps.map(({ code }) => code)}::text[], ${gaps.map(({ after }) => String(after))}::bigint[]) g(code, mask)
      on conflict (store_uuid, channel, build, product_code) do update set mask = excluded.mask
    )
    update channel_readiness set missing = ${sums.missing}::integer[], blocked = ${sums.blocked}::integer
    where store_uuid = ${uuid} and channel = ${channel} and build = ${build}
    returning ${items ? recorded(catalogue, uuid, items) : sql`1`}`.execute(catalogue.db)
  // The next chunk of a step adds to these.
  Object.assign(counts, sums)
}

function changedCounts(
  { missing, blocked, requirements }: ChannelCounts,
  changed: readonly Gap[],
): Pick<ChannelCounts, 'missing' | 'blocked'> {
  const required = requiredMask(requirements)
  const isBlocked = (mask: bigint) => Number((mask & required) !== 0n)
  const change = (of: (mask: bigint) => number) =>
    changed.reduce((sum, { before, after }) => sum + of(after) - of(before), 0)
  return {
    missing: missing.map((count, bit) => count + change((mask) => Number((mask >> BigInt(bit)) & 1n))),
    blocked: blocked + change(isBlocked),
  }
}

/** SQL: the items of the products that became ready or blocked, if any did. One that is deleted is neither. */
function changedReadiness({ channel, requirements }: ChannelCounts, changed: readonly Gap[]): Sql | undefined {
  const required = requiredMask(requirements)
  const isReady = (mask: bigint) => (mask & required) === 0n
  const codesOf = (gaps: readonly Gap[]) => gaps.map(({ code }) => code)
  const ready = codesOf(changed.filter((gap) => !isReady(gap.before) && isReady(gap.after) && !gap.isDeleted))
  const blocked = codesOf(changed.filter((gap) => isReady(gap.before) && !isReady(gap.after)))
  return ready.length + blocked.length > 0 ? readinessItems(channel, ready, blocked) : undefined
}

/** The bits of the requirements that are required, not only recommended. */
export function requiredMask(requirements: readonly Requirement[]): bigint {
  return requirements.reduce(
    (mask, { severity }, bit) => (severity === 'REQUIRED' ? mask | (1n << BigInt(bit)) : mask),
    0n,
  )
}
