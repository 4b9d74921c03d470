import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import { listProducts } from '../../src/catalogue/products/list/list-products.ts'
import type { ProductFilter } from '../../src/catalogue/products/list/product-filter.ts'
import { cursorKey } from '../../src/catalogue/products/list/product-order.ts'
import { updateProducts } from '../../src/catalogue/products/update-products.ts'
import { upsertProducts } from '../../src/catalogue/products/upsert-products.ts'
import { write } from '../../src/catalogue/transaction.ts'
import { storeIn } from '../support/factories.ts'
import { useExplainer, workOf } from './explain.ts'

const products = 30_000
const limit = 51

/** Products that were created together, and some that were created one after the other, in no order of their codes. */
const stores = { together: '', apart: '' }

const explainer = useExplainer(async (catalogue) => {
  stores.together = await newStore(catalogue, sql`0`)
  stores.apart = await newStore(catalogue, sql`i / 3`)
})

/** Half of the products have been changed at any time since they were created. */
async function newStore(catalogue: Catalogue, minute: ReturnType<typeof sql>): Promise<string> {
  const uuid = await storeIn(catalogue)
  await sql`
    insert into product (store_uuid, product_code, status, attributes, created_at, updated_at)
    select ${uuid}::uuid, lpad((i * 7919 % ${products}::int)::text, 5, '0'), case when i % 4 = 0 then 'draft' else 'new' end, '{}',
      '2026-01-01'::timestamptz + ${minute} * interval '1 minute',
      '2026-01-01'::timestamptz + (${minute} + case when i % 2 = 0 then 0 else i * 31 % 1009 / 1009.0 * (${products}::int - ${minute}) end) * interval '1 minute'
    from generate_series(1, ${products}::int) i`.execute(catalogue.db)
  return uuid
}

const draft: ProductFilter = { status: ['draft'] }
const from: ProductFilter = { createdAt: { from: new Date('2026-01-05') } }

describe.each(['together', 'apart'] as const)('of products that were created %s', (name) => {
  it.each<[title: string, filter: ProductFilter, direction: 'asc' | 'desc', skipped: number]>([
    ['the first page', {}, 'asc', 0],
    ['the last page of the opposite order', {}, 'desc', 0],
    ['a page further on', {}, 'asc', 2_000],
    ['a page of a status', draft, 'asc', 0],
    ['a page of a status further on', draft, 'desc', 500],
    ['a page of those created since', from, 'asc', 0],
  ])(
    'lists the ones that were changed first: %s, without reading the others',
    async (_, filter, direction, skipped) => {
      const order = { field: 'updatedAt', direction } as const
      const all = await oldest(stores[name], filter)
      const { at, code } = all[skipped - 1] ?? {}
      const cursor = at && code && cursorKey(order, at, code)
      const backwards = direction === 'desc'
      const page = { limit, backwards, [backwards ? 'before' : 'after']: cursor }
      const read = (catalogue: Catalogue) => listProducts(catalogue, stores[name], filter, page, order)
      const listed = await read(explainer.database.catalogue)
      expect(listed.map(({ productCode }) => productCode)).toEqual(
        all.slice(skipped, skipped + limit).map(({ code }) => code),
      )
      expect(workOf(await explainer.plansOf(read))).toBeLessThan(25_000)
    },
  )
})

async function oldest(uuid: string, { status, createdAt }: ProductFilter) {
  const { rows } = await sql<{ at: string; code: string }>`
    select updated_at::text as at, product_code as code from product
    where store_uuid = ${uuid} and (${status ?? null}::text[] is null or status = any(${status}::text[]))
      and created_at >= coalesce(${createdAt?.from}::timestamptz, '-infinity')
    order by updated_at, product_code`.execute(explainer.catalogue.db)
  return rows
}

it('lists products of which the sample has too few', async () => {
  const { catalogue } = explainer.database
  const uuid = await storeIn(catalogue)
  await sql`
    insert into product (store_uuid, product_code, status, attributes, created_at, updated_at)
    select ${uuid}::uuid, i::text, case when i > 5990 then 'draft' else 'new' end, '{}',
      now() - (6000 - i) * interval '1 minute', now() - (6000 - i) * interval '30 seconds'
    from generate_series(1, 6000) i`.execute(catalogue.db)
  const page = { limit: 3, backwards: false }
  const listed = await listProducts(catalogue, uuid, draft, page, { field: 'updatedAt' })
  expect(listed.map(({ productCode }) => productCode)).toEqual(['5991', '5992', '5993'])
})

it.each([
  ['an upsert', upsertProducts],
  ['a PUT', updateProducts],
] as const)(
  'moves the last change of a product to no earlier time, if its transaction began after that of %s',
  async (_, change) => {
    const { catalogue } = explainer.database
    const uuid = await storeIn(catalogue)
    const patch = (color: string) => [{ productCode: 'a', attributes: { Color: color } }]
    const listed = () => listProducts(catalogue, uuid, {}, { limit: 1, backwards: false })
    const [before] = await write(catalogue, false, async (work) => {
      await sql`select now()`.execute(work.db)
      for (const color of ['red', 'green'])
        await write(catalogue, false, (other) => upsertProducts(other, uuid, patch(color)))
      const products = await listed()
      await change(work, uuid, patch('blue'))
      return products
    })
    const [product] = await listed()
    expect(product).toMatchObject({ attributes: { Color: 'blue' }, updatedAt: before?.updatedAt })
    expect(product?.updatedAt).not.toEqual(product?.createdAt)
  },
)
