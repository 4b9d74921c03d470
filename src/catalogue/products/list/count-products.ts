import { type RawBuilder, sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import { hasAtMost } from '../../../text.ts'
import { type Catalogue, visibleStore } from '../../catalogue.ts'
import { isBare } from '../../conditions.ts'
import { countedCharacters } from '../../values/value-keys.ts'
import { totalOf } from '../product-totals.ts'
import { findAttributeIndexes, requireBounds } from './indexes/attribute-indexes.ts'
import { areExact, type CodeList } from './indexes/code-lists.ts'
import { countsOfKeys, type Keys, keysOf } from './indexes/key-conditions.ts'
import { valueCondition } from './matching-products.ts'
import type { ProductFilter } from './product-filter.ts'
import { type Selection, selectionOf } from './selection.ts'

/** So many products are looked up to count those that match; of more, the keys of all lists are read. */
const maxLookedUp = 1_000

/** Throws `invalid_request` for attributes that cannot be used. */
export async function countProducts(catalogue: Catalogue, storeUuid: string, filter: ProductFilter): Promise<number> {
  const counted = await countByValues(catalogue, storeUuid, filter)
  if (counted !== undefined) return counted
  const { status, ...others } = filter
  if (isBare(others))
    return read(catalogue, sql`select ${totalOf(visibleStore(catalogue, storeUuid), status)} as count`)
  const selection = await selectionOf(catalogue, storeUuid, filter)
  return read(catalogue, sql`${selection.plan}select ${await countOf(catalogue, filter, selection)} as count`)
}

async function read({ db }: Catalogue, statement: RawBuilder<unknown>): Promise<number> {
  const { rows } = await (statement as RawBuilder<{ count: number }>).execute(db)
  return rows[0]?.count ?? 0
}

/** The number of products that match: from the totals for a filter by status alone, or by long lists. */
export async function countOf(
  catalogue: Catalogue,
  filter: ProductFilter,
  { uuid, source, where, lists, short }: Selection,
): Promise<RawBuilder<number>> {
  const { status, ...others } = filter
  if (isBare(others)) return totalOf(uuid, status)
  const areMany = (short?.shortest ?? Number.POSITIVE_INFINITY) > maxLookedUp
  if (areMany && areExact(filter, lists)) return countOfLists(catalogue, uuid, lists)
  return sql<number>`(select count(*)::int from ${source} where ${where})`
}

/**
 * The number of products that match a filter with conditions on one indexed attribute only, by the counts of its
 * values. Undefined for other filters, for an attribute whose values are not counted, and for values that are cut.
 */
async function countByValues(
  catalogue: Catalogue,
  storeUuid: string,
  { attributes, ...others }: ProductFilter,
): Promise<number | undefined> {
  const [filter, ...further] = attributes ?? []
  if (!filter || further.length > 0 || !isBare(others)) return undefined
  const field = '.attributes[0]'
  const named = [{ name: filter.name, field: `filter${field}.name` }]
  const indexes = await findAttributeIndexes(catalogue, storeUuid, named)
  requireBounds([{ filter, field }], indexes)
  const index = indexes.get(filter.name)
  if (!index?.slot || !index.isCounted) return undefined
  const uuid = visibleStore(catalogue, storeUuid)
  const { exists, name: _, eq, in: list, ...ranges } = filter
  if (exists === false) {
    if (eq != null || list != null || !isBare(ranges)) return undefined
    const { rows } = await sql<{ count: number }>`
      ${customPlan} select ${totalOf(uuid)} - coalesce(sum(products), 0)::int as count
      from value_count where store_uuid = ${uuid} and slot = ${index.slot}`.execute(catalogue.db)
    return rows[0]?.count
  }
  const texts = [...(list ?? []), ...(eq == null ? [] : [eq])]
  // Where a value is given, it is found by the key.
  const isGiven = texts.length > 0 && isBare(ranges)
  const { rows } = await sql<{ count: number; isCut: boolean }>`
    ${customPlan} select coalesce(sum(products) filter (where ${valueCondition(filter, index, sql`value`)}), 0)::int as count,
      coalesce(bool_or(length(value) >= ${countedCharacters}::integer), false) as "isCut"
    from value_count
    where store_uuid = ${uuid} and slot = ${index.slot} and ${isGiven ? sql`value = any(${texts}::text[])` : sql`products > 0`}`.execute(
    catalogue.db,
  )
  const isCut = isGiven ? texts.some((text) => !hasAtMost(text, countedCharacters - 1)) : rows[0]?.isCut
  return isCut ? undefined : rows[0]?.count
}

/**
 * The number of products that all of the lists have, which are exact. Of a list that has most products, by an attribute
 * that all have, the products that it lacks are read instead: they are fewer.
 */
async function countOfLists(
  { db }: Catalogue,
  uuid: string | null,
  lists: readonly CodeList[],
): Promise<RawBuilder<number>> {
  const total = sql`(select ${totalOf(uuid)} as total) n`
  const sized = lists.map(({ codes, keys }) => ({
    codes,
    size: keys?.index.isCounted ? sizeOf(uuid, keys) : sql<null>`null::int`,
    lacked: keys && sql`select k.product_code from ${keysOf(uuid, keys.index.slot, sql`not ${keys.where}`)}`,
  }))
  const { rows } = await sql<{ total: number; sizes: (number | null)[] }>`
    ${customPlan} select n.total, array[${sql.join(sized.map(({ size }) => size))}] as sizes from ${total}`.execute(db)
  const [known = { total: 0, sizes: [] }] = rows
  const short: RawBuilder<unknown>[] = []
  const long: LongList[] = []
  for (const [i, { codes, size, lacked }] of sized.entries()) {
    if (lacked && 2 * (known.sizes[i] ?? 0) > known.total) long.push({ size, lacked })
    else short.push(codes)
  }
  const inAll = numberOf(joined(lists.map(({ codes }) => codes)))
  if (long.length === 0) return inAll
  // Since the first statement a product without an attribute may have come: then a list lacks more than is read here.
  const isUnknown = sql`${sumOf(long)} is null`
  return sql<number>`(select case when ${isUnknown} then ${inAll} else ${numberByLacked(short, long)} end from ${total})`
}

/** A list that most of the products are in: its length, and the products that it lacks. */
interface LongList {
  size: RawBuilder<number | null>
  lacked: RawBuilder<unknown>
}

function numberByLacked(short: readonly RawBuilder<unknown>[], long: readonly LongList[]): RawBuilder<unknown> {
  const lacked = long.map(({ lacked }) => lacked)
  const anyLacked = sql`select product_code from (${sql.join(lacked, sql` union all `)}) u`
  if (short.length > 0) return numberOf(sql`${joined(short)} except ${anyLacked}`)
  // What both lack is subtracted twice.
  if (long.length === 2) return sql`${sumOf(long)} - n.total + ${numberOf(joined(lacked))}`
  return sql`n.total - ${numberOf(sql`${anyLacked} group by product_code`)}`
}

function sumOf(long: readonly LongList[]): RawBuilder<unknown> {
  return sql.join(
    long.map(({ size }) => size),
    sql` + `,
  )
}

function numberOf(codes: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(select count(*)::int from (${codes}) l)`
}

/** The codes that all queries have. */
function joined(queries: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const lists = queries.map((codes, i) => {
    return sql`(${codes}) ${sql.ref(`l${i}`)}${i > 0 ? sql` using (product_code)` : sql``}`
  })
  return sql`select product_code from ${sql.join(lists, sql` join `)}`
}

/** The length of a list; null unless all `n.total` products have a key that is counted, so that no value is cut. */
function sizeOf(uuid: string | null, { index, where }: Keys): RawBuilder<number | null> {
  return sql<number | null>`(
      select case when sum(products) filter (where key is not null) = n.total
        then coalesce(sum(products) filter (where ${where}), 0)::int end
      from (${countsOfKeys(uuid, index)}) k
    )`
}
