import { setTimeout as sleep } from 'node:timers/promises'
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

interface Derived {
  attributeDefinitions: { indexed: boolean }[]
  readiness: { asOf: string; isCounting: boolean }
}

it(`facets, searches and readiness are those of SQL after ${kills} kills of one of two gateways (seed ${seed})`, {
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
        Title: ['', 'a', `title ${random.below(50)}`, `title ${random.below(50)}`][random.below(4)],
        GTIN: ['12', '12345678'][random.below(2)],
      },
    }))
  const write = async (program: Program, codes: readonly string[]) => {
    await addProducts(program, storeUuid, patches(codes))
    await ask(program, 'deleteProducts', { storeUuid, productCodes: [`sku-${random.below(products)}`] })
  }
  const some = () => [...new Set(Array.from({ length: 60 }, () => `sku-${random.below(products)}`))]
  const require = (minimum: number) => {
    const requirements = [
      { code: 'title', kind: 'ATTRIBUTE', attribute: 'Title', minimum },
      { code: 'gtin', kind: 'ATTRIBUTE', attribute: 'GTIN', pattern: '\\d{8}', severity: 'RECOMMENDED' },
    ]
    return ask(other, 'setChannelRequirements', { storeUuid, channel: 'SMP', requirements })
  }

  for (let from = 0; from < products; from += 500) {
    const codes = Array.from({ length: 500 }, (_, i) => `sku-${from + i}`)
    await write(other, codes)
  }
  for (let kill = 0; kill < kills; kill++) {
    // Removes the index of an attribute or two, and has it made again while products are written.
    await define(other, storeUuid, definitions(names.slice(0, random.below(3))))
    await define(other, storeUuid, definitions(names))
    await require(1 + (kill % 2))
    let stopped = false
    const writing = [other, killed].map(async (program) => {
      while (!stopped)
        await write(program, some()).catch((error: unknown) => program === killed || Promise.reject(error))
    })
    await sleep(100 + random.below(2_500))
    await killed.end('SIGKILL')
    stopped = true
    await Promise.all(writing)
    killed = await start()
  }
  const begun = Date.now()
  const progress = async () => {
    const selection = '{ attributeDefinitions { indexed } readiness(channel: "SMP") { asOf isCounting } }'
    const { attributeDefinitions, readiness } = await ask<Derived>(other, 'store', { storeUuid }, selection)
    const indexed = attributeDefinitions.filter((definition) => definition.indexed).length
    return { indexed, isCurrent: Date.parse(readiness.asOf) > begun && !readiness.isCounting }
  }
  await expect.poll(progress, { timeout: 240_000, interval: 500 }).toEqual({ indexed: 4, isCurrent: true })

  const document = `query ($store: ID!, $names: [String!]!) { store(storeUuid: $store) {
    facets(names: $names, first: 100) { name distinct missing values { value count } }
    few: facets(names: $names, first: 100, filter: { search: "title 7", attributes: [{ name: "Brand", gte: "brand 3" }] }) {
      name distinct missing values { value count } }
    readiness(channel: "SMP") { total ready requirements { missing } gaps { totalCount } } } }`
  const { store: found } = await other.data(document, { store: storeUuid, names })
  const readiness = await readinessOf(1 + ((kills - 1) % 2))
  expect(found).toEqual({ facets: await facetsOf(sql`true`), few: await facetsOf(few), readiness })
  const checked = await runCliProcess(['check', '--wait'], { DATABASE_URL: database.url })
  expect(checked).toMatchObject({ code: 0, stdout: 'no difference found\n' })

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

  async function readinessOf(minimum: number) {
    const { rows } = await sql<{ total: number; untitled: number; gtin: number }>`
      select count(*)::int as total,
        count(*) filter (where length(attributes ->> 'Title') < ${minimum}::int)::int as untitled,
        count(*) filter (where attributes ->> 'GTIN' !~ '^[0-9]{8}$')::int as gtin
      from product where store_uuid = ${storeUuid}`.execute(database.db)
    const [{ total, untitled, gtin } = { total: 0, untitled: 0, gtin: 0 }] = rows
    const requirements = [{ missing: untitled }, { missing: gtin }]
    return { total, ready: total - untitled, requirements, gaps: { totalCount: untitled } }
  }
})

const few = sql`attributes ->> 'Title' like '%title 7%' and attributes ->> 'Brand' collate "C" >= 'brand 3'`
