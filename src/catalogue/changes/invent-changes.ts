import { type Kysely, sql } from 'kysely'
import type { Database } from '../../database/tables.ts'
import type { Catalogue } from '../catalogue.ts'
import { inTransaction } from '../transaction.ts'

const dayMs = 86_400_000
const actors = ['anna', 'ben', 'shop']

interface Priced {
  code: string
  at: string
  was: string
}

/** Backdates the recorded changes of a new store, and adds changes of prices on the days since then: for a demo. */
export async function inventChanges(catalogue: Catalogue, uuid: string, days: number): Promise<void> {
  if (!catalogue.origin) return
  const begin = new Date(Date.now() - days * dayMs)
  await inTransaction(catalogue, async ({ db }) => {
    await sql`select add_days('change', (${begin}::timestamptz at time zone 'UTC')::date,
      (now() at time zone 'UTC')::date)`.execute(db)
    await sql`update change_horizon set since = least(since, ${begin}::timestamptz)`.execute(db)
    await sql`update change set at = ${begin} where store_uuid = ${uuid}`.execute(db)
    await sql`update product set created_at = ${begin}, updated_at = ${begin} where store_uuid = ${uuid}`.execute(db)
    const { rows } = await sql<{ code: string; day: number; was: string }>`
      select code, 1 + n % (${days}::integer - 1) as day, was
      from (
        select product_code as code, (row_number() over (order by product_code))::integer as n,
          round((attributes ->> 'Price')::numeric * 1.1, 2)::text as was
        from product where store_uuid = ${uuid} and attributes ? 'Price'
      ) p
      where sin(n) > -0.6
      order by day, code`.execute(db)
    const priced = rows.map(({ day, ...one }) => ({ ...one, at: new Date(Number(begin) + day * dayMs).toISOString() }))
    if (priced.length > 0) await insertChanges(db, uuid, priced)
    const { rows: all } = await sql<{ code: string }>`
      select product_code as code from product where store_uuid = ${uuid}`.execute(db)
    await sql`select mark_products(${uuid}::uuid, ${all.map(({ code }) => code)}::text[])`.execute(db)
  })
}

/** One for each time. The times are values: Citus refuses an update that adds intervals of a column to a time. */
async function insertChanges(db: Kysely<Database>, uuid: string, priced: readonly Priced[]): Promise<void> {
  await sql`
    update product p set updated_at = c.at
    from unnest(${priced.map(({ code }) => code)}::text[], ${priced.map(({ at }) => at)}::timestamptz[]) c(code, at)
    where p.store_uuid = ${uuid} and p.product_code = c.code`.execute(db)
  const changes = [...Map.groupBy(priced, ({ at }) => at)].map(([at, some]) => {
    const day = new Date(at).getUTCDate()
    const codes = some.map(({ code }) => code)
    return sql`(${uuid}, ${at}, ${`prices-${day}`}, ${actors[day % 3]}, 'graphql', 'updateProducts', 'product', 'updated',
      ${codes}, ${codes.map(() => 'Price')}, ${some.map(({ was }) => was)}, ${codes.length})`
  })
  await sql`
    insert into change (store_uuid, at, request_id, actor, via, operation, kind, action, codes, keys, was, count)
    values ${sql.join(changes)}`.execute(db)
}
