import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Call } from '../../support/clients/http.ts'
import { addProducts, newStore } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { newToken } from '../../support/tokens.ts'

const gateway = useGateway()

const colorAt = async (store: string, at: string, call: Call = {}) => {
  const document = `{ store(storeUuid: "${store}") { product(productCode: "A", at: "${at}") { attributes } } }`
  return (await gateway.post(document, call)).json
}

it('a moment before the kept changes is refused with the earliest one, and limited tokens see their store', async () => {
  const store = await newStore(gateway)
  await addProducts(gateway, store, [{ productCode: 'A', attributes: { Color: 'red' } }])
  await sleep(2)
  const at = new Date().toISOString()
  await sleep(2)
  await addProducts(gateway, store, [{ productCode: 'A', attributes: { Color: 'blue' } }])
  const { secret: token } = await newToken(gateway, { scopes: ['READ'], stores: [store] })
  const of = (Color: string) => ({ data: { store: { product: { attributes: { Color } } } } })
  expect(await colorAt(store, at, { token })).toMatchObject(of('red'))
  expect(await colorAt(store, new Date().toISOString(), { token })).toMatchObject(of('blue'))
  const details = expect.stringMatching(/must be \d{4}-\d\d-\d\dT[\d:.]+Z or later/)
  expect(await colorAt(store, '2020-01-01T00:00:00Z')).toMatchObject({
    errors: [{ extensions: { code: 'invalid_request', errorInfo: [{ field: 'at', details }] } }],
  })
  expect(await colorAt(store, 'yesterday')).toMatchObject({ errors: [{}] })
})
