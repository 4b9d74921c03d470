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

/** Lists that together include all products that match. */
export interface ShortLists {
  /** The codes that all lists have. Others are among them if they have the hash of such a code, which is rare. */
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
  const counts = lists.map(
    ({ length, codes }) => length ?? sql`(select count(*)::int from (select * from (${codes}) l limit n.most + 1) l)`,
  )
  const { rows } = await sql<{ counts: number[]; total: number; most: number }>`
    ${customPlan} select array[${sql.join(counts)}] as counts, n.total, n.most
    from (select total, greatest(${fewListed}::int, least(${maxListed}::int, total / 4)) as most from (select ${totalOf(uuid)} as total) t) n`.execute(
    db,
  )
  const { counts: lengths, total, most } = rows[0] ?? { counts: [], total: 0, most: 0 }
  const short = lists
    .map((list, i) => ({ ...list, length: lengths[i] ?? 0 }))
    .filter(({ length }) => length <= most)
    .sort((a, b) => a.length - b.length)
  const [first, ...others] = short
  if (!first) return undefined
  const within = others.map(({ codes }) => isIn(sql`l.product_code`, codes))
  const inAll = others.length === 0 ? first.codes : sql`select * from (${first.codes}) l where ${allOf(within)}`
  return {
    codes: first.length === 0 ? sql`select ''::text as product_code where false` : inAll,
    shortest: first.length,
    length: others.reduce((length, other) => length * Math.min(1, other.length / total), first.length),
    total,
  }
}

/**
 * Whether the hash of a code is among those of a list. `is true` keeps PostgreSQL from a join, for which it might sort
 * all rows: it makes a hash table, because it expects few and short values, and at most the limit. The limit is never
 * reached: the list was found to be shorter.
 */
export function isIn(code: RawBuilder<unknown>, codes: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(hashtextextended(${code}, 0) in (
          select hashtextextended(product_code, 0) from (${codes}) l limit ${2 * maxListed}::integer)) is true`
}
