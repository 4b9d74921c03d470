import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, expect, it } from 'vitest'
import { PatternWork, patternCounter, workToCompile } from '../../../src/catalogue/attributes/pattern-work.ts'
import { programOf } from '../../../src/catalogue/attributes/patterns.ts'
import { define, storeWithProducts } from '../../support/factories.ts'
import { type GraphQLReply, useGateway } from '../../support/gateway.ts'
import { outcomeOf } from '../../support/rest-client.ts'

const gateway = useGateway()
const upTo = <T>(n: number, item: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => item(i))
/** Takes as many steps for each character as its program has, and long ones. */
const slow = '(?i)(?:[ab]*a[ab]{25}\\pL){9}'
const names = upTo(20, (i) => `n${i}`)
const value = (i: number) => {
  let random = i + 1
  const characters = upTo(800, () => {
    random = (random * 48_271) % 2_147_483_647
    return random > 1_073_741_823 ? 'a' : 'b'
  })
  return `${characters.join('')}!`
}
const product = { product_code: 'A', ...Object.fromEntries(names.map((name, i) => [name, value(i)])) }

/** How long the thread of the gateway, which is also that of this test, is blocked at most by the work, in ms. */
async function blockedDuring(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  await work()
  delay.disable()
  return delay.max / 1e6
}

async function storeWithPatterns(): Promise<string> {
  const store = await storeWithProducts(gateway, ['A'])
  await define(
    gateway,
    store,
    names.map((name) => ({ name, type: 'TEXT', pattern: slow })),
  )
  gateway.database.statements()
  return store
}

const update = (fields: (i: number) => string, count: number) =>
  `mutation ($s: ID!, $p: [ProductPatch!]!) { ${upTo(count, (i) => `a${i}: ${fields(i)}`).join(' ')} }`

describe('values that take long to match with patterns', () => {
  it('do not block the others, in a body of 16 KB', { timeout: 60_000 }, async () => {
    const store = await storeWithPatterns()
    const put = () => gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body: [product] })
    let answer: unknown
    const blockedMs = await blockedDuring(async () => {
      answer = (await put()).json
    })
    expect(answer).toMatchObject({ data: { failed_products: { A: { n19: expect.stringMatching(/^must match/) } } } })
    expect(blockedMs).toBeLessThan(700)
  })

  it('are counted together for all root fields that use them', async () => {
    const store = await storeWithPatterns()
    const p = [{ productCode: 'A', attributes: { n0: value(0).slice(0, 100) } }]
    const statements = async (count: number) => {
      const document = update(
        () => 'updateProducts(storeUuid: $s, products: $p) { failedProducts { productCode } }',
        count,
      )
      await gateway.data(document, { s: store, p })
      return gateway.database.statements()
    }
    // At most the statement that reads the size of the patterns.
    expect(await statements(20)).toBeLessThanOrEqual(1)
  })

  it('are refused with what to do when they are too much for one request', async () => {
    const store = await storeWithPatterns()
    const many = upTo(4, (i) => ({ ...product, product_code: `p${i}` }))
    for (const method of ['PUT', 'POST']) {
      const { reason, entries } = outcomeOf(
        await gateway.call(`/v1/products?store_uuid=${store}`, { method, body: many }),
      )
      expect([reason, entries?.[0]?.details]).toEqual([
        'payload_too_large',
        expect.stringMatching(/at most 10000000 steps.*these take more: send fewer or shorter values/),
      ])
    }
  })

  it('are refused for a moment when the definitions have just changed in another process', async () => {
    const store = await storeWithProducts(gateway, ['A'])
    const put = async () =>
      outcomeOf(await gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body: [product] }))
    expect((await put()).data).toMatchObject({ updated_skus: ['A'] })
    await gateway.database.db
      .insertInto('attribute_definition')
      .values({ store_uuid: store, name: 'n0', type: 'text', pattern: slow, pattern_steps: 280 })
      .execute()
    const { reason } = await put()
    if (reason !== undefined) expect(reason).toBe('unavailable')
    await expect
      .poll(async () => (await put()).data, { timeout: 10_000 })
      .toMatchObject({
        failed_products: { A: { n0: expect.any(String) } },
      })
  })
})

describe('definitions that take long to compile', () => {
  const definitions = (n: number, seed: number) =>
    upTo(n, (i) => ({ name: `n${i}`, type: 'TEXT', pattern: `(a{0,${90 - (i % 9)}}){0,4}b${seed * 100 + i}` }))

  it('are compiled by another thread, all root fields together, dry runs too', { timeout: 60_000 }, async () => {
    const s = await storeWithProducts(gateway, [])
    const document = `mutation ($s: ID!, ${upTo(20, (i) => `$d${i}: [AttributeDefinitionInput!]!`).join(', ')}) {
      ${upTo(20, (i) => `a${i}: defineAttributes(storeUuid: $s, dryRun: true, definitions: $d${i}) { name }`).join(' ')} }`
    gateway.database.statements()
    const variables = Object.fromEntries(upTo(20, (i) => [`d${i}`, definitions(2, i)]))
    await gateway.data(document, { s, ...variables })
    expect(gateway.database.statements()).toBe(0)
  })

  it('are refused when they are too many for one request, and nothing is defined', async () => {
    const s = await storeWithProducts(gateway, [])
    const document =
      'mutation ($s: ID!, $d: [AttributeDefinitionInput!]!) { defineAttributes(storeUuid: $s, definitions: $d) { name } }'
    const { errors } = (await gateway.graphql(document, { s, d: definitions(2_000, 0) })) as GraphQLReply
    expect(errors?.[0]).toMatchObject({
      message: expect.stringMatching(/define simpler patterns/),
      extensions: { code: 'payload_too_large' },
    })
    expect(await gateway.data(`{ store(storeUuid: "${s}") { attributeDefinitions { name } } }`)).toEqual({
      store: { attributeDefinitions: [] },
    })
  })

  it('of a few short patterns are defined at once', async () => {
    const store = await storeWithProducts(gateway, [])
    gateway.database.statements()
    await define(gateway, store, [{ name: 'Size', type: 'TEXT', pattern: '[A-Z]{2}\\d+' }])
    expect(gateway.database.statements()).toBeGreaterThan(0)
  })
})

it('the stored values that violate a definition are found by another thread', async () => {
  const store = await storeWithPatterns()
  await gateway.data(`{ store(storeUuid: "${store}") { attributeDefinitions { violations { productCount } } } }`)
  expect(gateway.database.statements()).toBe(0)
})

it('the work is estimated from steps and characters', () => {
  const { steps = 0 } = programOf(slow)
  const definitions = [{ name: 'n', type: 'text' as const, allowedValues: null, maxLength: null, pattern: slow }]
  const most = workToCompile([slow]) + 100 * steps
  const count = (max: number) => () =>
    patternCounter(definitions, new PatternWork(max))({ n: 'a'.repeat(100), other: 'b' })
  expect(count(most)).not.toThrow()
  expect(count(most - 1)).toThrow(/have just changed/)
})
