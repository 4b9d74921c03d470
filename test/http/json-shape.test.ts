import { describe, expect, it } from 'vitest'
import { shapeOfJson } from '../../rest/request/json-shape.ts'
import { newStore } from '../support/factories.ts'
import { useGateway } from '../support/gateway.ts'
import { outcomeOf } from '../support/rest-client.ts'

const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`name ${i}`, '']))
const isTooComplex = (value: unknown) =>
  shapeOfJson(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))).isTooComplex

describe('JSON that is too complex', () => {
  it('has a list or an object of more than 20,000 members somewhere', () => {
    expect(isTooComplex([members(20_000)])).toBe(false)
    expect(isTooComplex([members(20_001)])).toBe(true)
    expect(isTooComplex({ a: { b: Array.from({ length: 20_001 }, () => 0) } })).toBe(true)
    expect(isTooComplex(Array.from({ length: 10 }, () => members(5_000)))).toBe(false)
  })

  it('nests more than 10,000 levels deep', () => {
    expect(isTooComplex(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)).toBe(false)
    expect(isTooComplex(`${'['.repeat(10_001)}${']'.repeat(10_001)}`)).toBe(true)
  })

  it('is not affected by the characters in its strings', () => {
    const signs = ',[{"\\'.repeat(30_000)
    expect(isTooComplex([signs, { [signs]: signs }])).toBe(false)
    expect(isTooComplex(`"${'x'.repeat(30_000)}`)).toBe(false)
    expect(isTooComplex(`"\\\\"${',1'.repeat(20_001)}`)).toBe(true)
  })
})

describe('a body of JSON that is too complex', () => {
  const gateway = useGateway()

  it('is too large for both APIs', async () => {
    const store = await newStore(gateway)
    const products = [{ product_code: 'A', ...members(30_000) }]
    const reply = await gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body: products })
    expect(outcomeOf(reply).reason).toBe('payload_too_large')
    const body = { query: '{ __typename }', variables: { large: members(30_000) } }
    const { status, json } = await gateway.call('/graphql', { method: 'POST', body })
    expect(status).toBe(413)
    expect(json).toMatchObject({ errors: [{ extensions: { code: 'payload_too_large' } }] })
  })
})
