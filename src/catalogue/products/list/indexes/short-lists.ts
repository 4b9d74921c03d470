import { type RawBuilder, sql } from 'kysely'
import { customPlan } from '../../../../database/connection/session.ts'
import type { Catalogue } from '../../../catalogue.ts'
import { allOf } from '../../../conditions.ts'
import { totalOf } from '../../product-totals.ts'
import type { CodeList } from './code-lists.ts'

/** Longer lists are not used, nor those of more than a quarter of all products: without them a page is soon filled. */
const maxListed = 50_000
/** Such a list is always used. */
const fewListed = 500
/** Looking up a product by its code takes as long as reading so many keys. */
export const lookupCost = 40
/** The products of a list of unknown length are counted up to this number. */
const mostCounted = 10_000

/** Lists that together include all products that match. */
export interface ShortLists {
  /** The codes that the lists have in common. Others are among them if they have the hash of such a code. */
  codes: RawBuilder<unknown>
  /** The number of products of the shortest list. */
  shortest: number
  /** About how many products are in all lists, if their conditions are independent. */
  length: number
  /** The number of all products of the store. */
  total: number
}

/** The lists that are short enough to be read, undefined if none is. One statement. */
export async function shortLists(
  { db }: Catalogue,
  uuid: string | null,
  lists: readonly CodeList[],
): Promise<ShortLists | undefined> {
  if (lists.length === 0) return undefined
  const counts = lists.map(({ length, codes }) => {
    const counted = sql`select from (${codes}) l limit least(n.most, ${mostCounted}::int) + 1`
    return length ?? sql`(select case when count(*) <= ${mostCounted}::int then count(*)::int end from (${counted}) l)`
  })
  const { rows } = await sql<{ counts: (number | null)[]; total: number; most: number }>`
    ${customPlan} select array[${sql.join(counts)}] as counts, n.total, n.most
    from (select total, greatest(${fewListed}::int, least(${maxListed}::int, total / 4)) as most from (select ${totalOf(uuid)} as total) t) n`.execute(
    db,
  )
  const { counts: lengths, total, most } = rows[0] ?? { counts: [], total: 0, most: 0 }
  const [first, ...others] = lists
    .map((list, i) => ({ ...list, length: lengths[i] ?? Number.POSITIVE_INFINITY }))
    .filter(({ length }) => length <= most)
    .sort((a, b) => readCost(a, total) - readCost(b, total))
  if (!first) return undefined
  if (first.length === 0)
    return { codes: sql`select ''::text as product_code where false`, shortest: 0, length: 0, total }
  // A longer list takes more time to read than the products of the first one.
  const read = others.filter((list) => readCost(list, total) < first.length * lookupCost)
  const isInOthers = read.map(({ codes }) => isIn(sql`l.product_code`, codes))
  return {
    codes: read.length === 0 ? first.codes : sql`select * from (${first.codes}) l where ${allOf(isInOthers)}`,
    shortest: first.length,
    length: read.reduce((length, other) => (length * other.length) / total, first.length),
    total,
  }
}

function readCost({ isScan, length }: { isScan?: boolean; length: number }, total: number): number {
  return isScan ? total : length
}

/**
 * Whether the hash of a code is among those of a list. `is true` keeps PostgreSQL from a join, for which it might sort
 * all rows: it makes a hash table, because it expects few and short values, and at most the limit. The limit is reached
 * only if a list has doubled since its products were counted, by the statement before.
 */
export function isIn(code: RawBuilder<unknown>, codes: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(hashtextextended(${code}, 0) in (
          select hashtextextended(product_code, 0) from (${codes}) l limit ${2 * maxListed}::integer)) is true`
}
