import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { addAssets } from '../../../src/catalogue/assets/add-assets.ts'
import { deleteAssets, unlinkAssets } from '../../../src/catalogue/assets/remove-assets.ts'
import type { Origin, WriteCatalogue } from '../../../src/catalogue/catalogue.ts'
import { fallbackEnumerations as all } from '../../../src/catalogue/enumerations.ts'
import { deleteProducts } from '../../../src/catalogue/products/delete-products.ts'
import { updateProducts } from '../../../src/catalogue/products/update-products.ts'
import { createProducts, upsertProducts } from '../../../src/catalogue/products/upsert-products.ts'
import { inTransaction } from '../../../src/catalogue/transaction.ts'
import { useDatabase } from '../../support/database/database.ts'
import { storeIn } from '../../support/factories.ts'

const database = useDatabase()
const origin: Origin = { requestId: 'one', actor: 'tester', via: 'cli', operation: 'test' }

/** The rows of a store in the queue, which are taken away. */
async function takeRows(store: string) {
  const { rows } = await sql<{ codes: string[]; delta: number }>`
    with taken as (delete from product_dirty where store_uuid = ${store} returning seq, codes, delta)
    select codes, delta from taken order by seq`.execute(database.db)
  return rows
}

const link = { channel: 'SMP', assetFormat: 'image', url: 'https://a.example/1', assetId: 'one', parentCode: 'A' }
type Write = (work: WriteCatalogue, storeUuid: string) => Promise<unknown>
const writes: [title: string, write: Write, rows: { codes: string[]; delta: number }[]][] = [
  [
    'upsertProducts',
    (work, store) =>
      upsertProducts(work, store, [{ productCode: 'A', status: 'draft' }, { productCode: 'B' }, { productCode: 'N' }]),
    [
      { codes: ['A'], delta: 0 },
      { codes: ['N'], delta: 1 },
    ],
  ],
  [
    'createProducts',
    (work, store) => createProducts(work, store, [{ productCode: 'A' }, { productCode: 'M' }]),
    [{ codes: ['M'], delta: 1 }],
  ],
  [
    'PUT of products',
    (work, store) => updateProducts(work, store, [{ productCode: 'A', attributes: { Size: 'M', Color: 'red' } }]),
    [{ codes: ['A'], delta: 0 }],
  ],
  [
    'PUT that changes nothing',
    (work, store) => updateProducts(work, store, [{ productCode: 'A', attributes: {} }]),
    [],
  ],
  ['deleteProducts', (work, store) => deleteProducts(work, store, ['A', 'X']), [{ codes: ['A'], delta: -1 }]],
  ['addAssets', (work, store) => addAssets(work, all, store, [link]), [{ codes: ['A'], delta: 0 }]],
  [
    'unlinkAssets',
    async (work, storeUuid) => {
      await addAssets(work, all, storeUuid, [link])
      await sql`delete from product_dirty where store_uuid = ${storeUuid}`.execute(work.db)
      return unlinkAssets(work, [{ storeUuid, parentCode: 'A', channel: 'SMP' }])
    },
    [{ codes: ['A'], delta: 0 }],
  ],
  [
    'deleteAssets',
    async (work, storeUuid) => {
      await addAssets(work, all, storeUuid, [link])
      await sql`delete from product_dirty where store_uuid = ${storeUuid}`.execute(work.db)
      return deleteAssets(work, [{ storeUuid, assetId: ['one'] }])
    },
    [{ codes: ['A'], delta: 0 }],
  ],
]

describe.each([
  ['with the ledger', origin],
  ['without the ledger', undefined],
])('%s', (_title, by) => {
  it.each(writes)('%s queues the products that it changes', async (_title, run, expected) => {
    const store = await storeIn(database.catalogue)
    const work = <T>(run: (work: WriteCatalogue) => Promise<T>) =>
      inTransaction({ ...database.catalogue, origin: by }, run)
    await work((within) => upsertProducts(within, store, [{ productCode: 'A' }, { productCode: 'B' }]))
    expect(await takeRows(store)).toEqual([{ codes: ['A', 'B'], delta: 2 }])
    await work((within) => run(within, store))
    expect(await takeRows(store)).toEqual(expected)
  })
})

it('has at most 1,000 products in a row', async () => {
  const store = await storeIn(database.catalogue)
  const products = Array.from({ length: 2_500 }, (_, i) => ({ productCode: `sku-${10_000 + i}` }))
  await inTransaction(database.catalogue, (work) => upsertProducts(work, store, products))
  const numbers = async () =>
    (await takeRows(store)).map(({ codes, delta }) => [codes.length, delta]).toSorted(([a = 0], [b = 0]) => b - a)
  expect(await numbers()).toEqual([
    [1_000, 1_000],
    [1_000, 1_000],
    [500, 500],
  ])
  await updateProducts(
    database.catalogue,
    store,
    products.map((one) => ({ ...one, status: 'draft' })),
  )
  expect(await numbers()).toEqual([
    [1_000, 0],
    [1_000, 0],
    [500, 0],
  ])
})
