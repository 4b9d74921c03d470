import { sql } from 'kysely'
import type { Catalogue } from '../catalogue.ts'
import { write } from '../transaction.ts'

const dayMs = 86_400_000
const actors = ['anna', 'ben', 'shop']

interface Priced {
  code: string
  at: Date
  was: string
}

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
    const { rows } = await sql<Priced>`
      update product p set updated_at = c.at
      from (
        select product_code as code, ${begin}::timestamptz + (1 + n % (${days}::integer - 1)) * interval '1 day' as at,
          round((attributes ->> 'Price')::numeric * 1.1, 2)::text as was
        from (
          select *, row_number() over (order by product_code) as n from product
          where store_uuid = ${uuid} and attributes ? 'Price'
        ) p
        where sin(n) > -0.6
      ) c
      where p.store_uuid = ${uuid} and p.product_code = c.code
      returning c.code, c.at, c.was`.execute(db)
    const sorted = rows.sort((a, b) => Number(a.at) - Number(b.at) || (a.code < b.code ? -1 : 1))
    const byDay = Map.groupBy(sorted, ({ at }) => at.toISOString())
    const changes = [...byDay].map(([at, priced]) => {
      const day = new Date(at).getUTCDate()
      const codes = priced.map(({ code }) => code)
      return sql`(${uuid}, ${at}, ${`prices-${day}`}, ${actors[day % 3]}, 'graphql', 'updateProducts', 'product', 'updated',
        ${codes}, ${codes.map(() => 'Price')}, ${priced.map(({ was }) => was)}, ${codes.length})`
    })
    if (changes.length > 0) {
      await sql`
        insert into change (store_uuid, at, request_id, actor, via, operation, kind, action, codes, keys, was, count)
        values ${sql.join(changes)}`.execute(db)
    }
    await sql`
      select mark_products(${uuid}::uuid, array_agg(product_code)) from product where store_uuid = ${uuid}`.execute(db)
  })
}
