import { type RawBuilder, sql } from 'kysely'
import { countedCharacters, statusSlot } from '../../values/value-keys.ts'
import { totalOf } from '../product-totals.ts'
import { type CodeList, type KeyIndex, keysOf } from './code-lists.ts'

/**
 * The number of products that all of the lists have, which are exact. Of two lists that have most products, by
 * attributes that all products have, those that are missing from both are joined instead: there are fewer.
 */
export function countOfLists(uuid: string | null, lists: readonly CodeList[]): RawBuilder<number> {
  const inAll = joined(lists.map(({ codes }) => codes))
  const [a, b, ...others] = lists.map(({ keys }) => keys)
  if (!a?.index.isCounted || !b?.index.isCounted || others.length > 0) return inAll
  const without = ({ index, where }: typeof a) =>
    sql`select k.product_code from ${keysOf(uuid, index.slot, sql`not ${where}`)}`
  const sizeOf = ({ index, where }: typeof a) => sql`(
      select coalesce(sum(products) filter (where ${where}), 0)::int as products,
        coalesce(sum(products) filter (where key is not null), 0) as keys
      from ${countsOf(uuid, index)} k
    )`
  return sql<number>`(
    select case when a.keys = n.total and b.keys = n.total and a.products + b.products > n.total
      then a.products + b.products - n.total + ${joined([without(a), without(b)])} else ${inAll} end
    from (select ${totalOf(uuid)} as total) n cross join ${sizeOf(a)} a cross join ${sizeOf(b)} b)`
}

function joined(queries: readonly RawBuilder<unknown>[]): RawBuilder<number> {
  const lists = queries.map((codes, i) => {
    return sql`(${codes}) ${sql.ref(`l${i}`)}${i > 0 ? sql` using (product_code)` : sql``}`
  })
  return sql<number>`(select count(*)::int from ${sql.join(lists, sql` join `)})`
}

/** The numbers of products by key; a value that may be cut has none. */
function countsOf(uuid: string | null, { slot, type }: KeyIndex): RawBuilder<unknown> {
  if (slot === statusSlot)
    return sql`(select status as key, count as products from product_total where store_uuid = ${uuid})`
  const key = sql`case when length(value) < ${countedCharacters}::integer then value_key(value, ${type === 'number'}::boolean) end`
  return sql`(select ${key} as key, products from value_count where store_uuid = ${uuid} and slot = ${slot} and products > 0)`
}
