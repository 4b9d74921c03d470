import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { groupsVersion } from '../../src/catalogue/asset-groups/asset-groups.ts'
import { listGroups } from '../../src/catalogue/asset-groups/list-groups.ts'
import { maxRange } from '../../src/catalogue/asset-groups/read-model.ts'
import { addAssets } from '../../src/catalogue/assets/add-assets.ts'
import { deleteAssets, unlinkAssets } from '../../src/catalogue/assets/remove-assets.ts'
import type { WriteCatalogue } from '../../src/catalogue/catalogue.ts'
import { type CheckStep, checkReadModel } from '../../src/catalogue/check-read-model.ts'
import { fallbackEnumerations as all } from '../../src/catalogue/enumerations.ts'
import { projections } from '../../src/catalogue/projections/projections.ts'
import { inTransaction } from '../../src/catalogue/transaction.ts'
import { useDatabase } from '../support/database/database.ts'
import { storeIn } from '../support/factories.ts'

const database = useDatabase()
let store: string
beforeEach(async () => {
  store = await storeIn(database.catalogue)
})

const write = <T>(work: (catalogue: WriteCatalogue) => Promise<T>) => inTransaction(database.catalogue, work)
const query = { channel: 'SMP', assetFormat: 'image' }
const code = (i: number) => `sku-${String(i).padStart(6, '0')}`

/** Adds groups of one asset each, in requests of 5,000, and returns their codes in order. */
async function fill(numbers: readonly number[]): Promise<string[]> {
  for (let at = 0; at < numbers.length; at += 5_000) {
    const assets = numbers.slice(at, at + 5_000).map((i) => ({ ...assetOf(code(i)), assetId: `asset-${i}` }))
    await write((catalogue) => addAssets(catalogue, all, store, assets))
  }
  return numbers.map(code).sort()
}

function assetOf(parentCode: string) {
  return { channel: 'SMP', parentCode, assetFormat: 'image', url: `https://assets.example/${parentCode}` }
}

async function rangeSizes(): Promise<number[]> {
  const { rows } = await sql<{ groups: number }>`
    select groups from asset_group_range where store_uuid = ${store} order by first_code`.execute(database.db)
  return rows.map((row) => row.groups)
}

async function pageAt(offset: number, limit = 3): Promise<{ totalGroups: number; codes: string[] }> {
  const { totalGroups, groups } = await listGroups(database.catalogue, store, { ...query, offset, limit })
  return { totalGroups, codes: groups.map((group) => group.parentCode) }
}

it('splits a growing range, in whatever order groups are added, and pages are those of all groups', async () => {
  const numbers = Array.from({ length: 13_000 }, (_, i) => (i * 7_919) % 13_000)
  const codes = await fill(numbers)
  const sizes = await rangeSizes()
  expect(sizes.length).toBeGreaterThan(6)
  for (const size of sizes) expect(size).toBeLessThanOrEqual(maxRange)
  for (const offset of [0, 499, 500, 501, 1_999, 2_000, 2_001, 6_543, 12_997, 12_999, 13_000, 1_000_000_000]) {
    expect({ offset, ...(await pageAt(offset)) }).toEqual({
      offset,
      totalGroups: codes.length,
      codes: codes.slice(offset, offset + 3),
    })
  }
  const steps: CheckStep[] = []
  expect(await checkReadModel(database.db, 100, (step) => steps.push(step))).toEqual([])
  const { done, all } = steps.at(-1) ?? {}
  expect(done).toBe(all)
  const parts = ['groups', ...projections.map(({ name }) => name), undefined]
  expect(steps.slice(-parts.length).map(({ what }) => what)).toEqual(parts)
})

it('finds pages across ranges, also empty ones', async () => {
  const codes = await fill(Array.from({ length: 9_000 }, (_, i) => i))
  const doomed = codes.slice(1_500, 7_500)
  await write((catalogue) =>
    deleteAssets(catalogue, [{ storeUuid: store, assetId: doomed.map((_, i) => `asset-${i + 1_500}`) }]),
  )
  expect(await rangeSizes()).toContain(0)
  const left = codes.filter((_, i) => i < 1_500 || i >= 7_500)
  for (const offset of [0, 1_000, 1_498, 1_500, 2_500, 2_998]) {
    expect((await pageAt(offset)).codes).toEqual(left.slice(offset, offset + 3))
  }
  await fill([3_000, 3_001])
  expect(await pageAt(1_499)).toEqual({ totalGroups: 3_002, codes: [code(1_499), code(3_000), code(3_001)] })
  expect(await checkReadModel(database.db)).toEqual([])
})

it('keeps counts exact while many writers make ranges grow and split', async () => {
  await Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      for (let round = 0; round < 12; round++) {
        const assets = Array.from({ length: 100 }, (_, i) => assetOf(code(i * 997 + writer * 13 + round * 31)))
        await write((catalogue) => addAssets(catalogue, all, store, assets))
        const links = assets
          .filter((_, i) => i % 5 === 0)
          .map(({ parentCode }) => ({ storeUuid: store, channel: 'SMP', parentCode }))
        if (round % 3 === 2) await write((catalogue) => unlinkAssets(catalogue, links))
      }
    }),
  )
  expect((await rangeSizes()).length).toBeGreaterThan(1)
  expect(await checkReadModel(database.db)).toEqual([])
})

it.each([
  ['count', sql`update asset_group_range set groups = groups + 1 where store_uuid = `],
  ['total', sql`update asset_group_total set groups = groups + 1 where store_uuid = `],
])('the check finds a wrong %s of groups', async (what, change) => {
  await fill([1, 2])
  await sql`${change}${store} returning 1`.execute(database.db)
  const differing = { storeUuid: store, channel: 'SMP', assetFormat: 'image', kept: '3', actual: '2' }
  expect(await checkReadModel(database.db)).toEqual([expect.objectContaining({ what, ...differing })])
  await sql`delete from asset_link where store_uuid = ${store}`.execute(database.db)
  for (const table of ['asset_group', 'asset_group_range', 'asset_group_total']) {
    await sql`delete from ${sql.table(table)} where store_uuid = ${store}`.execute(database.db)
  }
})

it('the check finds a wrong total of products', async () => {
  const total = sql`insert into product_total values (${store}, 0, 'new', 3)`
  await total.execute(database.db)
  const found = { what: 'products', storeUuid: store, kept: '3 new', actual: null }
  expect(await checkReadModel(database.db)).toEqual([expect.objectContaining(found)])
  await sql`delete from product_total where store_uuid = ${store}`.execute(database.db)
})

it('the check finds the name of an attribute that is missing', async () => {
  await sql`insert into product (store_uuid, product_code, status, attributes)
    values (${store}, 'A', 'new', '{"Color": "red", "Size": ""}')`.execute(database.db)
  await sql`insert into product_total values (${store}, 0, 'new', 1)`.execute(database.db)
  const found = { what: 'attribute', storeUuid: store, kept: null, actual: 'Color' }
  expect(await checkReadModel(database.db)).toEqual([expect.objectContaining(found)])
  await sql`delete from product where store_uuid = ${store}`.execute(database.db)
  await sql`delete from product_total where store_uuid = ${store}`.execute(database.db)
})

it('does not block writers of different groups of one store', async () => {
  await fill([1, 2])
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const first = write(async (catalogue) => {
    await unlinkAssets(catalogue, [{ storeUuid: store, channel: 'SMP', parentCode: 'none of 1' }])
    await held
  })
  await write((catalogue) => addAssets(catalogue, all, store, [assetOf('none of 2')]))
  release()
  await first
  expect((await pageAt(0)).codes).toContain('none of 2')
})

it('changes the version with each change of a group, and with nothing else', async () => {
  const versions = [await groupsVersion(database.catalogue, store, query)]
  const moved = async (work: (catalogue: WriteCatalogue) => Promise<unknown>) => {
    await write(work)
    const version = await groupsVersion(database.catalogue, store, query)
    const isNew = !versions.includes(version)
    versions.push(version)
    return isNew
  }
  const item = { ...assetOf('a'), assetId: 'x' }
  expect(await moved((catalogue) => addAssets(catalogue, all, store, [item]))).toBe(true)
  expect(await moved((catalogue) => addAssets(catalogue, all, store, [item]))).toBe(false)
  expect(await moved((catalogue) => addAssets(catalogue, all, store, [{ ...item, channel: 'channel_value_1' }]))).toBe(
    false,
  )
  expect(
    await moved((catalogue) => addAssets(catalogue, all, store, [{ ...item, assetId: 'y', url: `${item.url}?y` }])),
  ).toBe(true)
  const link = { storeUuid: store, channel: 'SMP', parentCode: 'a' }
  expect(await moved((catalogue) => unlinkAssets(catalogue, [{ ...link, assetId: ['y'] }]))).toBe(true)
  expect(await moved((catalogue) => deleteAssets(catalogue, [{ storeUuid: store, assetId: ['x'] }]))).toBe(true)
  await expect(groupsVersion(database.catalogue, '0190b3b0-0000-7000-8000-000000000000', query)).rejects.toThrow(
    'there is no store',
  )
})
