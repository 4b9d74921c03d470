import { type RawBuilder, sql } from 'kysely'
import { isStorable } from '../../../text.ts'
import { allOf } from '../../conditions.ts'
import { beyondAll, compare, isAmong, texts, valuesOf } from './compare.ts'
import type { ProductFilter, TimeRange } from './product-filter.ts'
import { hasSubstring, isBlocked, isReady, withAssets } from './related.ts'
import type { Source } from './source.ts'

type Condition = RawBuilder<boolean>

/** A condition that an index finds, in the order of `key`; undefined: of several keys. */
interface Indexed {
  where: Condition
  key: RawBuilder<unknown> | undefined
}

/** The condition on products `p` of a source. `indexed`: all of these are part of it. */
export interface Compiled {
  where: Condition
  indexed: Indexed[]
}

/** Compiles a filter. The condition is true for products that match, else false or null. */
export function compile(source: Source, filter: ProductFilter): Compiled {
  const conditions = conditionsOf(source, filter)
  return {
    where: allOf([sql<boolean>`p.store_uuid = ${source.uuid}`, ...wheresOf(conditions)]),
    indexed: conditions.indexed,
  }
}

interface Conditions {
  indexed: Indexed[]
  checked: Condition[]
}

function wheresOf({ indexed, checked }: Conditions): Condition[] {
  return [...indexed.map(({ where }) => where), ...checked]
}

function conditionsOf(source: Source, filter: ProductFilter): Conditions {
  const compared = (filter.attributes ?? []).map((one) => compare(one, valuesOf(source, one.name)))
  const within = (filter.and ?? []).map((inner) => conditionsOf(source, inner))
  return {
    indexed: [
      ...ownConditions(filter),
      ...compared.flatMap(({ found, key }) => (found.length > 0 ? [{ where: allOf(found), key }] : [])),
      ...within.flatMap(({ indexed }) => indexed),
    ],
    checked: [
      ...given([isDuring(sql`p.updated_at`, filter.updatedAt), ...others(source, filter)]),
      ...compared.flatMap(({ checked }) => checked),
      ...within.flatMap(({ checked }) => checked),
    ],
  }
}

function ownConditions(filter: ProductFilter): Indexed[] {
  const [code, status, created] = [sql`p.product_code`, sql`p.status`, sql`p.created_at`]
  const conditions: [Indexed['key'], Condition | false][] = [
    [
      (filter.status?.length ?? 0) > 1 ? undefined : status,
      filter.status != null && isAmong(status, texts, filter.status),
    ],
    [code, filter.codes != null && isAmong(code, texts, filter.codes.filter(isStorable))],
    [code, filter.codePrefix != null && isPrefixed(filter.codePrefix)],
    [created, isDuring(created, creation(filter))],
  ]
  return conditions.flatMap(([key, where]) => (where === false ? [] : [{ key, where }]))
}

/** The conditions that other tables or other filters tell. */
function others(source: Source, filter: ProductFilter): (Condition | false)[] {
  const { uuid } = source
  const whole = (inner: ProductFilter) => allOf(wheresOf(conditionsOf(source, inner)))
  return [
    filter.search != null && hasSubstring(source, filter.search),
    filter.hasAssets != null && withAssets(uuid, filter.hasAssets),
    filter.missingAssets != null && sql<boolean>`not ${withAssets(uuid, filter.missingAssets)}`,
    filter.blockedOn != null && isBlocked(uuid, filter.blockedOn),
    filter.readyOn != null && isReady(uuid, filter.readyOn),
    filter.or != null && sql<boolean>`(${sql.join(filter.or.map(whole), sql` or `)})`,
    filter.not != null && sql<boolean>`(${whole(filter.not)}) is not true`,
  ]
}

function given(conditions: (Condition | false)[]): Condition[] {
  return conditions.filter((condition) => condition !== false)
}

function isPrefixed(prefix: string): Condition {
  return sql<boolean>`(p.product_code >= ${prefix} and p.product_code <= ${prefix + beyondAll})`
}

/** A product that was last changed before a time was created before it. */
function creation({ createdAt, updatedAt }: ProductFilter): TimeRange {
  const ends = [createdAt?.to, updatedAt?.to].filter((time) => time != null).map(Number)
  return { from: createdAt?.from, to: ends.length > 0 ? new Date(Math.min(...ends)) : null }
}

function isDuring(column: RawBuilder<unknown>, range: TimeRange | null | undefined): Condition | false {
  const { from, to } = range ?? {}
  if (from == null && to == null) return false
  return allOf([from != null && sql<boolean>`${column} >= ${from}`, to != null && sql<boolean>`${column} < ${to}`])
}
