import { sql } from 'kysely'
import { lengthOf, shown } from '../../text.ts'
import { entryCount } from '../asset-groups/asset-entries.ts'
import { type PatternTask, runTasks, stepsOf } from '../attributes/patterns.ts'
import { brief } from '../bounded-failures.ts'
import type { Catalogue } from '../catalogue.ts'
import type { Sql } from '../conditions.ts'
import type { Requirement } from './requirements.ts'

/** The largest number of requirements times products to evaluate at a time. */
const maxEvaluations = 60_000
/** Longer values match no pattern: this bounds the work for a product. */
const maxCharacters = 1_000

/** SQL: a query for the requirements `r` of a source of `list(channel, requirements)`, each with its index. */
export const requirementsOf = (lists: Sql): Sql => sql`
  select list.channel, (e.number - 1)::integer as bit, e.requirement, r.*
  from ${lists} cross join lateral jsonb_array_elements(list.requirements) with ordinality e(requirement, number)
    cross join lateral jsonb_to_record(e.requirement) as r("kind" text, "attribute" text, "assetFormat" text,
      "minimum" integer, "pattern" text, "whenAttribute" text, "whenValues" text[])`

const blanks = sql`E' \\t\\r\\n'`
/** Looks at the beginning first: to trim each long value took most of the time. */
const isBlank = (value: Sql) => sql`case when btrim(left(${value}, 64), ${blanks}) <> '' then false
  else btrim(coalesce(${value}, ''), ${blanks}) = '' end`

/** The attributes of a product, to be selected once: each requirement would read and unpack large ones again. */
export const unpacked = sql`attributes || '{}'`

/**
 * Joins products `p` and requirements `r` with `v(value, is_missing)`: the value of the product, and whether it does
 * not meet the requirement. Does not match patterns. A requirement that does not apply to a product has no row.
 */
export const evaluationJoin = (uuid: string): Sql => sql`
  cross join lateral (
    select case r.kind
      when 'ASSET' then (
        select ${entryCount}::text from asset_group g where g.store_uuid = ${uuid} and g.channel = r.channel
          and g.asset_format = r."assetFormat" and g.parent_code = p.product_code)
      when 'STATUS' then p.status
      else p.attributes ->> r.attribute end as value
    where r."whenAttribute" is null or case when r."whenValues" is null
      then not ${isBlank(sql`p.attributes ->> r."whenAttribute"`)}
      else p.attributes ->> r."whenAttribute" = any(r."whenValues") end
  ) a cross join lateral (
    select left(a.value, ${maxCharacters + 1}::integer) as value, case r.kind
      when 'ASSET' then coalesce(a.value::integer, 0) < r.minimum
      when 'ATTRIBUTE' then ${isBlank(sql`a.value`)} or coalesce(length(a.value) < r.minimum, false)
        or (r.pattern is not null and length(a.value) > ${maxCharacters}::integer)
      else false end as is_missing
  ) v`

/** The values that do not match their pattern, by pattern. */
export async function findPatternMismatches(
  { patterns = { work: 0 } }: Catalogue,
  values: Iterable<{ pattern: string; value: string }>,
): Promise<Map<string, Set<string>>> {
  const byPattern = Map.groupBy(values, ({ pattern }) => pattern)
  const tasks = Array.from(byPattern, ([pattern, all]): PatternTask => {
    return { pattern, values: [...new Set(all.map(({ value }) => value))] }
  })
  const results = await runTasks(patterns, tasks)
  return new Map(tasks.map(({ pattern }, i) => [pattern, new Set(results[i]?.mismatches)]))
}

/** Number of products to evaluate at a time: matching patterns with the longest values takes seconds. */
export function chunkSize(requirements: readonly Requirement[]): number {
  const steps = requirements.reduce((sum, { pattern }) => sum + stepsOf(pattern ?? ''), 0)
  const size = Math.min(maxEvaluations / (requirements.length + 1), 100_000 / (steps + 1), 1_000)
  return Math.max(50, Math.floor(size))
}

/** Why a product with this value does not meet a requirement. */
export function reasonFor({ kind, attribute, assetFormat, minimum, pattern }: Requirement, value: string | null) {
  if (kind === 'ASSET') return `must have at least ${minimum} assets of the format ${assetFormat}; has ${value ?? 0}`
  if (kind === 'STATUS') return `the status must match ${brief(pattern ?? '')}; it is ${value}`
  if (value === null || value.trim() === '') return `${attribute} is missing`
  if (minimum !== null && lengthOf(value) < minimum) {
    return `${attribute} must have at least ${minimum} characters; it has ${lengthOf(value)}`
  }
  const tooLong = lengthOf(value) > maxCharacters ? ` and have at most ${maxCharacters} characters` : ''
  return `${attribute} must match the pattern ${brief(pattern ?? '')}${tooLong}; got ${shown(value)}`
}
