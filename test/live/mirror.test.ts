import { expect, it } from 'vitest'
import { mirror } from '../../examples/mirror.ts'
import { createCatalogueClient } from '../../rest/client/index.ts'
import { restData } from '../support/clients/rest-client.ts'
import { addAssets, addProducts, newStore } from '../support/factories.ts'
import { Random } from '../support/random.ts'
import { token, useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

it.each([false, true])(
  'a mirror (by events: %s) equals the store after random writes and deletions',
  async (events) => {
    const store = await newStore(gateway)
    await addProducts(gateway, store, ['0', '1', '2'])
    const client = createCatalogueClient({ baseUrl: `${gateway.url}/v1`, token })
    const copy = new Map<string, object>()
    const run = mirror(client, store, copy, events)
    await run.next()
    const following = (async () => {
      for await (const _ of run) if (copy.has('last')) return
    })()
    const random = new Random(7)
    for (let i = 0; i < 40; i++) {
      const code = String(random.below(12))
      const kind = random.below(4)
      if (kind === 0) await restData(gateway, `DELETE /products?store_uuid=${store}`, [code])
      else if (kind === 1) await addAssets(gateway, store, [`${i} ${code}`])
      else await addProducts(gateway, store, [{ productCode: code, attributes: { Color: String(i) } }])
    }
    await addProducts(gateway, store, ['last'])
    await following
    const { products } = await restData(gateway, `GET /products?store_uuid=${store}`)
    expect(Object.fromEntries(copy)).toEqual(products)
  },
)

it('a mirror has all products of a store where some are deleted while it copies', async () => {
  const store = await newStore(gateway)
  const codes = Array.from({ length: 250 }, (_, i) => `m${String(i).padStart(3, '0')}`)
  await addProducts(gateway, store, codes)
  const deleted = codes.slice(0, 40)
  let isDeleted = false
  const client = createCatalogueClient({
    baseUrl: `${gateway.url}/v1`,
    token,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      if (!isDeleted && String(input).includes('/products')) {
        isDeleted = true
        await restData(gateway, `DELETE /products?store_uuid=${store}`, deleted)
      }
      return response
    },
  })
  const copy = new Map<string, object>()
  for await (const _ of mirror(client, store, copy, false)) if (!copy.has('m000')) break
  expect([...copy.keys()].toSorted()).toEqual(codes.slice(40))
})
