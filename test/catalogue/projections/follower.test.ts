import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { checkReadModel } from '../../../src/catalogue/check-read-model.ts'
import { fallbackEnumerations as all } from '../../../src/catalogue/enumerations.ts'
import { deleteProducts } from '../../../src/catalogue/products/delete-products.ts'
import { upsertProducts } from '../../../src/catalogue/products/upsert-products.ts'
import { startFollower } from '../../../src/catalogue/projections/follower.ts'
import { setRequirements } from '../../../src/catalogue/readiness/requirements.ts'
import { findStoreReadiness } from '../../../src/catalogue/readiness/store-readiness.ts'
import { inTransaction } from '../../../src/catalogue/transaction.ts'
import { caughtUp } from '../../support/caught-up.ts'
import { createTestDatabase, useDatabase } from '../../support/database/database.ts'
import { storeIn } from '../../support/factories.ts'
import { Random } from '../../support/random.ts'

const database = useDatabase()
const log = pino({ level: 'silent' })

function follow() {
  const follower = startFollower(database.db, undefined, true, log)
  onTestFinished(() => follower.stop())
  return follower
}

it('two followers keep what eight writers change', async () => {
  const { catalogue } = database
  const random = new Random(20_261_126)
  const stores = [await storeIn(catalogue), await storeIn(catalogue)]
  const followers = [follow(), follow()]
  const codes = () =>
    random.some(
      Array.from({ length: 60 }, (_, i) => `sku-${i}`),
      12,
    )
  const writeOnce = async (store: string, i: number) => {
    const products = codes().map((productCode) => ({
      productCode,
      attributes: { [random.some(['Title', 'Size'], 1)[0] ?? '']: '1' },
    }))
    await inTransaction(catalogue, (work) => upsertProducts(work, store, products))
    if (i % 3 === 0) await inTransaction(catalogue, (work) => deleteProducts(work, store, codes().slice(0, 4)))
    if (i % 5 === 0) {
      const requirement = { code: 'c', kind: 'ATTRIBUTE', attribute: i % 2 ? 'Title' : 'Size' } as const
      await inTransaction(catalogue, (work) => setRequirements(work, all, store, 'SMP', [requirement]))
    }
    followers[i % 2]?.wake()
  }
  await Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      for (let i = writer; i < writer + 12; i++) await writeOnce(stores[writer % 2] ?? '', i)
    }),
  )
  for (const store of stores) await caughtUp(database, store)
  expect(await checkReadModel(database.db)).toEqual([])
  const readiness = await findStoreReadiness(catalogue, stores[0] ?? '', 'SMP')
  expect(readiness?.counted?.total).toBeGreaterThan(0)
  for (const follower of followers) expect(new Set(Object.values(follower.failures()))).toEqual(new Set([0]))
})

it('asks a few times a second which stores have news, however many there are', async () => {
  await using quiet = await createTestDatabase()
  for (let i = 0; i < 40; i++) await storeIn(quiet.catalogue)
  const follower = startFollower(quiet.db, undefined, true, log)
  onTestFinished(() => follower.stop())
  const sentIn = async (milliseconds: number) => {
    quiet.statements()
    await sleep(milliseconds)
    return quiet.statements()
  }
  await expect.poll(() => sentIn(1_000)).toBeLessThanOrEqual(10)
  expect(await sentIn(2_000)).toBeLessThanOrEqual(20)
})
