import { sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import type { Catalogue } from '../../catalogue.ts'
import { allOf, type Split } from '../../conditions.ts'
import type { TimeRange } from './product-filter.ts'
import { isIndexed, type Position } from './product-order.ts'
import type { Selection } from './selection.ts'

/** How many products are read to find a bound: about as many as are read below it, where a million change evenly. */
const sampled = 5_000

/**
 * Splits the products that come after `begin` in the order of their last change, so that the first part has `wanted`
 * ones and is found by the index of creation times. The last changes of the products that were created first bound it:
 * what was changed by then was created by then, since no product is changed before it is created. Any bound is right.
 * Undefined if too few of those products match, or products are looked up by their codes. One statement.
 */
export async function splitByOldest(
  { db }: Catalogue,
  { uuid, where, withSearch, isLookedUp }: Selection,
  begin: Position | undefined,
  createdAt: TimeRange | null | undefined,
  wanted: number,
): Promise<Split | undefined> {
  if (isLookedUp) return undefined
  const isAfter = allOf([
    sql<boolean>`p.store_uuid = ${uuid}`,
    isIndexed,
    begin !== undefined && sql<boolean>`(p.created_at, p.product_code) > (${begin.value}::timestamptz, ${begin.code})`,
    createdAt?.from != null && sql<boolean>`p.created_at >= ${createdAt.from}`,
  ])
  const { rows } = await sql<{ at: string; code: string }>`
    ${customPlan} select p.updated_at::text as at, p.product_code as code
    from ${withSearch(sql`(select * from product p where ${isAfter} order by p.created_at, p.product_code limit ${sampled}) p`)}
    where ${where}
    order by p.updated_at, p.product_code
    offset ${wanted - 1} limit 1`.execute(db)
  const [last] = rows
  if (!last) return undefined
  const place = sql`(${last.at}::timestamptz, ${last.code})`
  return [
    sql`${isIndexed} and (p.created_at, p.product_code) <= ${place} and (p.updated_at, p.product_code) <= ${place}`,
    sql`(p.updated_at, p.product_code) > ${place}`,
  ]
}
