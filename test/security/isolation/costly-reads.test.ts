import { beforeAll, describe, expect, it } from 'vitest'
import { addProducts, newStore } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { newToken } from '../../support/tokens.ts'

/** Where there is one core, a tenant may have it. */
const gateway = useGateway({ connection: { cores: 1 } })

let store: string
let tokens: string[]
beforeAll(async () => {
  store = await newStore(gateway)
  await addProducts(gateway, store, [{ productCode: 'A', attributes: { Color: 'red' } }])
  const made = [1, 2].map(() => newToken(gateway, { scopes: ['READ', 'WRITE'], stores: [store] }))
  tokens = (await Promise.all(made)).map(({ secret }) => secret)
})

/** How many statements wait for a lock, and how many requests for a core. */
async function waiting() {
  const { text } = await gateway.call('/metrics')
  const cores = Number(/^catalogue_pool_connections\{state="waiting_for_core"\} (\d+)/m.exec(text)?.[1])
  return { locks: await gateway.database.lockWaiters(), cores }
}

const red = '{ attributes: [{ name: "Color", contains: "re" }] }'

describe('costly reads of a tenant run one after the other on one core, while others of it run:', () => {
  it.each([
    ['facets', 'STORE { facets(names: ["Color"]) { distinct } }'],
    ['products by a filter', `STORE { products(filter: ${red}) { nodes { productCode } } }`],
    ['their number', `STORE { products(filter: ${red}) { totalCount } }`],
    [
      'products by an attribute',
      'STORE { products(orderBy: { field: ATTRIBUTE, attribute: "Color" }) { nodes { productCode } } }',
    ],
    [
      'products by the time of a change',
      'STORE { products(orderBy: { field: UPDATED_AT, direction: ASC }) { nodes { productCode } } }',
    ],
    [
      'the number of products with a prefix',
      'STORE { products(filter: { codePrefix: "A" }, first: 0) { totalCount } }',
    ],
    ['pages by a filter', `productPage(storeUuid: "ID", filter: ${red}) { totalProducts }`],
    ['pages by a large offset', 'productPage(storeUuid: "ID", offset: 1001) { totalProducts }'],
    ['products of stores', 'products(storeUuids: ["ID"]) { nodes { productCode } }'],
    ['changes by a filter', 'STORE { changes(filter: { actor: "nobody" }) { nodes { requestId } } }'],
    [
      'series',
      'series(storeUuids: ["ID"], metric: CHANGES, from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z") { value }',
    ],
  ])('%s', async (_, fields) => {
    const query = `{ ${fields.replace('STORE', 'store(storeUuid: "ID")').replaceAll('ID', store)} }`
    const readByCodes = `{ store(storeUuid: "${store}") { products(filter: { codes: ["A"] }) { nodes { productCode } } } }`
    await using holder = await gateway.database.client()
    await holder.query('begin; lock table product, change in access exclusive mode')
    const ask = (token: string) => gateway.call('/graphql', { method: 'POST', body: { query }, token })
    const asked = tokens.map(ask)
    await expect.poll(waiting).toEqual({ locks: 1, cores: 1 })
    const [token = ''] = tokens
    const plain = gateway.call(`/v1/products?store_uuid=${store}`, { token })
    await expect.poll(waiting).toEqual({ locks: 2, cores: 1 })
    const byCodes = gateway.call('/graphql', { method: 'POST', body: { query: readByCodes }, token })
    await expect.poll(waiting).toEqual({ locks: 3, cores: 1 })
    await holder.query('commit')
    expect((await plain).status).toBe(200)
    expect((await byCodes).json).not.toHaveProperty('errors')
    for (const { json } of await Promise.all(asked)) expect(json).not.toHaveProperty('errors')
  })
})
