import { expect, it } from 'vitest'
import { productOf, storeWithProducts } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'

const gateway = useGateway()

it('the lists of all fields of a mutation together have at most as many items as one list may have', async () => {
  const store = await storeWithProducts(gateway, ['P0'])
  const field = 'updateProducts(storeUuid: $store, products: $products) { more }'
  const update = (fields: number, items: number, color: string) => {
    const products = Array.from({ length: items }, (_, i) => ({ productCode: `P${i}`, attributes: { Color: color } }))
    const all = Array.from({ length: fields }, (_, i) => `f${i}: ${field}`).join(' ')
    const query = `mutation ($store: ID!, $products: [ProductPatch!]!) { ...All } fragment All on Mutation { ${all} }`
    return gateway.graphql(query, { store, products })
  }
  const refused = await update(20, 501, 'red')
  expect(refused.errors?.[0]).toMatchObject({
    message: 'the lists of all fields must have at most 10000 items; they have 10020: send several requests',
    extensions: { code: 'invalid_request' },
  })
  expect((await productOf(gateway, store, 'P0'))?.attributes).toEqual({})
  expect((await update(20, 500, 'blue')).errors).toBeUndefined()
  expect((await update(1, 10_000, 'green')).errors).toBeUndefined()
  expect((await productOf(gateway, store, 'P0'))?.attributes).toEqual({ Color: 'green' })
})
