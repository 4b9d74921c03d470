import { expect, it } from 'vitest'
import { type GraphQLReply, useGateway } from '../support/gateway.ts'

const gateway = useGateway()

const newStore = `mutation ($linked: ID) { createStore(linkedStoreId: $linked, input: { storeName: "One of a group",
  storeTaxonomy: "catalog", region: [], channels: [], defaultAutomation: [] }) { storeUuid } }`

it('refuses the linked stores of linked stores, five times over', async () => {
  const { createStore } = (await gateway.data(newStore)) as unknown as { createStore: { storeUuid: string } }
  for (let i = 1; i < 12; i++) await gateway.data(newStore, { linked: createStore.storeUuid })
  const query = `{ store(storeUuid: "${createStore.storeUuid}") ${'{ linkedStores '.repeat(5)} { storeUuid } ${'}'.repeat(5)} }`
  const reply = await gateway.call('/graphql', { method: 'POST', body: { query } })
  expect(codesOf((reply.json as GraphQLReply).errors)).toEqual(['invalid_request'])
  expect(reply.text.length).toBeLessThan(100_000)
})

it('refuses 10,000 aliases of a field that asks the database, and asks it nothing', async () => {
  const aliases = Array.from({ length: 10_000 }, (_, i) => `a${i}: stores(first: 1) { totalCount }`)
  gateway.database.statements()
  const { errors } = await gateway.graphql(`{ ${aliases.join(' ')} }`)
  expect(codesOf(errors)).toEqual(['invalid_request'])
  expect(gateway.database.statements()).toBe(0)
})

function codesOf(errors: GraphQLReply['errors']): string[] | undefined {
  return errors && [...new Set(errors.map((error) => error.extensions.code))]
}
