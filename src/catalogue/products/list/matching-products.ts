import { type RawBuilder, sql } from 'kysely'
import { isStorable } from '../../../text.ts'
import { allOf, containing } from '../../conditions.ts'
import { hasPart } from '../../search-codes.ts'
import { type AttributeIndex, maxDigits } from '../../values/value-keys.ts'
import type { AttributeIndexes } from './indexes/attribute-indexes.ts'
import type { AssetPresence, AttributeFilter, ProductFilter, TimeRange } from './product-filter.ts'

type Condition = RawBuilder<boolean>

/** Added to a prefix, it sorts after every code with that prefix. */
export const beyondAll = '\u{10ffff}'.repeat(255)

/** The condition of a filter on products `p` of a store; it is null for no product that matches. */
export function matching(storeUuid: string | null, filter: ProductFilter, indexes: AttributeIndexes): Condition {
  const within = (part: ProductFilter) => matching(storeUuid, part, indexes)
  return allOf([
    filter.status != null && sql<boolean>`p.status = any(${[...filter.status]}::text[])`,
    filter.codes != null && sql<boolean>`p.product_code = any(${filter.codes.filter(isStorable)}::text[])`,
    ...prefixConditions(sql`p.product_code`, filter),
    filter.search != null && hasPart(filter.search),
    ...creationConditions(sql`p.created_at`, filter),
    ...timeConditions(sql`p.updated_at`, filter.updatedAt),
    ...(filter.attributes ?? []).map((attribute) => attributeCondition(attribute, indexes)),
    filter.hasAssets != null && withAssets(storeUuid, filter.hasAssets),
    filter.missingAssets != null && sql<boolean>`not ${withAssets(storeUuid, filter.missingAssets)}`,
    filter.blockedOn != null && counted(storeUuid, filter.blockedOn, sql<boolean>`g.is_blocked`),
    filter.readyOn != null && counted(storeUuid, filter.readyOn, sql<boolean>`g.is_blocked is not true`),
    ...(filter.and ?? []).map(within),
    filter.or != null && sql<boolean>`(${sql.join(filter.or.map(within), sql` or `)})`,
    filter.not != null && sql<boolean>`(${within(filter.not)}) is not true`,
  ])
}

export function prefixConditions(code: RawBuilder<unknown>, { codePrefix }: ProductFilter): (Condition | false)[] {
  return [
    codePrefix != null && sql<boolean>`${code} >= ${codePrefix}`,
    codePrefix != null && sql<boolean>`${code} <= ${codePrefix + beyondAll}`,
  ]
}

/** The conditions on the time of creation. A product that was last changed before a time was created before it. */
export function creationConditions(column: RawBuilder<unknown>, { createdAt, updatedAt }: ProductFilter): Condition[] {
  const ends = [createdAt?.to, updatedAt?.to].filter((time) => time != null).map(Number)
  return timeConditions(column, { from: createdAt?.from, to: ends.length > 0 ? new Date(Math.min(...ends)) : null })
}

function timeConditions(column: RawBuilder<unknown>, range: TimeRange | null | undefined): Condition[] {
  const { from, to } = range ?? {}
  return [
    ...(from == null ? [] : [sql<boolean>`${column} >= ${from}`]),
    ...(to == null ? [] : [sql<boolean>`${column} < ${to}`]),
  ]
}

function attributeCondition(filter: AttributeFilter, indexes: AttributeIndexes): Condition {
  return allOf([
    valueCondition(filter, indexes.get(filter.name), storedValue(filter.name)),
    // PostgreSQL expects that many products meet this condition, unlike `is null`, so that it reads them in order.
    filter.exists === false && sql<boolean>`not p.attributes ? ${filter.name}`,
  ])
}

/** The condition of a filter on a value, but for `exists: false`. */
export function valueCondition(
  filter: AttributeFilter,
  index: AttributeIndex | undefined,
  value: RawBuilder<string | null>,
): Condition {
  const { eq, ne, contains, startsWith, exists } = filter
  const ordered = orderedValue(value, index)
  const bound = (text: string) => (index?.type === 'number' ? sql`${text}::text::numeric` : sql`${text}::text`)
  return allOf([
    exists === true && sql<boolean>`${value} is not null`,
    ne != null && sql<boolean>`${value} <> ${ne}`,
    contains != null && sql<boolean>`${value} collate "default" ilike ${containing(contains)}`,
    startsWith != null && sql<boolean>`starts_with(${value}, ${startsWith})`,
    eq != null && sql<boolean>`${value} = ${eq}`,
    filter.in != null && sql<boolean>`${value} = any(${[...filter.in]}::text[])`,
    ...operators.map(([field, operator]) => {
      const text = filter[field]
      return text != null && sql<boolean>`${ordered} ${operator} ${bound(text)}`
    }),
  ])
}

const operators = [
  ['gt', sql`>`],
  ['gte', sql`>=`],
  ['lt', sql`<`],
  ['lte', sql`<=`],
] as const

/** The value of an attribute of the products `p`. */
export function storedValue(name: string): RawBuilder<string | null> {
  return sql`(p.attributes ->> ${name}::text)`
}

/**
 * The value as its declared type orders it: numbers by size, all else by code points. Null if it is not of the type.
 */
export function orderedValue(value: RawBuilder<string | null>, index: AttributeIndex | undefined): RawBuilder<unknown> {
  if (index?.type !== 'number') return sql`${value} collate "C"`
  return sql`(case when length(${value}) <= ${maxDigits} and ${value} ~ '^-?[0-9]+([.][0-9]+)?$' then ${value}::numeric end)`
}

function withAssets(storeUuid: string | null, { channel, assetFormat }: AssetPresence): Condition {
  return sql<boolean>`exists (
      select from asset_group g
      where g.store_uuid = ${storeUuid} and g.channel = ${channel ?? 'SMP'} and g.asset_format = ${assetFormat ?? 'image'}
        and g.parent_code = p.product_code
    )`
}

/** Whether a product has been counted as blocked on a channel, or not; neither where none are counted. */
function counted(storeUuid: string | null, channel: string, condition: Condition): Condition {
  return sql<boolean>`exists (
      select from channel_readiness c left join lateral (
        select gap.mask & c.required <> 0 as is_blocked from product_gap gap
        where gap.store_uuid = ${storeUuid} and gap.channel = ${channel} and gap.build = c.build
          and gap.product_code = p.product_code
      ) g on true
      where c.store_uuid = ${storeUuid} and c.channel = ${channel} and c.state = 'current' and ${condition}
    )`
}
