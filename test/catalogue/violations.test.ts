import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { findViolations } from '../../src/catalogue/attributes/attribute-violations.ts'
import { joinTransaction } from '../../src/catalogue/catalogue.ts'
import { requestContext } from '../../src/request/context.ts'
import { maxReadBytes, ReadBytes } from '../../src/request/read-bytes.ts'
import { newRequestId } from '../../src/request/request-id.ts'
import { useDatabase } from '../support/database/database.ts'
import { storeIn } from '../support/factories.ts'

const database = useDatabase()
const definition = { name: 'Text', type: 'enum' as const, allowedValues: ['a'], maxLength: null, pattern: null }

it.each([
  ['long values about 1 MiB at a time', 40, 300_000, 13],
  ['one value that is longer', 3, 1_500_000, 3],
])('reads %s', async (_, products, length, statements) => {
  const uuid = await storeIn(database.catalogue)
  await sql`insert into product (store_uuid, product_code, status, attributes)
    select ${uuid}::uuid, lpad(i::text, 5, '0'), 'new', jsonb_build_object('Text', repeat('x', ${length}::int))
    from generate_series(1, ${products}::int) i`.execute(database.db)
  database.statements()
  const found = (await findViolations(database.catalogue, uuid, [definition])).get('Text')
  expect(found?.productCount).toBe(products)
  expect(found?.examples.map(({ productCode }) => Number(productCode))).toEqual(
    Array.from({ length: products }, (_, i) => i + 1),
  )
  expect(database.statements()).toBeGreaterThanOrEqual(statements)
})

it('reads short values 1,000 products at a time', async () => {
  const uuid = await storeIn(database.catalogue)
  await sql`insert into product (store_uuid, product_code, status, attributes)
    select ${uuid}::uuid, i::text, 'new', '{"Text": "b"}' from generate_series(1, 10000) i`.execute(database.db)
  database.statements()
  expect((await findViolations(database.catalogue, uuid, [definition])).get('Text')?.productCount).toBe(10_000)
  expect(database.statements()).toBeLessThan(20)
})

it('keeps examples in half of the bytes of a read, and counts all', async () => {
  const uuid = await storeIn(database.catalogue)
  await sql`insert into product (store_uuid, product_code, status, attributes)
    select ${uuid}::uuid, i::text, 'new', jsonb_build_object('Text', repeat('x', 20000))
    from generate_series(1, 100) i`.execute(database.db)
  const find = (bytes: number) => {
    const context = {
      ...{ requestId: newRequestId(), traceparent: undefined, trace: undefined, tenant: 'a', tokenId: 'a' },
      ...{ signal: new AbortController().signal, readBytes: new ReadBytes(bytes) },
    }
    return requestContext.run(context, () => findViolations(database.catalogue, uuid, [definition]))
  }
  expect((await find(maxReadBytes)).get('Text')?.examples).toHaveLength(100)
  const few = (await find(maxReadBytes / 2 + 100_000)).get('Text')
  expect(few).toMatchObject({ productCount: 100, examples: { length: 5 } })
})

// The blocks are those of one server.
it.skipIf(process.env.CITUS_URL)(
  'reads the attributes of a large product once, not once for each definition',
  async () => {
    const uuid = await storeIn(database.catalogue)
    await sql`insert into product (store_uuid, product_code, status, attributes)
    select ${uuid}::uuid, '1', 'new', jsonb_object_agg('Text ' || n, repeat('x', 4000))
    from generate_series(1, 1000) n`.execute(database.db)
    const definitions = Array.from({ length: 1000 }, (_, i) => ({ ...definition, name: `Text ${i + 1}` }))
    const blocks = await database.db.transaction().execute(async (transaction) => {
      const found = await findViolations(joinTransaction(database.catalogue, transaction), uuid, definitions)
      expect(found.get('Text 1000')?.productCount).toBe(1)
      const { rows } = await sql<{ blocks: number }>`
      select sum(pg_stat_get_xact_blocks_fetched(reltoastrelid))::integer as blocks from pg_class
      where relname ~ '^product(_\\d+)?$' and reltoastrelid <> 0`.execute(transaction)
      return rows[0]?.blocks
    })
    expect(blocks).toBeGreaterThan(0)
    expect(blocks).toBeLessThan(1_000)
  },
)
