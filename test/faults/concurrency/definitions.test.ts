import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { defineAttributes, removeDefinitions } from '../../../src/catalogue/attributes/attribute-definitions.ts'
import { joinTransaction, type WriteCatalogue } from '../../../src/catalogue/catalogue.ts'
import { revertRequest } from '../../../src/catalogue/changes/revert/revert-request.ts'
import { checkReadModel } from '../../../src/catalogue/check-read-model.ts'
import { fallbackEnumerations } from '../../../src/catalogue/enumerations.ts'
import { lockStore } from '../../../src/catalogue/locks.ts'
import { applyConfig } from '../../../src/cli/config/store-config.ts'
import { caughtUp } from '../../support/caught-up.ts'
import { addProducts, newStore } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'

const gateway = useGateway()
const color = { name: 'Color', type: 'text', filterable: true } as const

/** The request that defined `Color`. */
let request: string
let store: string
beforeEach(async () => {
  store = await newStore(gateway)
  request = await defineColor()
  await addProducts(gateway, store, [{ productCode: 'A', attributes: { Color: 'red' } }])
})

/** Returns the id of the request. */
async function defineColor(): Promise<string> {
  const id = randomUUID()
  const definition = '{ name: "Color", type: TEXT, filterable: true }'
  const query = `mutation ($store: ID!) { defineAttributes(storeUuid: $store, definitions: [${definition}]) { name } }`
  const call = { method: 'POST', headers: { 'X-Request-Id': id }, body: { query, variables: { store } } }
  expect((await gateway.call('/graphql', call)).json).not.toHaveProperty('errors')
  return id
}

/** Work in one transaction, which is not repeated: a deadlock fails it. */
function once<T>(work: (catalogue: WriteCatalogue) => Promise<T>): Promise<T> {
  const { catalogue } = gateway.database
  const origin = { requestId: randomUUID(), actor: 'test', via: 'cli', operation: 'test' } as const
  return catalogue.db.transaction().execute((begun) => work({ ...joinTransaction(catalogue, begun), origin }))
}

const waiting = (sessions: number) => expect.poll(() => gateway.database.lockWaiters()).toBe(sessions)

const writers: [what: string, write: (work: WriteCatalogue) => Promise<unknown>][] = [
  ['a removal', (work) => removeDefinitions(work, store, ['Color'])],
  ['a revert', (work) => revertRequest(work, store, request, 'SKIP')],
  ['a push', (work) => applyConfig(work, fallbackEnumerations, store, { attributes: [] })],
]

it.each(writers)('%s of definitions and a new filterable one wait for each other in one order', async (_, write) => {
  const both = await once(async (blocking) => {
    await lockStore(blocking, store, { definitions: 'all' })
    const defining = once((work) => defineAttributes(work, store, [color, { ...color, name: 'Size' }]))
    await waiting(1)
    const other = once(write)
    await waiting(2)
    return { of: [defining, other] }
  })
  expect((await Promise.allSettled(both.of)).map((end) => ('reason' in end ? end.reason : 'done'))).toEqual([
    'done',
    'done',
  ])
  await caughtUp(gateway.database, store)
  expect(await checkReadModel(gateway.database.db)).toEqual([])
})
