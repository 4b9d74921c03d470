import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { defineAttributes } from '../../../src/catalogue/attributes/attribute-definitions.ts'
import { type Catalogue, catalogueFor } from '../../../src/catalogue/catalogue.ts'
import { countProducts } from '../../../src/catalogue/products/lists/count-products.ts'
import { countFacets } from '../../../src/catalogue/products/lists/facets.ts'
import { listProducts } from '../../../src/catalogue/products/lists/list-products.ts'
import { cursorKey, type ProductOrder } from '../../../src/catalogue/products/query/order.ts'
import type { ProductFilter } from '../../../src/catalogue/products/query/product-filter.ts'
import { chooseSource } from '../../../src/catalogue/products/query/source.ts'
import { filtersProjection } from '../../../src/catalogue/projections/filters-projection.ts'
import { inTransaction } from '../../../src/catalogue/transaction.ts'
import { useDatabase } from '../../support/database/database.ts'
import { buildIndex } from '../../support/database/product-index.ts'
import { storeIn } from '../../support/factories.ts'
import { hostileCodes, hostileNumbers, hostileTexts } from '../../support/hostile-texts.ts'
import { conditionsOn, createdAndUpdated, filtersBy, ordersBy, statuses } from './query-arbitraries.ts'
import { facet, type ModelProduct, matches, sorted, type TypeOf } from './query-model.ts'

/** The same runs every time, unless the environment asks for others: PROPERTY_SEED=random PROPERTY_RUNS=10000. */
const numRuns = Number(process.env.PROPERTY_RUNS ?? 150)
const seed = process.env.PROPERTY_SEED === 'random' ? Date.now() | 0 : Number(process.env.PROPERTY_SEED ?? 20_261_126)

const database = useDatabase()

const codes = [...hostileCodes, 'c', 'd', 'e']
const long = (length: number, last: string) => `${'x'.repeat(length)}${last}`
const texts = ['red', 'Red', '', ...hostileTexts, long(254, 'a'), long(255, 'a'), long(255, 'b'), '😀'.repeat(256)]
const numbers = [...hostileNumbers, '9007199254740993', '9007199254740992', `1${'0'.repeat(299)}`]
const noNumbers = [
  '9'.repeat(400),
  '1e400',
  'NaN',
  'Infinity',
  '１２',
  '٣',
  ' ',
  '1 ',
  '1\n',
  '.5',
  '5.',
  '+1',
  '2024',
  '2024-05-01',
]
const values = [...numbers, ...noNumbers, ...texts]
const names = ['Number', 'Text', 'Any', 'Nothing'] as const
const sources = {
  /** The attribute `Any` is not declared. */
  'a small store': { isLarge: false, declared: { Number: 'number', Text: 'text' } },
  'a store of more than 5,000 products': {
    isLarge: true,
    declared: { Number: 'number', Text: 'text', Any: 'text', Nothing: 'text' },
  },
} as const
type Title = keyof typeof sources
const totals: Record<Title, number> = { 'a small store': 18, 'a store of more than 5,000 products': 5_001 }

const product = fc.record({
  status: fc.constantFrom(...statuses),
  attributes: fc.record(
    { Number: fc.constantFrom(...values), Text: fc.constantFrom(...values), Any: fc.constantFrom(...values) },
    { requiredKeys: [], noNullPrototype: true },
  ),
  times: createdAndUpdated,
})

const stores = new Map<Title, { uuid: string; products: ModelProduct[]; typeOf: TypeOf }>()

async function fill(title: Title, n: number): Promise<void> {
  const { declared } = sources[title]
  const { catalogue, db } = database
  const uuid = await storeIn(catalogue)
  const given = fc.sample(product, { numRuns: codes.length, seed: seed + n })
  const products = codes.map((code, i): ModelProduct => {
    const { times, status, attributes } = given[i] as (typeof given)[number]
    const [createdAt, updatedAt] = times
    const ofOthers = { searched: [], groups: new Set<string>() }
    return { code, status, attributes: new Map(Object.entries(attributes)), createdAt, updatedAt, ...ofOthers }
  })
  for (const { code, status, attributes, createdAt, updatedAt } of products) {
    await sql`insert into product values (${uuid}, ${code}, ${status}, ${JSON.stringify(Object.fromEntries(attributes))},
      ${createdAt}, ${updatedAt})`.execute(db)
  }
  // The source is chosen by the number of products that the totals tell.
  await sql`insert into product_total values (${uuid}, 0, 'draft', ${totals[title]})`.execute(db)
  await inTransaction(catalogue, (work) =>
    defineAttributes(
      work,
      uuid,
      Object.entries(declared).map(([name, type]) => ({ name, type, filterable: true })),
    ),
  )
  await buildIndex(catalogue, uuid)
  expect(await filtersProjection.check(catalogue, uuid, 100)).toEqual([])
  stores.set(title, { uuid, products, typeOf: (name) => (declared as Record<string, 'number' | 'text'>)[name] })
}

beforeAll(async () => {
  await fill('a small store', 1)
  await fill('a store of more than 5,000 products', 1)
})

const attribute = fc.oneof(...names.map((name) => conditionsOn(name, values, name === 'Number' ? numbers : values)))
const filter = filtersBy(codes, fc.array(attribute, { minLength: 1, maxLength: 3 }))
const order = ordersBy(names)

/** All products of a list, page by page from its start or its end, in the order of the list. */
async function walk(
  catalogue: Catalogue,
  uuid: string,
  filter: ProductFilter,
  order: ProductOrder,
  limit: number,
  backwards: boolean,
) {
  const found: string[] = []
  for (let cursor: string | undefined, pages = 0; pages < 30; pages++) {
    const page = { limit, backwards, ...(backwards ? { before: cursor } : { after: cursor }) }
    const { rows } = await listProducts(catalogue, uuid, filter, page, order)
    const codes = rows.map(({ productCode }) => productCode)
    if (backwards) found.unshift(...codes.toReversed())
    else found.push(...codes)
    const last = rows.at(-1)
    if (!last || rows.length < limit) return found
    cursor = cursorKey(order, last.orderValue, last.productCode)
  }
  throw new Error('a list does not end')
}

it.each(Object.keys(sources) as Title[])(
  'lists, counts and facets of %s are those of a model in memory',
  async (title) => {
    const { uuid = '', products = [], typeOf = () => undefined } = stores.get(title) ?? {}
    let fromIndex = 0
    const limited = catalogueFor(database.db, { stores: new Set([uuid]) })
    const property = fc.asyncProperty(
      filter,
      order,
      fc.constantFrom(1, 2, 3, 100),
      fc.boolean(),
      fc.boolean(),
      async (filter, order, size, backwards, isLimited) => {
        const catalogue = isLimited ? limited : database.catalogue
        const matching = products.filter((product) => matches(product, filter, typeOf))
        const expected = sorted(matching, order, typeOf).map(({ code }) => code)
        expect(await walk(catalogue, uuid, filter, order, size, backwards)).toEqual(expected)
        const { status: _, ...others } = filter
        if (Object.keys(others).length > 0) {
          expect((await countProducts(catalogue, uuid, filter)).count).toBe(matching.length)
        }
        const search = size === 1 ? 'r' : undefined
        const facets = await countFacets(catalogue, uuid, { names, filter, first: size, search })
        // All products are as many as the totals tell.
        const notThere = Object.keys(filter).length === 0 ? totals[title] - products.length : 0
        expect(facets.map(({ asOf: _, missing, ...rest }) => ({ ...rest, missing: missing - notThere }))).toEqual(
          names.map((name) => facet(matching, name, size, search)),
        )
        if ((await chooseSource(catalogue, uuid, { filter, order })).table === 'product_index') fromIndex++
      },
    )
    await fc.assert(property, { numRuns, seed, endOnFailure: false })
    expect(fromIndex > 0).toBe(sources[title].isLarge)
  },
  600_000,
)
