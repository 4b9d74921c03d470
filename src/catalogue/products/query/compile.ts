import { sql } from 'kysely'
import { isStorable } from '../../../text.ts'
import { allOf, type Condition, containing, type Sql, withoutFalse } from '../../conditions.ts'
import { defaultAssetFormat, defaultChannel } from '../../enumerations.ts'
import { isBlocked, isReady } from '../../readiness/product-readiness.ts'
import type { AssetPresence, ProductFilter, TimeRange } from './product-filter.ts'
import type { Source } from './source.ts'
import { beyondAll, compare, hasText, isAmong, searchedText, texts, valuesOf } from './values.ts'

/** A condition that an index finds, in the order of `key`; undefined: of several keys. */
interface Indexed {
  where: Condition
  key: Sql | undefined
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
      ...indexedConditions(filter),
      ...compared.flatMap(({ found, key }) => (found.length > 0 ? [{ where: allOf(found), key }] : [])),
      ...within.flatMap(({ indexed }) => indexed),
    ],
    checked: [
      ...withoutFalse([isDuring(sql`p.updated_at`, filter.updatedAt), ...otherConditions(source, filter)]),
      ...compared.flatMap(({ checked }) => checked),
      ...within.flatMap(({ checked }) => checked),
    ],
  }
}

function indexedConditions(filter: ProductFilter): Indexed[] {
  const prefix = filter.codePrefix
  const [code, status, created] = [sql`p.product_code`, sql`p.status`, sql`p.created_at`]
  const conditions: [Indexed['key'], Condition | false][] = [
    [
      (filter.status?.length ?? 0) > 1 ? undefined : status,
      filter.status != null && isAmong(status, texts, filter.status),
    ],
    [code, filter.codes != null && isAmong(code, texts, filter.codes.filter(isStorable))],
    [code, prefix != null && sql<boolean>`(${code} >= ${prefix} and ${code} <= ${prefix + beyondAll})`],
    [created, isDuring(created, creation(filter))],
  ]
  return conditions.flatMap(([key, where]) => (where === false ? [] : [{ key, where }]))
}

/** The conditions on other tables, and those that combine filters. */
function otherConditions(source: Source, filter: ProductFilter): (Condition | false)[] {
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

/** A product that was last changed before a time was created before it. */
function creation({ createdAt, updatedAt }: ProductFilter): TimeRange {
  const ends = [createdAt?.to, updatedAt?.to].filter((time) => time != null).map(Number)
  return { from: createdAt?.from, to: ends.length > 0 ? new Date(Math.min(...ends)) : null }
}

function isDuring(column: Sql, range: TimeRange | null | undefined): Condition | false {
  const { from, to } = range ?? {}
  if (from == null && to == null) return false
  return allOf([from != null && sql<boolean>`${column} >= ${from}`, to != null && sql<boolean>`${column} < ${to}`])
}

/** SQL: whether the code of a product `p`, or the value of a searchable attribute, has a substring. */
export function hasSubstring({ uuid, searched }: Pick<Source, 'uuid' | 'searched'>, search: string): Condition {
  const inCode = sql<boolean>`p.product_code collate "default" ilike ${containing(search)}`
  if (searched?.length === 0) return inCode
  if (searched) return sql<boolean>`(${inCode} or ${hasText(searchedText(searched), search)})`
  // Unlike `exists`, PostgreSQL never evaluates it for the whole store beforehand.
  return sql<boolean>`(${inCode} or (
      select ${hasText(sql`t.text`, search)} from product_text t
      where t.store_uuid = ${uuid} and t.product_code = p.product_code
    ) is true)`
}

function withAssets(uuid: string | null, { channel, assetFormat }: AssetPresence): Condition {
  return sql<boolean>`exists (
      select from asset_group g
      where g.store_uuid = ${uuid} and g.channel = ${channel ?? defaultChannel} and g.asset_format = ${assetFormat ?? defaultAssetFormat}
        and g.parent_code = p.product_code
    )`
}
