import { sql } from 'kysely'
import { expect, it } from 'vitest'
import type { WriteCatalogue } from '../../../src/catalogue/catalogue.ts'
import { fallbackEnumerations as all } from '../../../src/catalogue/enumerations.ts'
import { tryLock } from '../../../src/catalogue/locks.ts'
import { deleteProducts } from '../../../src/catalogue/products/delete-products.ts'
import { upsertProducts } from '../../../src/catalogue/products/upsert-products.ts'
import type { Projection } from '../../../src/catalogue/projections/projection.ts'
import { projections } from '../../../src/catalogue/projections/projections.ts'
import { applyChanged, buildNext } from '../../../src/catalogue/projections/step.ts'
import { setRequirements } from '../../../src/catalogue/readiness/requirements.ts'
import { findStoreReadiness } from '../../../src/catalogue/readiness/store-readiness.ts'
import { inTransaction } from '../../../src/catalogue/transaction.ts'
import { caughtUp } from '../../support/caught-up.ts'
import { useDatabase } from '../../support/database/database.ts'
import { storeIn } from '../../support/factories.ts'

const database = useDatabase()
const within = <T>(run: (work: WriteCatalogue) => Promise<T>) => inTransaction(database.catalogue, run)

const upsert = (store: string, ...codes: string[]) =>
  within((work) =>
    upsertProducts(
      work,
      store,
      codes.map((productCode) => ({ productCode })),
    ),
  )

async function storeWith(...codes: string[]): Promise<string> {
  const store = await storeIn(database.catalogue)
  await upsert(store, ...codes)
  return store
}

const rowsOf = async (store: string) => {
  const { rows } = await sql<{ codes: string[]; delta: number; projection: string; waits: number }>`
    select codes, delta, projection, round(extract(epoch from not_before - now()))::integer as waits
    from product_dirty where store_uuid = ${store} order by seq`.execute(database.db)
  return rows
}

/** A projection that keeps what it was given. */
function recording(name: Projection['name'], apply: Projection['apply'] = async () => undefined) {
  const given: string[][] = []
  const projection: Projection = {
    name,
    state: 'product_total',
    apply: (work, store, codes) => {
      given.push([...codes])
      return apply(work, store, codes)
    },
    build: async () => false,
    check: async () => [],
    progress: async () => undefined,
  }
  return { given, projection }
}

it('a projection that fails stops no other, leaves no row, and is tried again later', async () => {
  const store = await storeWith('A', 'B')
  const failing = recording('FILTERS', async (work) => {
    await sql`update store set store_website = 'of the failure' where store_uuid = ${store}`.execute(work.db)
    await sql`select 1 / 0`.execute(work.db)
    return undefined
  })
  const other = recording('READINESS')
  const errors: string[] = []
  const step = () =>
    applyChanged(database.catalogue, [failing.projection, other.projection], store, (name, uuid, error) =>
      errors.push(`${name} ${uuid} ${error}`),
    )
  expect(await step()).toBe('done')
  expect(other.given).toEqual([['A', 'B']])
  expect(errors).toEqual([expect.stringMatching(`FILTERS ${store} .*division by zero`)])
  const waiting = { projection: 'FILTERS', waits: expect.any(Number) }
  expect(await rowsOf(store)).toEqual([
    { codes: ['B'], delta: 2, ...waiting },
    { codes: ['A'], delta: 0, ...waiting },
  ])
  const website = await sql`select from store where store_uuid = ${store} and store_website is null`.execute(
    database.db,
  )
  expect(website.rows.length).toBe(1)
  await step()
  expect(failing.given.length).toBe(1)
  await sql`update product_dirty set not_before = now(), at = now() - interval '1 hour' where store_uuid = ${store}`.execute(
    database.db,
  )
  await step()
  expect(failing.given.length).toBe(3)
  expect(other.given.length).toBe(1)
  expect((await rowsOf(store))[0]?.waits).toBeGreaterThan(290)
})

it('one product that fails does not hold back the others', async () => {
  const codes = Array.from({ length: 20 }, (_, i) => `P${i}`)
  const store = await storeWith(...codes)
  const applied = new Set<string>()
  const { projection } = recording('FILTERS', async (work, _store, given) => {
    if (given.includes('P7')) await sql`select 1 / 0`.execute(work.db)
    for (const code of given) applied.add(code)
    return undefined
  })
  for (let i = 0; i < 6; i++) {
    await applyChanged(database.catalogue, [projection], store, () => {})
    await sql`update product_dirty set not_before = null where store_uuid = ${store}`.execute(database.db)
  }
  expect(applied).toEqual(new Set(codes.filter((code) => code !== 'P7')))
  expect((await rowsOf(store)).map(({ codes }) => codes)).toEqual([['P7']])
})

it('products that a projection leaves are applied in a later step', async () => {
  const store = await storeWith('A', 'B', 'C')
  const slow = recording('SEARCH', async (_work, _store, codes) => codes.slice(1))
  const step = () => applyChanged(database.catalogue, [slow.projection], store, () => {})
  for (let i = 0; i < 4; i++) await step()
  expect(slow.given).toEqual([['A', 'B', 'C'], ['B', 'C'], ['C']])
  expect(await rowsOf(store)).toEqual([])
})

it('applies products to the projections of which the store keeps something', async () => {
  const store = await storeWith('A')
  const [kept, other] = [recording('SEARCH'), recording('FILTERS')]
  const projections = [kept.projection, { ...other.projection, state: 'product_gap' }]
  expect(await applyChanged(database.catalogue, projections, store, () => {})).toBe('done')
  expect([kept.given, other.given]).toEqual([[['A']], []])
})

it('takes at most 1,000 products in a step, each once', async () => {
  const store = await storeIn(database.catalogue)
  const codes = Array.from({ length: 1_400 }, (_, i) => `sku-${1_000 + i}`)
  for (let from = 0; from < codes.length; from += 350) await upsert(store, ...codes.slice(from, from + 350))
  await upsert(store, 'sku-1000')
  const { given, projection } = recording('SEARCH')
  const step = () => applyChanged(database.catalogue, [projection], store, () => {})
  expect([await step(), await step(), await step()]).toEqual(['more', 'more', 'done'])
  expect(given.map(({ length }) => length)).toEqual([700, 700])
  expect(new Set(given.flat())).toEqual(new Set(codes))
})

it('works on no store that another process works on', async () => {
  const store = await storeWith('A')
  const { given, projection } = recording('SEARCH')
  await within(async (work) => {
    expect(await tryLock(work, store, 'projections')).toBe(true)
    expect(await applyChanged(database.catalogue, [projection], store, () => {})).toBe('locked')
    expect(await buildNext(database.catalogue, [projection], store)).toBe('locked')
  })
  expect(given).toEqual([])
  expect(await applyChanged(database.catalogue, [projection], store, () => {})).toBe('done')
  expect(given).toEqual([['A']])
})

it('has the numbers of one moment, also of products that wait in the queue', async () => {
  const store = await storeWith('A', 'B')
  const demand = (attribute: string) =>
    within((work) => setRequirements(work, all, store, 'SMP', [{ code: 'c', kind: 'ATTRIBUTE', attribute }]))
  const found = async () => {
    const readiness = await findStoreReadiness(database.catalogue, store, 'SMP')
    const { total, ready, blocked, asOf } = readiness?.counted ?? {}
    return { isCounting: readiness?.isCounting, total, ready, blocked, isNow: Number(asOf) >= begun }
  }
  let begun = 0
  await demand('Title')
  await caughtUp(database, store)
  begun = Date.now()
  expect(await found()).toEqual({ isCounting: false, total: 2, ready: 0, blocked: 2, isNow: true })
  await upsert(store, 'C')
  await within((work) => deleteProducts(work, store, ['A']))
  await upsert(store, 'D')
  begun = Date.now() + 1
  await expect.poll(() => Date.now()).toBeGreaterThan(begun + 1)
  expect(await found()).toEqual({ isCounting: false, total: 2, ready: 0, blocked: 2, isNow: false })
  await demand('Size')
  expect(await found()).toEqual({ isCounting: true, total: 2, ready: 0, blocked: 2, isNow: false })
  await applyChanged(database.catalogue, projections, store, () => {})
  expect(await found()).toEqual({ isCounting: true, total: 3, ready: 0, blocked: 3, isNow: true })
  await caughtUp(database, store)
  expect(await found()).toEqual({ isCounting: false, total: 3, ready: 0, blocked: 3, isNow: true })
})

it('a transaction elsewhere that is open delays nothing', async () => {
  await using slow = await database.client()
  await slow.query('begin; select pg_current_xact_id()')
  const store = await storeWith('A')
  const { given, projection } = recording('SEARCH')
  await applyChanged(database.catalogue, [projection], store, () => {})
  expect(given).toEqual([['A']])
  expect(await rowsOf(store)).toEqual([])
})
