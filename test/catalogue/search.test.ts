import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { catalogueFor, wholeCatalogue } from '../../src/catalogue/catalogue.ts'
import { countProducts } from '../../src/catalogue/products/lists/count-products.ts'
import { listProducts } from '../../src/catalogue/products/lists/list-products.ts'
import { migrate } from '../../src/database/migrate.ts'
import { useDatabase } from '../support/database/database.ts'

const stores = ['1', '2'].map((n) => `01900000-0000-7000-8000-00000000000${n}`)
const [large = '', small = ''] = stores
const database = useDatabase()
const unprepared = useDatabase({ empty: true })

async function fill(db: (typeof database)['db']): Promise<void> {
  await sql`
    insert into product (store_uuid, product_code, status, attributes)
    select ${large}::uuid, 'SKU-' || lpad(i::text, 5, '0') || case i % 1000 when 0 then '-Été%_' else '' end, 'new', '{}'
    from generate_series(1, 9999) i`.execute(db)
  await sql`insert into product values (${small}, 'SKU-01234', 'new', '{}')`.execute(db)
  await sql`vacuum analyze product`.execute(db)
}

beforeAll(() => fill(database.db))

const parts = ['01234', 'sku-0123', 'SKU', '9', '99', 'été%_', 'ÉTÉ', '-é', '%_', '_', 'none at all', '000-']
const byHand = (part: string) => sql<{ code: string }>`
  select product_code as code from product where store_uuid = ${large} and strpos(lower(product_code collate "default"), lower(${part})) > 0
  order by product_code`
const page = { limit: 10_000, backwards: false }

it.each(parts)('a search for %j finds the codes that have it, whether few or many do', async (part) => {
  const expected = (await byHand(part).execute(database.db)).rows.map(({ code }) => code)
  for (const catalogue of [wholeCatalogue(database.db), catalogueFor(database.db, { stores: new Set([large]) })]) {
    const { rows } = await listProducts(catalogue, large, { search: part }, page)
    expect(rows.map(({ productCode }) => productCode)).toEqual(expected)
    expect(await countProducts(catalogue, large, { search: part })).toMatchObject({ count: expected.length })
    expect(await countProducts(catalogue, large, { not: { search: part } })).toMatchObject({
      count: 9999 - expected.length,
    })
  }
})

it('shows a token no code of another store', async () => {
  const catalogue = catalogueFor(database.db, { stores: new Set([small]) })
  expect(await listProducts(catalogue, large, { search: '01234' }, page)).toMatchObject({ rows: [] })
  const { rows } = await sql`select codes_like(${large}::uuid, '%01234%', true, 10)`.execute(catalogue.db)
  expect(rows).toEqual([])
  expect(await countProducts(catalogue, small, { search: '01234' })).toMatchObject({ count: 1 })
})

it('reads an index for a rare part', async () => {
  const reads = async () => {
    const { rows } = await sql<{ reads: string }>`
      select idx_scan as reads from pg_stat_user_indexes where indexrelname = 'product_by_code_part'`.execute(
      database.db,
    )
    return Number(rows[0]?.reads)
  }
  // A connection reports what it has read some seconds later.
  await expect.poll(reads).toBeGreaterThan(0)
})

it('works without the extensions, and uses them once they are there', async () => {
  const { db } = unprepared
  await sql`create function refuse() returns event_trigger language plpgsql as $$
    begin raise insufficient_privilege; end $$`.execute(db)
  await sql`create event trigger refuse on ddl_command_start when tag in ('CREATE EXTENSION') execute function refuse()`.execute(
    db,
  )
  await migrate(db)
  await fill(db)
  const search = () => countProducts(wholeCatalogue(db), large, { search: '01234' })
  expect(await search()).toMatchObject({ count: 1 })
  await sql`drop event trigger refuse`.execute(db)
  expect((await sql`select index_product_codes() as made`.execute(db)).rows).toEqual([{ made: true }])
  expect(await search()).toMatchObject({ count: 1 })
})
