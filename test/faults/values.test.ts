import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { runCliProcess } from '../support/clients/cli.ts'
import { ask } from '../support/clients/operations.ts'
import { useDatabase } from '../support/database/database.ts'
import { addProducts, define, newStore } from '../support/factories.ts'
import { Random } from '../support/random.ts'
import type { Program } from '../support/servers/program.ts'
import { useServe } from '../support/servers/serve.ts'
import { isLong, seed } from './support/scale.ts'

const kills = isLong ? 20 : 3
/** More than one batch of the job that indexes them. */
const products = 2_500
const database = useDatabase()
const start = useServe(database)

const names = ['Brand', 'Color', 'Size']
const definitions = (filterable: readonly string[]) => [
  ...names.map((name) => ({ name, type: 'TEXT', filterable: filterable.includes(name) })),
  { name: 'Title', type: 'TEXT', searchable: filterable.includes('Size') },
]

it(`facets and searches are those of SQL after ${kills} kills among writes and indexing (seed ${seed})`, {
  timeout: 600_000,
}, async () => {
  const random = new Random(seed)
  const other = await start()
  let killed = await start()
  const storeUuid = await newStore(other)
  const patches = (codes: readonly string[]) =>
    codes.map((productCode) => ({
      productCode,
      attributes: {
        Brand: `brand ${random.below(40)}`,
        Color: ['', 'red', 'Red', 'x'.repeat(300)][random.below(4)],
        Size: String(random.below(1_000)),
        Title: `title ${random.below(50)}`,
      },
    }))
  const write = async (program: Program, codes: readonly string[]) => {
    await addProducts(program, storeUuid, patches(codes))
    await ask(program, 'deleteProducts', { storeUuid, productCodes: [`sku-${random.below(products)}`] })
  }
  const some = () => [...new Set(Array.from({ length: 60 }, () => `sku-${random.below(products)}`))]

  for (let from = 0; from < products; from += 500) {
    await write(
      other,
      Array.from({ length: 500 }, (_, i) => `sku-${from + i}`),
    )
  }
  for (let kill = 0; kill < kills; kill++) {
    // Removes the index of an attribute or two, and has it made again while products are written.
    await define(other, storeUuid, definitions(names.slice(0, random.below(3))))
    await define(other, storeUuid, definitions(names))
    let stopped = false
    const writing = [other, killed].map(async (program) => {
      while (!stopped)
        await write(program, some()).catch((error: unknown) => program === killed || Promise.reject(error))
    })
    await new Promise((resolve) => setTimeout(resolve, 100 + random.below(1_500)))
    await killed.end('SIGKILL')
    stopped = true
    await Promise.all(writing)
    killed = await start()
  }
  const indexed = async () => {
    const selection = '{ attributeDefinitions { indexed } }'
    const found = await ask<{ attributeDefinitions: { indexed: boolean }[] }>(other, 'store', { storeUuid }, selection)
    return found.attributeDefinitions.filter((definition) => definition.indexed).length
  }
  await expect.poll(indexed, { timeout: 240_000, interval: 500 }).toBe(4)

  const document = `query ($store: ID!, $names: [String!]!) { store(storeUuid: $store) {
    facets(names: $names, first: 100) { name distinct missing values { value count } }
    few: facets(names: $names, first: 100, filter: { search: "title 7", attributes: [{ name: "Brand", gte: "brand 3" }] }) {
      name distinct missing values { value count } } } }`
  const { store: found } = await other.data(document, { store: storeUuid, names })
  expect(found).toEqual({ facets: await facetsOf(sql`true`), few: await facetsOf(few) })
  expect(await runCliProcess(['check'], { DATABASE_URL: database.url })).toMatchObject({ code: 0 })

  async function facetsOf(condition: ReturnType<typeof sql>) {
    const facets = names.map(async (name) => {
      const { rows } = await sql<{ value: string | null; count: number }>`
        select value, count(*)::int as count from (
          select left(attributes ->> ${name}::text, 255) as value from product
          where store_uuid = ${storeUuid} and ${condition}
        ) v group by value order by count(*) desc, value collate "C"`.execute(database.db)
      const values = rows.flatMap(({ value, count }) => (value === null ? [] : [{ value, count }]))
      const missing = rows.find(({ value }) => value === null)?.count ?? 0
      return { name, distinct: values.length, missing, values: values.slice(0, 100) }
    })
    return Promise.all(facets)
  }
})

const few = sql`attributes ->> 'Title' like '%title 7%' and attributes ->> 'Brand' collate "C" >= 'brand 3'`
