import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { defineAttributes } from '../../src/catalogue/attributes/attribute-definitions.ts'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { deleteProducts } from '../../src/catalogue/products/delete-products.ts'
import { upsertProducts } from '../../src/catalogue/products/upsert-products.ts'
import { filtersProjection, findSlots } from '../../src/catalogue/projections/filters-projection.ts'
import { createStore } from '../../src/catalogue/stores/stores.ts'
import { inTransaction } from '../../src/catalogue/transaction.ts'
import { caughtUp } from '../support/caught-up.ts'
import { useDatabase } from '../support/database/database.ts'
import { buildIndex } from '../support/database/product-index.ts'
import { storeIn } from '../support/factories.ts'

const database = useDatabase()
let store: string

const number = (text: string) => [text, Number(text)]
/** Values that a cast could fail for, and what the index has of them. */
const values: Record<string, (string | number | null)[]> = {
  plain: number('12.50'),
  negative: number('-3'),
  'minus zero': ['-0', -0],
  '300 digits': [`1${'0'.repeat(254)}`, 1e299],
  '301 digits': [`1${'0'.repeat(254)}`, null],
  'a small fraction': [`0.${'0'.repeat(253)}`, 1e-298],
  exponent: ['1e400', null],
  'not a number': ['NaN', null],
  infinite: ['Infinity', null],
  'full width': ['１２', null],
  'other digits': ['٣', null],
  blank: [' ', null],
  empty: ['', null],
  'with a blank': ['1 ', null],
  'with a line break': ['1\n', null],
  'no digits before the point': ['.5', null],
}
const stored: Record<string, string> = {
  '300 digits': `1${'0'.repeat(299)}`,
  '301 digits': `1${'0'.repeat(300)}`,
  'a small fraction': `0.${'0'.repeat(297)}1`,
}

const define = (definitions: Record<string, 'number' | 'text' | 'unfilterable'>) =>
  inTransaction(database.catalogue, (work) =>
    defineAttributes(
      work,
      store,
      Object.entries(definitions).map(([name, type]) => {
        return { name, type: type === 'number' ? type : 'text', filterable: type !== 'unfilterable' }
      }),
    ),
  )
const add = (products: Record<string, Record<string, string>>) =>
  inTransaction(database.catalogue, (work) =>
    upsertProducts(
      work,
      store,
      Object.entries(products).map(([productCode, attributes]) => ({ productCode, attributes })),
    ),
  )
const rowsOf = async (columns: string) => {
  const { rows } = await sql<Record<string, unknown>>`
    select product_code, ${sql.raw(columns)} from product_index where store_uuid = ${store} order by product_code`.execute(
    database.db,
  )
  return Object.fromEntries(rows.map(({ product_code, ...row }) => [product_code, Object.values(row)]))
}
const slotsOf = async () =>
  (await findSlots(database.catalogue, store)).map(({ slot, name, isNumber, builtTo }) => {
    return `${slot} ${name}${isNumber ? ', a number' : ''}${builtTo === null ? '' : ', not built'}`
  })

const applyTo = (codes: string[]) =>
  inTransaction(database.catalogue, (work) => filtersProjection.apply(work, store, codes))
/** Of all rows: as if no product were in the queue. */
const faults = async () => {
  await sql`delete from product_dirty where store_uuid = ${store}`.execute(database.db)
  return filtersProjection.check(database.catalogue, store, 100)
}

beforeEach(async () => {
  store = await storeIn(database.catalogue)
})

it('has the numbers of all values that are numbers, and the texts of all', async () => {
  await add(
    Object.fromEntries(Object.entries(values).map(([code, [text]]) => [code, { N: stored[code] ?? `${text}` }])),
  )
  await define({ N: 'number' })
  await buildIndex(database.catalogue, store)
  expect(await rowsOf('t1, n1')).toEqual(values)
  expect(await faults()).toEqual([])
})

it('follows products that are created, changed and deleted, in any order and again', async () => {
  await define({ A: 'text', N: 'number' })
  await buildIndex(database.catalogue, store)
  await add({ a: { A: '1', N: '1', Other: 'x' }, b: { A: 'x'.repeat(300) }, c: {} })
  await applyTo(['a', 'b', 'c', 'd'])
  const rows = { a: ['1', null, '1', 1], b: ['x'.repeat(255), null, null, null], c: [null, null, null, null] }
  expect(await rowsOf('t1, n1, t2, n2')).toEqual(rows)
  await applyTo(['c', 'a', 'b'])
  expect(await rowsOf('t1, n1, t2, n2')).toEqual(rows)
  await add({ a: { A: '2' } })
  await inTransaction(database.catalogue, (work) => deleteProducts(work, store, ['b']))
  expect(await faults()).toMatchObject([{ code: 'a' }, { code: 'b', actual: null }])
  await applyTo(['a', 'b'])
  expect(await rowsOf('t1, t2')).toEqual({ a: ['2', '1'], c: [null, null] })
  expect(await faults()).toEqual([])
})

it('applies with no prepared statement for each choice of slots, of which there are hundreds', async () => {
  await define({ A: 'text' })
  await buildIndex(database.catalogue, store)
  const prepared = await inTransaction(database.catalogue, async (work) => {
    await filtersProjection.apply(work, store, ['a'])
    const { rows } = await sql`
      select statement from pg_prepared_statements where statement ~ ('insert into ' || 'product_index as')`.execute(
      work.db,
    )
    return rows
  })
  expect(prepared).toEqual([])
})

it('builds only attributes that are new in their slots, or of another type', async () => {
  await add({ a: { A: '1', B: '2', C: '3' } })
  await define({ A: 'text', B: 'number' })
  await buildIndex(database.catalogue, store)
  await define({ A: 'unfilterable', B: 'text', C: 'text' })
  await applyTo(['a'])
  expect(await slotsOf()).toEqual(['1 A', '2 B, a number'])
  await buildIndex(database.catalogue, store)
  expect(await slotsOf()).toEqual(['1 B', '2 C'])
  expect(await rowsOf('t1, n1, t2, n2')).toEqual({ a: ['2', null, '3', null] })
  await define({ A: 'text' })
  await buildIndex(database.catalogue, store)
  expect(await slotsOf()).toEqual(['1 B', '2 C', '3 A'])
  expect(await faults()).toEqual([])
})

it('builds the attributes of a store that copies those of another one', async () => {
  await define({ A: 'text' })
  const input = { storeName: 'S', storeTaxonomy: 'catalog', region: [], channels: ['SMP'], defaultAutomation: [] }
  const link = { linkedStoreId: store, copyTaxonomy: true }
  const copy = await inTransaction(database.catalogue, (work) => createStore(work, fallbackEnumerations, input, link))
  store = copy.storeUuid
  expect(await slotsOf()).toEqual([])
  await caughtUp(database, store)
  expect(await slotsOf()).toEqual(['1 A'])
})

it('deletes its rows when no attribute is declared any more, and leaves none of deleted products', async () => {
  await sql`
    insert into product (store_uuid, product_code, status, attributes)
    select ${store}::uuid, lpad(i::text, 5, '0'), 'new', '{"A": "x"}' from generate_series(1, 2500) i`.execute(
    database.db,
  )
  await define({ A: 'text' })
  await buildIndex(database.catalogue, store)
  expect(Object.keys(await rowsOf('t1'))).toHaveLength(2500)
  await sql`delete from product_index_slot where store_uuid = ${store}`.execute(database.db)
  await inTransaction(database.catalogue, (work) => deleteProducts(work, store, ['00001', '02400', '02500']))
  await buildIndex(database.catalogue, store)
  expect(await faults()).toEqual([])
  await define({ A: 'unfilterable' })
  await buildIndex(database.catalogue, store)
  expect(await rowsOf('t1')).toEqual({})
  expect(await slotsOf()).toEqual([])
})
