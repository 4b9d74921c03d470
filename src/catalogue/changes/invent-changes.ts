import { sql } from 'kysely'
import type { Catalogue } from '../catalogue.ts'
import { write } from '../transaction.ts'

const dayMs = 86_400_000

/** Backdates the recorded changes of a new store, and adds changes of prices on the days since then: for a demo. */
export async function inventChanges(catalogue: Catalogue, uuid: string, days: number): Promise<void> {
  if (!catalogue.origin) return
  const begin = new Date(Date.now() - days * dayMs)
  await write(catalogue, false, async ({ db }) => {
    await sql`select add_change_days((${begin}::timestamptz at time zone 'UTC')::date,
      (now() at time zone 'UTC')::date)`.execute(db)
    await sql`update change_horizon set since = least(since, ${begin}::timestamptz)`.execute(db)
    await sql`update change set at = ${begin} where store_uuid = ${uuid}`.execute(db)
    await sql`update product set created_at = ${begin}, updated_at = ${begin} where store_uuid = ${uuid}`.execute(db)
    // `run_on_server` (Citus) needs a statement that returns rows.
    await sql`
      with priced as (
        select product_code, ${begin}::timestamptz + (1 + n % (${days}::integer - 1)) * interval '1 day' as at,
          round((attributes ->> 'Price')::numeric * 1.1, 2)::text as was
        from (
          select *, row_number() over (order by product_code) as n from product
          where store_uuid = ${uuid} and attributes ? 'Price'
        ) p
        where sin(n) > -0.6
      ), dated as (
        update product p set updated_at = c.at from priced c
        where p.store_uuid = ${uuid} and p.product_code = c.product_code
      )
      insert into change (store_uuid, at, request_id, actor, via, operation, kind, action, codes, keys, was, count)
      select ${uuid}::uuid, at, 'prices-' || day, (array['anna', 'ben', 'shop'])[1 + day % 3], 'graphql', 'updateProducts',
        'product', 'updated', array_agg(product_code order by product_code), array_agg('Price'::text),
        array_agg(was order by product_code), count(*)
      from priced cross join lateral (select extract(day from at)::integer as day) d group by at, day order by at
      returning 1`.execute(db)
    await sql`
      select mark_products(${uuid}::uuid, array_agg(product_code)) from product where store_uuid = ${uuid}`.execute(db)
  })
}
