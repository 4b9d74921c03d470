import { expect, it } from 'vitest'
import { addProducts, storeWithProducts } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { setRequirements, settled } from './support.ts'

const gateway = useGateway()

it('counts the products of all chunks of a step', async () => {
  const codes = Array.from({ length: 1_000 }, (_, i) => `P${i}`)
  const store = await storeWithProducts(gateway, codes)
  // The steps of the pattern make chunks of 248 products.
  await setRequirements(gateway, store, 'SMP', [
    { code: 'title', kind: 'ATTRIBUTE', attribute: 'Title', pattern: 'a{1,400}' },
  ])
  expect(await settled(gateway, store, 'SMP')).toMatchObject({ ready: 0, requirements: [{ missing: 1_000 }] })
  await addProducts(
    gateway,
    store,
    codes.map((productCode) => ({ productCode, attributes: { Title: 'a' } })),
  )
  expect(await settled(gateway, store, 'SMP')).toMatchObject({ ready: 1_000, requirements: [{ missing: 0 }] })
})
