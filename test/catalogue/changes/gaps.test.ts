import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { setRecording } from '../../../src/database/ledger.ts'
import { settled } from '../../support/database/changes.ts'
import { addProducts, newStore } from '../../support/factories.ts'
import { needsPrimary } from '../../support/needs-primary.ts'
import { startTestGateway, type TestGateway, useGateway } from '../../support/servers/gateway.ts'

const gateway = useGateway()

async function feed(from: TestGateway, store: string, after: string) {
  const { status, json } = await from.call(`/v1/changes?store_uuid=${store}&after=${after}`)
  const { data } = json as { data: { next: string; changes?: unknown[]; error_info?: { reason: string }[] } }
  return { status, next: data.next, changes: data.changes?.length, reason: data.error_info?.[0]?.reason }
}

async function productAt(store: string, at: string) {
  const { data, errors } = await gateway.graphql(
    'query ($store: ID!, $at: DateTime) { store(storeUuid: $store) { product(productCode: "A", at: $at) { status } } }',
    { store, at },
  )
  return { data, details: errors?.[0]?.extensions.errorInfo?.[0]?.details as string | undefined }
}

const hasGap = async () => {
  const { rows } = await sql<{ has: boolean }>`select has_gap as has from change_horizon`.execute(gateway.database.db)
  return rows[0]?.has
}

it('a ledger that a gateway wrote past begins anew: older cursors expire, earlier states are refused', async (test) => {
  needsPrimary(test, 'a gateway begins the ledger anew past the client')
  const store = await newStore(gateway)
  await addProducts(gateway, store, ['A'])
  await settled(gateway.database)
  const { next } = await feed(gateway, store, 'latest')
  await sleep(5)
  const before = new Date().toISOString()
  expect((await productAt(store, before)).data).toMatchObject({ store: { product: {} } })
  const off = await startTestGateway({ database: gateway.database, more: { changesRetention: 0 } })
  await expect.poll(hasGap).toBe(true)
  await addProducts(off, store, [{ productCode: 'A', attributes: { Color: 'blue' } }])
  // A rolling change of the setting: the other instance records, and begins the ledger anew, before this one stops.
  await setRecording(gateway.database.db, true)
  await off.stop()
  expect(await hasGap()).toBe(true)
  await using on = await startTestGateway({ database: gateway.database })
  await expect.poll(hasGap).toBe(false)
  expect(await feed(on, store, next)).toMatchObject({ status: 410, reason: 'cursor_expired' })
  const { details = '' } = await productAt(store, before)
  const [, earliest = ''] = /^at must be (\S+) or later/.exec(details) ?? []
  expect(earliest > before).toBe(true)
  expect((await productAt(store, earliest)).data).toMatchObject({ store: { product: {} } })
  const { next: renewed } = await feed(on, store, 'latest')
  await addProducts(on, store, ['B'])
  await settled(gateway.database)
  expect(await feed(on, store, renewed)).toMatchObject({ status: 200, changes: 1 })
})

it('an instance that records all along keeps the cursors', async () => {
  const store = await newStore(gateway)
  const { next } = await feed(gateway, store, 'latest')
  await setRecording(gateway.database.db, true)
  expect(await feed(gateway, store, next)).toMatchObject({ status: 200 })
})
