import { Agent } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Call, codeOf, send } from '../support/clients/http.ts'
import { newStore, storeWithAssets } from '../support/factories.ts'
import { Random } from '../support/random.ts'
import { token, useGateway } from '../support/servers/gateway.ts'
import { figure, isLong, seed } from './support/scale.ts'

const requests = isLong ? 200_000 : 1_500
const samples = 10
const inParallel = 16

const gateway = useGateway()
let store: string
beforeAll(async () => {
  store = await storeWithAssets(gateway, ['1 A', '2 B'])
})
afterAll(async () => {
  agent.destroy()
})

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

interface Sample {
  heap: number
  handles: number
  sessions: number
  statements: number
}

async function sample(): Promise<Sample> {
  for (let i = 0; i < 4; i++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const pool = gateway.database.pool()
  return {
    heap: process.memoryUsage().heapUsed / 1024 / 1024,
    handles: process.getActiveResourcesInfo().filter((name) => name !== 'Timeout').length,
    sessions: pool?.total ?? 0,
    statements: pool?.waiting ?? 0,
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: inParallel })
/** Connections that ended under a request: a machine that was held up closes idle ones late. */
let broken = 0
const call = (path: string, options: Call = {}) =>
  send(gateway.url + path, { token, agent, ...options }).catch((error: unknown) => {
    if (codeOf(error) !== 'ECONNRESET') throw error
    broken++
  })
const ask = (query: string) => call('/graphql', { method: 'POST', body: { query } })

/** Two of them make a request heavy. */
const large = 'x'.repeat(40_000)

/** One request of those that clients send, good and bad, chosen at random. */
function any(random: Random) {
  const code = `p${random.below(50)}`
  const products = `/v1/products?store_uuid=${store}`
  const choices = [
    () => call(`/v1/assets?store_uuid=${store}&limit=${1 + random.below(50)}`),
    () => call(`${products}&sku_codes=${code}`),
    () => call(products, { method: 'PUT', body: [{ product_code: code, Color: `${random.below(9)}` }] }),
    () => call(products, { method: 'POST', body: [{ product_code: code }] }),
    () => call(products, { method: 'PUT', body: 'nonsense' }),
    () => call('/v1/nowhere'),
    () => call('/v1/assets', { token: `wrong-${random.below(1_000_000)}` }),
    () => ask(`{ store(storeUuid: "${store}") { storeName products(first: 5) { totalCount } } }`),
    () =>
      call(products, {
        method: 'PUT',
        body: [
          { product_code: code, Large: large },
          { product_code: 'none', Large: large },
        ],
      }),
    () => ask(`{ alias${random.below(100)}: __typename }`),
    () =>
      call(products, {
        method: 'POST',
        body: [{ product_code: code }],
        headers: { 'idempotency-key': `${random.below(1_000)}` },
      }),
  ]
  return choices[random.below(choices.length)]?.()
}

/** The rise of a straight line through the values, per step. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const rise = values.reduce((sum, value, i) => sum + (i - middle) * (value - mean), 0)
  return rise / values.reduce((sum, _, i) => sum + (i - middle) ** 2, 0)
}

describe(`soak (seed ${seed})`, () => {
  it(`after ${requests} mixed requests memory, handles and sessions are what they were`, {
    timeout: 3_600_000,
  }, async () => {
    await newStore(gateway)
    const random = new Random(seed)
    const work = async (count: number) => {
      let left = count
      await Promise.all(
        Array.from({ length: inParallel }, async () => {
          while (left-- > 0) await any(random)
        }),
      )
    }
    await work(requests / 5) // code is compiled, caches and the pool fill
    const taken: Sample[] = [await sample()]
    for (let i = 0; i < samples; i++) {
      await work(requests / samples)
      taken.push(await sample())
      if (isLong) figure(13, `${i + 1} of ${samples}: heap ${taken.at(-1)?.heap.toFixed(2)} MB`)
    }
    const perHundredThousand = (slope(taken.map(({ heap }) => heap)) * 100_000) / (requests / samples)
    const [first, last] = [taken[0], taken.at(-1)]
    figure(
      13,
      `seed ${seed}: ${requests} requests: heap ${first?.heap.toFixed(1)} → ${last?.heap.toFixed(1)} MB (${perHundredThousand.toFixed(2)} MB per 100,000), handles ${first?.handles} → ${last?.handles}, sessions ${first?.sessions} → ${last?.sessions}, ${broken} connections broken`,
    )
    // A few thousand requests say nothing about a slope: there the whole rise is bounded.
    if (isLong) expect(perHundredThousand).toBeLessThan(0.5)
    expect((last?.heap ?? 0) - (first?.heap ?? 0)).toBeLessThan(10)
    expect(last?.handles ?? 0).toBeLessThanOrEqual((first?.handles ?? 0) + inParallel)
    expect(last?.sessions).toBeLessThanOrEqual(10)
    expect(last?.statements).toBe(0)
  })
})
