import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { type Catalogue, catalogueFor } from '../../../src/catalogue/catalogue.ts'
import { listChanges } from '../../../src/catalogue/changes/list-changes.ts'
import { upsertProducts } from '../../../src/catalogue/products/upsert-products.ts'
import { productTotalAsOf } from '../../../src/catalogue/projections/as-of.ts'
import { takeChanged } from '../../../src/catalogue/projections/queue.ts'
import { inTransaction, rolledBackIf } from '../../../src/catalogue/transaction.ts'
import { settled } from '../../support/database/changes.ts'
import { useDatabase } from '../../support/database/database.ts'
import { storeIn } from '../../support/factories.ts'
import { Random } from '../../support/random.ts'

const database = useDatabase()
const writers = 8
const rounds = Number(process.env.WRITERS_ROUNDS ?? 15)

it(`a feed read in small steps while ${writers} writers work has each change once, in order; counts agree`, async () => {
  const store = await storeIn(database.catalogue)
  const origin = { requestId: 'r', actor: 'writer', via: 'rest', operation: 'upsertProducts' } as const
  const recording: Catalogue = { ...database.catalogue, origin }
  let rolledBack = 0
  let [cursor, pages, emptyPages, isDone] = ['', 0, 0, false]
  const writer = async (number: number) => {
    const random = new Random(number)
    for (let round = 0; round < rounds; round++) {
      // The reader may be slower than the writers: it catches up once.
      if (round === 5) await expect.poll(() => emptyPages).toBeGreaterThan(0)
      const isUndone = random.below(8) === 0
      if (isUndone) rolledBack++
      await rolledBackIf(recording, isUndone, async (work) => {
        for (let i = random.below(3); i >= 0; i--) {
          await upsertProducts(work, store, [{ productCode: `${number}-${round}-${i}` }])
          // Some transactions are open for long while the others go on.
          await sleep(random.below(10) === 0 ? 200 : random.below(10))
        }
      })
    }
  }
  const limited = catalogueFor(database.db, { stores: new Set([store]) })
  const read: string[] = []
  const totals = new Set<number>()
  const reader = async () => {
    for (;;) {
      const wasDone = isDone
      const page = await listChanges(limited, store, {}, { after: cursor || undefined, limit: 3 })
      read.push(...page.changes.map(({ tx, seq }) => `${tx}/${seq}`))
      const { rows } = await sql<{ total: number; queued: number; products: number }>`
        select ${productTotalAsOf(store, 'READINESS')} as total,
          (select coalesce(sum(delta), 0)::integer from product_dirty where store_uuid = ${store}) as queued,
          (select count(*)::integer from product where store_uuid = ${store}) as products`.execute(database.db)
      for (const { total, queued, products } of rows) {
        expect(total + queued).toBe(products)
        totals.add(total)
      }
      await inTransaction(database.catalogue, (work) => takeChanged(work, store))
      pages++
      if (page.changes.length === 0) emptyPages++
      cursor = page.next ?? cursor
      if (!page.hasMore && wasDone) return
      if (!page.hasMore) await sleep(5)
    }
  }
  const reading = reader()
  await Promise.all(Array.from({ length: writers }, (_, number) => writer(number)))
  await settled(database)
  isDone = true
  await reading
  const { rows } = await sql<{ tx: string; name: string }>`
    select tx, tx || '/' || seq as name from change where store_uuid = ${store} order by tx, seq`.execute(database.db)
  expect(rows.length).toBeGreaterThan(writers * rounds)
  expect(read).toEqual(rows.map(({ name }) => name))
  expect(totals.size).toBeGreaterThan(10)
  expect(rolledBack).toBeGreaterThan(0)
  expect(emptyPages).toBeGreaterThan(0)
  expect(pages).toBeGreaterThan(10)
})

it('a transaction counts products in one row for each status', async () => {
  const store = await storeIn(database.catalogue)
  await inTransaction(database.catalogue, async (work) => {
    for (let i = 0; i < 10; i++) await upsertProducts(work, store, [{ productCode: `${i}` }])
  })
  const { rows } = await sql`select status, count from product_total where store_uuid = ${store}`.execute(database.db)
  expect(rows).toEqual([{ status: 'new', count: 10 }])
})
