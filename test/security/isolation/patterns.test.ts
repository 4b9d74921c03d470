import { describe, expect, it } from 'vitest'
import { type PatternTask, runPatterns, runTasks } from '../../../src/catalogue/attributes/patterns.ts'
import { ask, attempt } from '../../support/clients/operations.ts'
import { callRest, restData } from '../../support/clients/rest-client.ts'
import { define, storeWithProducts } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { times } from './attacker.ts'

const gateway = useGateway()
/** Takes as many steps for each character as its program has, and long ones. */
const slow = '(?i)(?:[ab]*a[ab]{25}\\pL){9}'
const names = times(20, (i) => `n${i}`)
const value = (i: number) => {
  let random = i + 1
  const characters = times(800, () => {
    random = (random * 48_271) % 2_147_483_647
    return random > 1_073_741_823 ? 'a' : 'b'
  })
  return `${characters.join('')}!`
}
const product = { product_code: 'A', ...Object.fromEntries(names.map((name, i) => [name, value(i)])) }

/**
 * Which part of the process's computing during the work was done by its main thread, which is also that of this test.
 * A busy machine takes longer for all of it.
 */
async function partOfMainThread(work: () => Promise<unknown>): Promise<number> {
  const before = [process.threadCpuUsage(), process.cpuUsage()] as const
  await work()
  const [thread, all] = [process.threadCpuUsage(before[0]), process.cpuUsage(before[1])]
  return (thread.user + thread.system) / (all.user + all.system)
}

async function storeWithPatterns(): Promise<string> {
  const store = await storeWithProducts(gateway, ['A'])
  await define(
    gateway,
    store,
    names.map((name) => ({ name, type: 'TEXT', pattern: slow })),
  )
  return store
}

const update = (fields: (i: number) => string, count: number) =>
  `mutation ($s: ID!, $p: [ProductPatch!]!) { ${times(count, (i) => `a${i}: ${fields(i)}`).join(' ')} }`

describe('values that take long to match with patterns', () => {
  it('do not block the others, in a body of 16 KB', async () => {
    const store = await storeWithPatterns()
    let answer: unknown
    const part = await partOfMainThread(async () => {
      answer = await restData(gateway, `PUT /products?store_uuid=${store}`, [product])
    })
    expect(answer).toMatchObject({ failed_products: { A: { n19: expect.stringMatching(/^must match/) } } })
    expect(part).toBeLessThan(0.3) // 0.05 to 0.16; 0.76 without a thread of patterns
  })

  it('are counted together for all root fields', async () => {
    const store = await storeWithPatterns()
    const field = 'updateProducts(storeUuid: $s, products: $p) { failedProducts { productCode } }'
    const p = [{ productCode: 'A', attributes: Object.fromEntries(names.map((name, i) => [name, value(i)])) }]
    const { data, errors } = await gateway.graphql(
      update(() => field, 6),
      { s: store, p },
    )
    expect(errors?.[0]).toMatchObject({ path: ['a3'], extensions: { code: 'payload_too_large' } })
    expect(data).toBeNull()
  })

  it('are refused with what to do when they are too much for one request', async () => {
    const store = await storeWithPatterns()
    const many = times(6, (i) => ({
      product_code: `p${i}`,
      ...Object.fromEntries(names.map((name, j) => [name, value(100 * i + j)])),
    }))
    for (const method of ['PUT', 'POST']) {
      const { reason, entries } = await callRest(gateway, `${method} /products?store_uuid=${store}`, many)
      expect([reason, entries?.[0]?.details]).toEqual([
        'payload_too_large',
        expect.stringMatching(/at most 20000000 steps.*these take more: send fewer or shorter values/),
      ])
    }
  })
})

describe('definitions that take long to compile', () => {
  const definitions = (n: number, seed: number) =>
    times(n, (i) => ({ name: `n${i}`, type: 'TEXT', pattern: `(a{0,${90 - (i % 9)}}){0,4}b${seed * 100 + i}` }))

  it('are refused when they are too many for one request, and nothing is defined', async () => {
    const storeUuid = await storeWithProducts(gateway, [])
    const refused = await attempt(gateway, 'defineAttributes', { storeUuid, definitions: definitions(2_000, 0) })
    const details = expect.stringMatching(/define simpler patterns/)
    expect(refused).toMatchObject({ reason: 'payload_too_large', entries: [{ details }] })
    const found = await ask(gateway, 'store', { storeUuid }, '{ attributeDefinitions { name } }')
    expect(found).toEqual({ attributeDefinitions: [] })
  })
})

it('the stored values that violate a definition are found without blocking the others', async () => {
  const store = await storeWithProducts(gateway, ['A'])
  await restData(gateway, `PUT /products?store_uuid=${store}`, [product])
  const definitions = names.map((name) => ({ name, type: 'TEXT', pattern: slow }))
  await define(gateway, store, definitions)
  let answer: unknown
  const part = await partOfMainThread(async () => {
    answer = await ask(
      gateway,
      'store',
      { storeUuid: store },
      '{ attributeDefinitions { violations { productCount } } }',
    )
  })
  expect(answer).toEqual({ attributeDefinitions: names.map(() => ({ violations: { productCount: 1 } })) })
  expect(part).toBeLessThan(0.3) // 0.05 to 0.13; 0.6 without a thread of patterns
})

describe('work of patterns', () => {
  const short = { pattern: '[A-Z]{2}\\d+', values: ['AB12', 'ab12'] }
  const inThread = async (tasks: readonly PatternTask[]) => {
    const text = 'an error of a definition: what was asked for was done by the other thread'
    return tasks.map(() => ({ fault: text, mismatches: [] }))
  }

  it('is done at once where it is little, and by the other thread where it is much', async () => {
    const run = (tasks: readonly PatternTask[]) => runTasks({ runHeavy: inThread, work: 0 }, tasks)
    expect(await run([short])).toEqual([{ fault: undefined, mismatches: ['ab12'] }])
    const [long] = await run([{ pattern: slow, values: [value(0)] }])
    expect(long?.fault).toMatch(/other thread/)
    const wide = times(2, (i) => ({ pattern: `[${'a'.repeat(9_000 + i)}]`, values: [] }))
    expect((await run(wide))[0]?.fault).toMatch(/other thread/)
    expect((await run(times(10, (i) => ({ pattern: `${slow}${i}`, values: [] }))))[0]?.fault).toMatch(/other thread/)
  })

  it('is the same in either thread', async () => {
    const tasks = [short, { pattern: '(', values: ['x'] }, { pattern: 'a{0,1000}{0,1000}', values: [] }]
    const results = await runPatterns(tasks)
    expect(results.map(({ mismatches }) => mismatches)).toEqual([['ab12'], ['x'], []])
    expect(results.map(({ fault }) => fault)).toEqual([
      undefined,
      expect.stringMatching(/^must be in RE2 syntax/),
      expect.stringMatching(/^must (have at most 1000 steps|be in RE2 syntax)/),
    ])
  })
})
