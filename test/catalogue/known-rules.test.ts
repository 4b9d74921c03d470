import { type Kysely, sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { catalogueFor } from '../../src/catalogue/catalogue.ts'
import { updateProducts } from '../../src/catalogue/products/update-products.ts'
import type { Database } from '../../src/database/tables.ts'
import { callRest, restData } from '../support/clients/rest-client.ts'
import { productOf, storeWithProducts } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

/** A gateway caches attribute definitions. Here the database is changed directly, as another instance would. */
const gateway = useGateway()
let store: string
beforeEach(async () => {
  store = await storeWithProducts(gateway, ['A'])
  expect(await put({ Size: 'any' })).toMatchObject({ updated_skus: ['A'] })
})

const put = (attributes: object, query = '') =>
  restData(gateway, `PUT /products?store_uuid=${store}${query}`, [{ product_code: 'A', ...attributes }])

const defineElsewhere = () =>
  sql`insert into attribute_definition (store_uuid, name, type) values (${store}, 'Size', 'enum')`.execute(
    gateway.database.db,
  )
const sizeOf = async () => (await productOf(gateway, store, 'A'))?.attributes.Size

it.each([
  ['type', sql`type = 'number'`],
  ['allowed values', sql`allowed_values = '{large}'`],
  ['greatest length', sql`max_length = 2`],
  ['pattern', sql`pattern = '[0-9]+'`],
])('a definition that another instance makes, or changes in its %s, counts from then on', async (_what, change) => {
  await defineElsewhere()
  await sql`update attribute_definition set ${change} where store_uuid = ${store}`.execute(gateway.database.db)
  expect(await put({ Size: 'small' })).toMatchObject({
    updated_skus: [],
    failed_products: { A: { Size: expect.stringContaining('must ') } },
  })
  expect(await sizeOf()).toBe('any')
  await sql`update attribute_definition set type = 'text', allowed_values = null, max_length = null, pattern = null
    where store_uuid = ${store}`.execute(gateway.database.db)
  expect(await put({ Size: 'small' })).toMatchObject({ updated_skus: ['A'] })
  expect(await sizeOf()).toBe('small')
})

it('so does one that it removes', async () => {
  await defineElsewhere()
  await sql`update attribute_definition set type = 'number' where store_uuid = ${store}`.execute(gateway.database.db)
  expect(await put({ Size: 'small' })).toMatchObject({ updated_skus: [] })
  await sql`delete from attribute_definition where store_uuid = ${store}`.execute(gateway.database.db)
  expect(await put({ Size: 'small' })).toMatchObject({ updated_skus: ['A'] })
})

it('a preview finds them too, and changes nothing', async () => {
  await defineElsewhere()
  await sql`update attribute_definition set type = 'number' where store_uuid = ${store}`.execute(gateway.database.db)
  expect(await put({ Size: 'small' }, '&dry_run=true')).toMatchObject({ updated_skus: [] })
  expect(await put({ Size: '12' }, '&dry_run=true')).toMatchObject({ updated_skus: ['A'] })
  expect(await sizeOf()).toBe('any')
})

it('names of attributes are stored by a later write, if a transaction of a limited token is rolled back', async () => {
  const { db } = gateway.database
  const patch = [{ productCode: 'A', attributes: { Weave: 'twill' } }]
  const limited = (within: Kysely<Database>) => catalogueFor(within, { stores: new Set([store]) })
  const rolledBack = db.transaction().execute(async (transaction) => {
    await sql`select from product where store_uuid = ${store}`.execute(transaction)
    await updateProducts(limited(transaction), store, patch)
    throw new Error('rolled back')
  })
  await expect(rolledBack).rejects.toThrow('rolled back')
  await updateProducts(limited(db), store, patch)
  const { rows } = await sql`select name from attribute_name where store_uuid = ${store}`.execute(db)
  expect(rows).toContainEqual({ name: 'Weave' })
})

it('a deleted store is not found, though its rules are cached', async () => {
  await sql`delete from product where store_uuid = ${store}`.execute(gateway.database.db)
  await sql`delete from store where store_uuid = ${store}`.execute(gateway.database.db)
  expect((await callRest(gateway, `PUT /products?store_uuid=${store}`, [])).status).toBe(404)
})
