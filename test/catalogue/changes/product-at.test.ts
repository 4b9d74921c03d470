import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { newStore, query } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { newToken } from '../../support/tokens.ts'

const gateway = useGateway()

const ask = (store: string, productCode: string, at: string, token?: string) =>
  gateway.call('/graphql', {
    method: 'POST',
    body: {
      query: `query ($store: ID!, $productCode: String!, $at: DateTime) { store(storeUuid: $store) {
        product(productCode: $productCode, at: $at) { attributes } } }`,
      variables: { store, productCode, at },
    },
    ...(token !== undefined && { token }),
  })

async function productAt(store: string, productCode: string, at: string, token: string) {
  const { json } = await ask(store, productCode, at, token)
  return (json as { data: { store: { product: unknown } } }).data.store.product
}

it('a moment before the kept changes is refused with the earliest one, and limited tokens see their store', async () => {
  const store = await newStore(gateway)
  const products = [{ productCode: 'A', attributes: { Color: 'red' } }]
  const document =
    'mutation ($store: ID!, $products: [ProductPatch!]!) { result: upsertProducts(storeUuid: $store, products: $products) { createdSkus } }'
  await query(gateway, document, { store, products })
  await sleep(2)
  const at = new Date().toISOString()
  await sleep(2)
  await query(gateway, document, { store, products: [{ productCode: 'A', attributes: { Color: 'blue' } }] })
  const { secret } = await newToken(gateway, { scopes: ['READ'], stores: [store] })
  expect(await productAt(store, 'A', at, secret)).toMatchObject({ attributes: { Color: 'red' } })
  expect(await productAt(store, 'A', new Date().toISOString(), secret)).toMatchObject({ attributes: { Color: 'blue' } })
  const { json } = await ask(store, 'A', '2020-01-01T00:00:00Z')
  expect(json).toMatchObject({
    errors: [
      {
        extensions: {
          code: 'invalid_request',
          errorInfo: [{ field: 'at', details: expect.stringMatching(/must be \d{4}-\d\d-\d\dT[\d:.]+Z or later/) }],
        },
      },
    ],
  })
  expect((await ask(store, 'A', 'yesterday')).json).toMatchObject({ errors: [{}] })
})
