import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { newStore, query } from '../../support/factories.ts'
import { Random } from '../../support/random.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { newToken } from '../../support/tokens.ts'

const gateway = useGateway()

type Known = { status: string; attributes: Record<string, string> } | null

const ask = (store: string, productCode: string, at: string, token?: string) =>
  gateway.call('/graphql', {
    method: 'POST',
    body: {
      query: `query ($store: ID!, $productCode: String!, $at: DateTime) { store(storeUuid: $store) {
        product(productCode: $productCode, at: $at) { status attributes createdAt updatedAt } } }`,
      variables: { store, productCode, at },
    },
    ...(token !== undefined && { token }),
  })

async function productAt(store: string, productCode: string, at: string, token?: string) {
  const { json } = await ask(store, productCode, at, token)
  return (json as { data: { store: { product: (Known & { createdAt: string; updatedAt: string }) | null } } }).data
    .store.product
}

it('a product at each moment of a random history is as it was then', async () => {
  const store = await newStore(gateway)
  const random = new Random(Number(process.env.PROPERTY_SEED ?? 7))
  const codes = ['A', 'B', 'C']
  const model = new Map<string, Known>(codes.map((code) => [code, null]))
  const history: [at: string, state: [string, Known][]][] = []
  for (let step = 0; step < 40; step++) {
    await sleep(2)
    const touched = codes.filter(() => random.below(2) === 0)
    if (random.below(5) === 0) {
      await query(
        gateway,
        'mutation ($store: ID!, $codes: [String!]!) { result: deleteProducts(storeUuid: $store, productCodes: $codes) { deletedSkus } }',
        { store, codes: touched },
      )
      for (const code of touched) model.set(code, null)
    } else {
      const products = touched.map((productCode) => ({
        productCode,
        status: ['active', 'draft', 'under review'][random.below(3)] ?? '',
        attributes: { [`Attribute ${random.below(3)}`]: `${random.below(3)}`, __proto__x: `${step % 2}` },
      }))
      await query(
        gateway,
        'mutation ($store: ID!, $products: [ProductPatch!]!) { result: upsertProducts(storeUuid: $store, products: $products) { createdSkus } }',
        { store, products },
      )
      for (const { productCode, status, attributes } of products) {
        const before = model.get(productCode)
        const name = status.replace(' ', '_').toUpperCase()
        model.set(productCode, { status: name, attributes: { ...before?.attributes, ...attributes } })
      }
    }
    history.push([new Date().toISOString(), [...model]])
  }
  for (const [at, state] of history) {
    for (const [code, expected] of state) {
      const found = await productAt(store, code, at)
      const { status, attributes } = found ?? {}
      expect(found && { status, attributes }, `${code} at ${at}`).toEqual(expected)
      if (found) expect(found.updatedAt >= found.createdAt && found.updatedAt <= at).toBe(true)
    }
  }
})

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
