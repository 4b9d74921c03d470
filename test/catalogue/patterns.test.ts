import { describe, expect, it } from 'vitest'
import { patternFault } from '../../src/catalogue/attributes/patterns.ts'
import { ask, attempt } from '../support/clients/operations.ts'
import { restData } from '../support/clients/rest-client.ts'
import { cpuMsOf } from '../support/cpu-time.ts'
import { define, productOf, storeWithProducts } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

describe('a pattern', () => {
  it('has at most 1,000 steps, which are estimated before it is compiled', () => {
    const good = ['[A-Z]{2}-[0-9]+', '[0-9]{10}-[0-9]{10}-[A-Z]{10}', '[]a]{5}(?P<name>ab){3}', '(a{0,100}){0,4}b']
    for (const pattern of good) expect(patternFault(pattern), pattern).toBeUndefined()
    const bad = ['(a{0,100}){0,9}b', '[ab]*a[ab]{1000}c', '((a?){30}){30}b', 'a{0,1000}'.repeat(590), 'ab'.repeat(600)]
    for (const pattern of bad) expect(patternFault(pattern), pattern).toMatch(/at most 1000 steps/)
    const msOf = (repeated: number) => cpuMsOf(() => patternFault(`a{0,${repeated}}`.repeat(500)))
    expect(msOf(1_000)).toBeLessThan(3 * msOf(10) + 50)
  })

  it('has at most 10,000 characters: one step may be a class of many', () => {
    const classOf = (length: number) => `[${'a'.repeat(length - 2)}]`
    expect(patternFault(classOf(10_000))).toBeUndefined()
    expect(patternFault(classOf(10_001))).toBe('must have at most 10000 characters; got 10001')
  })

  it('is measured in time that grows with its length, whatever it leaves open', () => {
    const measureAll = (length: number) => {
      for (const part of ['\\a', '[', '[^]', '[:a', '(?', '\\Q', '\\p{', '{1', '\\']) {
        const pattern = `[${part.repeat(length)}`.slice(0, length)
        expect(patternFault(pattern), part).toBeDefined()
        patternFault(pattern.slice(1))
      }
    }
    const ofHalf = cpuMsOf(() => measureAll(5_000))
    expect(cpuMsOf(() => measureAll(10_000))).toBeLessThan(3 * ofHalf + 50)
  })

  it('of more steps is refused, and defines nothing', async () => {
    const store = await storeWithProducts(gateway, ['A'])
    const definitions = [{ name: 'Slow', type: 'TEXT', pattern: '(a{0,100}){0,9}b' }]
    const refused = await attempt(gateway, 'defineAttributes', { storeUuid: store, definitions })
    expect(refused.reason).toBe('invalid_request')
    const found = await ask(gateway, 'store', { storeUuid: store }, '{ attributeDefinitions { name } }')
    expect(found).toEqual({ attributeDefinitions: [] })
  })

  it('holds for values of at most 4,096 characters, of fewer if it has many steps', async () => {
    const store = await storeWithProducts(gateway, ['A'])
    await define(gateway, store, [
      { name: 'Short', type: 'TEXT', pattern: 'a+' },
      { name: 'Long', type: 'TEXT', pattern: '[ab]*a[ab]{900}c' },
    ])
    const put = async (item: Record<string, string>) => {
      const body = [{ product_code: 'A', ...item }]
      return (await restData(gateway, `PUT /products?store_uuid=${store}`, body)).failed_products
    }
    const most = (characters: number) => expect.stringContaining(`at most ${characters} characters`)
    expect(await put({ Short: 'a'.repeat(4_096) })).toEqual({})
    expect(await put({ Short: 'a'.repeat(4_097) })).toMatchObject({ A: { Short: most(4_096) } })
    expect(await put({ Long: 'a'.repeat(300) })).toMatchObject({ A: { Long: most(276) } })
    expect((await productOf(gateway, store, 'A'))?.attributes).toEqual({ Short: 'a'.repeat(4_096) })
  })

  it('does not keep other requests waiting while many values are matched', async () => {
    const store = await storeWithProducts(gateway, ['A'])
    await define(
      gateway,
      store,
      [...'abcdefgh'].map((name) => ({ name, type: 'TEXT', pattern: '[ab]*a[ab]{900}c' })),
    )
    const value = Array.from({ length: 270 }, (_, i) => 'ab'[(i * i) % 2]).join('')
    const values = Object.fromEntries([...'abcdefgh'].map((name) => [name, value]))
    const body = Array.from({ length: 20 }, (_, i) => ({ product_code: `p${i}`, ...values }))
    // The CPU time that the thread has used between two turns of the event loop.
    let longest = 0
    let last = process.threadCpuUsage()
    const ticking = setInterval(() => {
      const { user, system } = process.threadCpuUsage(last)
      longest = Math.max(longest, (user + system) / 1_000)
      last = process.threadCpuUsage()
    }, 5)
    await restData(gateway, `PUT /products?store_uuid=${store}`, body)
    clearInterval(ticking)
    expect(longest).toBeLessThan(1_000)
  })
})
