import { sql } from 'kysely'
import { isStorable } from '../../../text.ts'
import { allOf, type Condition, containing, type Sql } from '../../conditions.ts'
import { defaultAssetFormat, defaultChannel } from '../../enumerations.ts'
import { isBlocked, isReady } from '../../readiness/product-readiness.ts'
import type { AssetPresence, AttributeFilter, ProductFilter, TimeRange } from './product-filter.ts'
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
  const ofStore = sql<boolean>`p.store_uuid = ${source.uuid}`
  return { where: allOf([ofStore, ...wheresOf(conditions)]), indexed: conditions.indexed }
}

/** All of them must hold. */
interface Conditions {
  indexed: Indexed[]
  checked: Condition[]
}

const wheresOf = ({ indexed, checked }: Conditions) => [...indexed.map(({ where }) => where), ...checked]

function conditionsOf(source: Source, filter: ProductFilter): Conditions {
  const compiled = Object.entries(compilers).map(([field, compiler]) => {
    const value = filter[field as keyof ProductFilter]
    return value == null ? none : (compiler as Compiler<unknown>)(value, source, filter)
  })
  return together(compiled)
}

type Compiler<Value> = (value: Value, source: Source, filter: ProductFilter) => Conditions

const [codeColumn, statusColumn, creation] = [sql`p.product_code`, sql`p.status`, sql`p.created_at`]

/** How the conditions of each field of a filter are compiled. */
const compilers: { [Field in keyof ProductFilter]-?: Compiler<NonNullable<ProductFilter[Field]>> } = {
  status: (statuses) => byIndex(isAmong(statusColumn, texts, statuses), statuses.length > 1 ? undefined : statusColumn),
  codes: (codes) => byIndex(isAmong(codeColumn, texts, codes.filter(isStorable)), codeColumn),
  codePrefix: (prefix) =>
    byIndex(sql`(${codeColumn} >= ${prefix} and ${codeColumn} <= ${prefix + beyondAll})`, codeColumn),
  createdAt: (range) => byIndex(isDuring(creation, range), creation),
  // A product that was last changed before a time was created before it.
  updatedAt: ({ from, to }, _source, { createdAt }) =>
    together([
      to == null ? none : byIndex(isDuring(creation, { from: createdAt?.from, to }), creation),
      byRow(isDuring(sql`p.updated_at`, { from, to })),
    ]),
  attributes: (attributes, source) => together(attributes.map((one) => compared(one, source))),
  search: (search, source) => byRow(hasSubstring(source, search)),
  hasAssets: (assets, { uuid }) => byRow(withAssets(uuid, assets)),
  missingAssets: (assets, { uuid }) => byRow(sql`not ${withAssets(uuid, assets)}`),
  blockedOn: (channel, { uuid }) => byRow(isBlocked(uuid, channel)),
  readyOn: (channel, { uuid }) => byRow(isReady(uuid, channel)),
  and: (filters, source) => together(filters.map((filter) => conditionsOf(source, filter))),
  or: (filters, source) => {
    const conditions = filters.map((filter) => whole(source, filter))
    return byRow(sql`(${sql.join(conditions, sql` or `)})`)
  },
  not: (filter, source) => byRow(sql`(${whole(source, filter)}) is not true`),
}

const none: Conditions = { indexed: [], checked: [] }
const byIndex = (where: Condition, key?: Sql): Conditions => ({ indexed: [{ where, key }], checked: [] })
const byRow = (condition: Condition): Conditions => ({ indexed: [], checked: [condition] })
const whole = (source: Source, filter: ProductFilter) => allOf(wheresOf(conditionsOf(source, filter)))

function together(parts: readonly Conditions[]): Conditions {
  return { indexed: parts.flatMap((part) => part.indexed), checked: parts.flatMap((part) => part.checked) }
}

function compared(filter: AttributeFilter, source: Source): Conditions {
  const { found, key, checked } = compare(filter, valuesOf(source, filter.name))
  return { indexed: found.length > 0 ? [{ where: allOf(found), key }] : [], checked }
}

/** One of both ends is there. */
function isDuring(column: Sql, { from, to }: TimeRange): Condition {
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
