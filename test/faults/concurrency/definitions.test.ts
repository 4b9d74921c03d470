import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { defineAttributes, removeDefinitions } from '../../../src/catalogue/attributes/attribute-definitions.ts'
import { inTransaction, type WriteCatalogue } from '../../../src/catalogue/catalogue.ts'
import { revertRequest } from '../../../src/catalogue/changes/revert/revert-request.ts'
import { fallbackEnumerations } from '../../../src/catalogue/enumerations.ts'
import { lockStore } from '../../../src/catalogue/locks.ts'
import { upsertProducts } from '../../../src/catalogue/products/upsert-products.ts'
import { indexValues } from '../../../src/catalogue/values/index-values.ts'
import { applyConfig } from '../../../src/cli/config/store-config.ts'
import { startIndexing } from '../../../src/jobs/run-index.ts'
import { valueFaults } from '../../support/database/value-faults.ts'
import { addProducts, define, newStore } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'

const gateway = useGateway()
const color = { name: 'Color', type: 'text', filterable: true } as const

/** The request that defined `Color`. */
let request: string
let store: string
beforeEach(async () => {
  store = await newStore(gateway)
  request = await mutate(true)
  await addProducts(gateway, store, [{ productCode: 'A', attributes: { Color: 'red' } }])
})

/** Defines `Color` and does more; returns the id of the request. */
async function mutate(filterable: boolean, more = ''): Promise<string> {
  const id = randomUUID()
  const definition = `{ name: "Color", type: TEXT, filterable: ${filterable} }`
  const query = `mutation ($store: ID!) { defineAttributes(storeUuid: $store, definitions: [${definition}]) { name } ${more} }`
  const call = { method: 'POST', headers: { 'X-Request-Id': id }, body: { query, variables: { store } } }
  expect((await gateway.call('/graphql', call)).json).not.toHaveProperty('errors')
  return id
}

/** Work in one transaction, which is not repeated: a deadlock fails it. */
function once<T>(work: (catalogue: WriteCatalogue) => Promise<T>): Promise<T> {
  const { catalogue } = gateway.database
  const origin = { requestId: randomUUID(), actor: 'test', via: 'cli', operation: 'test' } as const
  return catalogue.db.transaction().execute((begun) => work({ ...inTransaction(catalogue, begun), origin }))
}

const waiting = (sessions: number) => expect.poll(() => gateway.database.lockWaiters()).toBe(sessions)
const indexed = (work: WriteCatalogue) => startIndexing(work, store, { queued: 1, keptMb: 1 })

const writers: [what: string, write: (work: WriteCatalogue) => Promise<unknown>][] = [
  ['a removal', (work) => removeDefinitions(work, store, ['Color']).then(() => indexed(work))],
  ['a revert', (work) => revertRequest(work, store, request, 'SKIP').then(() => indexed(work))],
  ['a push', (work) => applyConfig(work, fallbackEnumerations, store, { attributes: [] }).then(() => indexed(work))],
  ['indexing', (work) => indexValues(work, store, randomUUID())],
]

it.each(writers)('%s of definitions and a new filterable one wait for each other in one order', async (_, write) => {
  const both = await once(async (blocking) => {
    await lockStore(blocking, store, { products: 'all' })
    const defining = once(async (work) => {
      await defineAttributes(work, store, [color, { ...color, name: 'Size' }])
      await indexed(work)
    })
    await waiting(1)
    const other = once(write)
    await waiting(2)
    return { of: [defining, other] }
  })
  expect((await Promise.allSettled(both.of)).map((end) => ('reason' in end ? end.reason : 'done'))).toEqual([
    'done',
    'done',
  ])
  await define(gateway, store, [])
  expect(await valueFaults(gateway.database)).toEqual([])
})

it('a revert of a definition and a product indexes all products while another writer waits for that one', async () => {
  const change =
    'upsertProducts(storeUuid: $store, products: [{ productCode: "A", attributes: { Color: "blue" } }]) { updatedSkus }'
  const later = await mutate(false, change)
  const writer = await once(async (work) => {
    await revertRequest(work, store, later, 'SKIP')
    const patch = { productCode: 'A', attributes: { Color: 'green' } }
    const writing = once((other) => upsertProducts(other, store, [patch]))
    await waiting(1)
    await indexed(work)
    return { writing }
  })
  expect(await writer.writing).toMatchObject({ updatedSkus: ['A'] })
  expect(await valueFaults(gateway.database)).toEqual([])
})
