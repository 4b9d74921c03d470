import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isHeavyJson } from '../../rest/heavy-json.ts'
import { newStore } from '../support/factories.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { outcomeOf } from '../support/rest-door.ts'

const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`name ${i}`, '']))
const heavy = (value: unknown) => isHeavyJson(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)))

describe('heavy JSON', () => {
  it('has a list or an object of more than 20,000 members somewhere', () => {
    expect(heavy([members(20_000)])).toBe(false)
    expect(heavy([members(20_001)])).toBe(true)
    expect(heavy({ a: { b: Array.from({ length: 20_001 }, () => 0) } })).toBe(true)
    expect(heavy(Array.from({ length: 10 }, () => members(5_000)))).toBe(false)
  })

  it('nests more than 10,000 deep', () => {
    expect(heavy(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)).toBe(false)
    expect(heavy(`${'['.repeat(10_001)}${']'.repeat(10_001)}`)).toBe(true)
  })

  it('is not made of what stands in strings', () => {
    const signs = ',[{"\\'.repeat(30_000)
    expect(heavy([signs, { [signs]: signs }])).toBe(false)
    expect(heavy(`"${'x'.repeat(30_000)}`)).toBe(false)
    expect(heavy(`"\\\\"${',1'.repeat(20_001)}`)).toBe(true)
  })
})

describe('a body of heavy JSON', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  it('is too large, on both doors', async () => {
    const store = await newStore(gateway)
    const products = [{ product_code: 'A', ...members(30_000) }]
    const reply = await gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body: products })
    expect(outcomeOf(reply).reason).toBe('payload_too_large')
    const body = { query: '{ __typename }', variables: { heavy: members(30_000) } }
    const { status, json } = await gateway.call('/graphql', { method: 'POST', body })
    expect(status).toBe(413)
    expect(json).toMatchObject({ errors: [{ extensions: { code: 'payload_too_large' } }] })
  })
})
