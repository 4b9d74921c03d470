import { type RawBuilder, sql } from 'kysely'
import { isStorable } from '../../../text.ts'
import { allOf, containing } from '../../conditions.ts'
import { hasPart } from '../../search-codes.ts'
import { isKey, type KnownAttribute, keyColumn, keyOf, mostDigits, valueColumn } from '../../values/value-columns.ts'
import { type AttributeTypes, boundFault } from './attribute-types.ts'
import type { AssetPresence, AttributeFilter, ProductFilter, TimeRange } from './product-filter.ts'

type Condition = RawBuilder<boolean>

/** Added to a prefix, it sorts after every code with that prefix. */
const beyondAll = '\u{10ffff}'.repeat(255)

/** The condition of a filter on products `p` of a store; it is null for no product that matches. */
export function matching(storeUuid: string | null, filter: ProductFilter, types: AttributeTypes): Condition {
  const within = (part: ProductFilter) => matching(storeUuid, part, types)
  return allOf([
    filter.status != null && sql<boolean>`p.status = any(${[...filter.status]}::text[])`,
    filter.codes != null && sql<boolean>`p.product_code = any(${filter.codes.filter(isStorable)}::text[])`,
    filter.codePrefix != null && sql<boolean>`p.product_code >= ${filter.codePrefix}`,
    filter.codePrefix != null && sql<boolean>`p.product_code <= ${filter.codePrefix + beyondAll}`,
    filter.search != null && hasPart(filter.search),
    ...during(sql`p.created_at`, filter.createdAt),
    ...during(sql`p.updated_at`, filter.updatedAt),
    ...(filter.attributes ?? []).map((attribute) => ofAttribute(attribute, types)),
    filter.hasAssets != null && withAssets(storeUuid, filter.hasAssets),
    filter.missingAssets != null && sql<boolean>`not ${withAssets(storeUuid, filter.missingAssets)}`,
    filter.blockedOn != null && counted(storeUuid, filter.blockedOn, sql<boolean>`g.is_blocked`),
    filter.readyOn != null && counted(storeUuid, filter.readyOn, sql<boolean>`g.is_blocked is not true`),
    ...(filter.and ?? []).map(within),
    filter.or != null && sql<boolean>`(${sql.join(filter.or.map(within), sql` or `)})`,
    filter.not != null && sql<boolean>`(${within(filter.not)}) is not true`,
  ])
}

function during(column: RawBuilder<unknown>, range: TimeRange | null | undefined): (Condition | false)[] {
  return [
    range?.from != null && sql<boolean>`${column} >= ${range.from}`,
    range?.to != null && sql<boolean>`${column} < ${range.to}`,
  ]
}

function ofAttribute(filter: AttributeFilter, types: AttributeTypes): Condition {
  const known = types.get(filter.name)
  if (known?.slot) return ofIndexed(filter, { ...known, slot: known.slot })
  return ofUnindexed(filter, known, storedValue(filter.name))
}

/** The condition of a filter on a value. */
export function ofUnindexed(
  filter: AttributeFilter,
  known: KnownAttribute | undefined,
  value: RawBuilder<string | null>,
): Condition {
  const { eq, ne, contains, startsWith, exists } = filter
  const ordered = orderedValue(value, known)
  const bound = (text: string) => (known?.type === 'number' ? sql`${text}::text::numeric` : sql`${text}::text`)
  return allOf([
    ...ofValue(value, { exists, ne, contains, startsWith }),
    eq != null && sql<boolean>`${value} = ${eq}`,
    filter.in != null && sql<boolean>`${value} = any(${[...filter.in]}::text[])`,
    ...operators.map(([field, operator]) => {
      const text = filter[field]
      return text != null && sql<boolean>`${ordered} ${operator} ${bound(text)}`
    }),
  ])
}

const operators = [
  ['gt', sql`>`, sql`>=`],
  ['gte', sql`>=`, sql`>=`],
  ['lt', sql`<`, sql`<=`],
  ['lte', sql`<=`, sql`<=`],
] as const

/** The same on the columns of a slot: what an index serves compares keys, and where they do not suffice, values too. */
function ofIndexed(filter: AttributeFilter, known: KnownAttribute & { slot: number }): Condition {
  const { eq, ne, contains, startsWith, exists } = filter
  const [key, value] = [keyColumn(known.slot), valueColumn(known.slot)]
  const isNumber = known.type === 'number'
  const equals = (text: string) =>
    allOf([
      // A value that is no number has no key.
      isNumber && boundFault('number', text) !== undefined
        ? sql<boolean>`${key} is null`
        : sql<boolean>`${key} = ${keyOf(known, text)}`,
      !isKey(known, text) && sql<boolean>`${value} = ${text}`,
    ])
  // Indexes serve conditions on keys. All values have one, but for those in a number's slot that are no numbers.
  const onKey = allOf([
    exists === false && sql<boolean>`${key} is null`,
    (exists === true || contains != null) && sql<boolean>`${key} is not null`,
    ne != null && (isKey(known, ne) ? sql<boolean>`${key} <> ${keyOf(known, ne)}` : sql<boolean>`${key} is not null`),
  ])
  const onValue = { exists: isNumber ? exists : null, ne: isKey(known, ne ?? '') ? null : ne, contains, startsWith }
  return allOf([
    ...ofValue(value, onValue),
    !isNumber && onKey,
    startsWith != null && !isNumber && sql<boolean>`${key} >= ${keyOf(known, startsWith)}`,
    startsWith != null && !isNumber && sql<boolean>`${key} <= ${startsWith + beyondAll}`,
    eq != null && equals(eq),
    filter.in != null &&
      (filter.in.every((text) => isKey(known, text))
        ? sql<boolean>`${key} = any(${[...filter.in]}::text[])`
        : sql<boolean>`(${sql.join(filter.in.map(equals), sql` or `)})`),
    ...operators.flatMap(([field, operator, orEqual]): (Condition | false)[] => {
      const text = filter[field]
      if (text == null) return []
      if (isNumber || isKey(known, text)) return [sql<boolean>`${key} ${operator} ${keyOf(known, text)}`]
      return [sql<boolean>`${key} ${orEqual} ${keyOf(known, text)}`, sql<boolean>`${value} ${operator} ${text}`]
    }),
  ])
}

function ofValue(
  value: RawBuilder<string | null>,
  { exists, ne, contains, startsWith }: Pick<AttributeFilter, 'exists' | 'ne' | 'contains' | 'startsWith'>,
): (Condition | false)[] {
  return [
    exists != null && sql<boolean>`(${value} is not null) = ${exists}`,
    ne != null && sql<boolean>`${value} <> ${ne}`,
    contains != null && sql<boolean>`${value} collate "default" ilike ${containing(contains)}`,
    startsWith != null && sql<boolean>`starts_with(${value}, ${startsWith})`,
  ]
}

/** The value of an attribute of the products `p`. */
export function storedValue(name: string): RawBuilder<string | null> {
  return sql`(p.attributes ->> ${name}::text)`
}

/**
 * The value as its declared type orders it: numbers by size, all else by code points. Null if it is not of the type.
 */
export function orderedValue(value: RawBuilder<string | null>, known: KnownAttribute | undefined): RawBuilder<unknown> {
  if (known?.type !== 'number') return sql`${value} collate "C"`
  return sql`(case when length(${value}) <= ${mostDigits} and ${value} ~ '^-?[0-9]+([.][0-9]+)?$' then ${value}::numeric end)`
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
