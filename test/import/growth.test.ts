import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useCatalog } from './catalog.ts'

const catalog = useCatalog()

const products = 30_000
const rows = 1_000

/** Rows and index entries that PostgreSQL has read in the tables of an import, once it reports `inserted` products. */
async function readSoFar(inserted: number): Promise<number> {
  const { db } = catalog.database
  const count = async () => {
    const { rows: found } = await sql<{ made: string; read: string }>`
      select sum(n_tup_ins) filter (where relname ~ '^product(_[0-9]+)?$') as made, sum(coalesce(seq_tup_read, 0) + (
        select coalesce(sum(idx_tup_read), 0) from pg_stat_user_indexes i where i.relid = t.relid
      )) as read
      from pg_stat_user_tables t where relname ~ '^(product|asset|asset_link|asset_group)(_[0-9]+)?$'`.execute(db)
    return { made: Number(found[0]?.made), read: Number(found[0]?.read) }
  }
  await expect.poll(async () => (await count()).made).toBe(inserted)
  return (await count()).read
}

beforeEach(async () => {
  const { db } = catalog.database
  await sql`
    truncate product, asset, asset_link, asset_group, asset_group_range, asset_group_total, product_total`.execute(db)
  await sql`select pg_stat_reset()`.execute(db)
})

test('an import reads as much as it has rows, not as the store has products', async () => {
  const { db } = catalog.database
  const store = await catalog.newStore()
  await sql`
    insert into product (store_uuid, product_code, status, attributes)
    select ${store}::uuid, 'P' || lpad(n::text, 6, '0'), 'new', '{"n": "old"}' from generate_series(2, ${2 * products}, 2) n`.execute(
    db,
  )
  await sql`vacuum analyze product, asset, asset_link`.execute(db)
  const line = (i: number) => `P${String(i * 20).padStart(6, '0')},new,https://a.example/${i}\n`
  const odd = (i: number) => `P${String(i * 20 + 1).padStart(6, '0')},new,https://a.example/odd${i}\n`
  const content = Array.from({ length: rows / 2 }, (_, i) => line(i + 1) + odd(i + 1)).join('')
  const file = await catalog.file('mixed.csv', `sku,n,Image URL 1\n${content}`)
  const before = await readSoFar(products)
  const answer = await catalog.answer([file, '--store', store, '--chunk-rows', '50'])
  expect(answer).toMatchObject({ rows, created: rows / 2, updated: rows / 2, links_added: rows })
  // Twenty chunks that each read the products of the store would make it 600,000.
  expect((await readSoFar(products + rows / 2)) - before).toBeLessThan(30 * rows)
})

test.each([
  ['between products that the store has', (i: number) => 20 * i + 1],
  ['after all of its products', (i: number) => 2 * products + i + 1],
  ['before all of its products', (i: number) => i - rows],
])('an import %s reads as much as it has rows, not as the store has products', async (_where, odd) => {
  const { db } = catalog.database
  const store = await catalog.newStore()
  const code = (n: number) => `P${String(rows + n).padStart(6, '0')}`
  const old = Array.from({ length: products }, (_, i) => code(2 * (i + 1)))
  await sql`
    insert into product (store_uuid, product_code, status, attributes)
    select ${store}::uuid, code, 'new', '{"n": "old"}' from unnest(${old}::text[]) as c(code)`.execute(db)
  await sql`
    insert into asset_link (store_uuid, parent_code, channel, asset_id, place)
    select ${store}::uuid, code, 'SMP', code, 1 from unnest(${old}::text[]) as c(code)`.execute(db)
  await sql`
    insert into asset (store_uuid, asset_id, asset_format, url)
    select ${store}::uuid, code, 'pdf', 'https://a.example/' || code from unnest(${old}::text[]) as c(code)`.execute(db)
  await sql`vacuum analyze product, asset, asset_link`.execute(db)
  const numbers = Array.from({ length: rows }, (_, i) => odd(i))
  const lines = numbers.map((n) => `${code(n)},new,https://b.example/${n}\n`)
  const file = await catalog.file('growth.csv', `sku,n,Image URL 1\n${lines.join('')}`)
  const before = await readSoFar(products)
  const answer = await catalog.answer([file, '--store', store, '--chunk-rows', '50'])
  expect(answer).toMatchObject({ rows, created: rows, updated: 0, links_added: rows })
  // Twenty chunks that each read the store's products would make it 600,000; tables still small may be read whole.
  expect((await readSoFar(products + rows)) - before).toBeLessThan(100 * rows)
})

test('an import that cuts the directory into more ranges reads those that it cuts, not the store', async () => {
  const { db } = catalog.database
  const store = await catalog.newStore()
  const fileOf = (first: number, count: number) => {
    const line = (_: unknown, i: number) => `P${String(first + i).padStart(6, '0')},https://a.example/${first + i}\n`
    return catalog.file(`${first}.csv`, `sku,Image URL 1\n${Array.from({ length: count }, line).join('')}`)
  }
  await catalog.answer([await fileOf(0, products), '--store', store])
  await sql`analyze`.execute(db)
  const before = await readSoFar(products)
  await catalog.answer([await fileOf(products, 10 * rows), '--store', store, '--chunk-rows', '2500'])
  // The last range is cut three times, when it has 4,500 groups or 5,000.
  expect((await readSoFar(products + 10 * rows)) - before).toBeLessThan(30 * rows)
})
