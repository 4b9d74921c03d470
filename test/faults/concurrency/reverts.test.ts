import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkReadModel } from '../../../src/catalogue/check-read-model.ts'
import { type RevertAnswer, revert } from '../../catalogue/changes/revert-support.ts'
import { addAssets, newStore } from '../../support/factories.ts'
import { Random } from '../../support/random.ts'
import { onCitus, startTwoGateways, type TwoGateways } from './two-gateways.ts'

const rounds = Number(process.env.WRITERS_ROUNDS ?? (onCitus ? 2 : 6))
const seed = process.env.WRITERS_SEED === 'random' ? Date.now() | 0 : Number(process.env.WRITERS_SEED ?? 20_261_123)
const writers = 8
const codes = Array.from({ length: 6 }, (_, i) => `sku-${i}`)
const names = ['Color', 'Size', 'Weight']

let gateways: TwoGateways
beforeAll(async () => {
  gateways = await startTwoGateways()
})
afterAll(() => gateways.stop())

interface Item {
  requestId: string
  reverts: string | null
  was: string | null
}

/** The changes of each attribute in their order. */
async function chainsOf(store: string): Promise<Map<string, Item[]>> {
  const { rows } = await sql<Item & { code: string; key: string }>`
    select i.code, i.key, i.was, c.request_id as "requestId", c.reverts
    from change c cross join lateral unnest(c.codes, c.keys, c.was) as i(code, key, was)
    where c.store_uuid = ${store} and c.kind = 'product' and i.key is not null order by c.seq`.execute(
    gateways.gateway.database.db,
  )
  return Map.groupBy(rows, ({ code, key }) => `${code} ${key}`)
}

it(`${writers} writers and reverts of what they did lose nothing, and each policy holds (seed ${seed})`, {
  timeout: (onCitus ? 5 : 1) * (60_000 + rounds * 10_000),
}, async () => {
  const { gateway } = gateways
  const store = await newStore(gateway)
  const patches = codes.map((product_code) => ({ product_code, Color: 'first' }))
  await gateways.call(0, 'POST', `/products?store_uuid=${store}`, patches)
  const written = new Map<string, { code: string; attributes: Record<string, string> }>()
  const reverted: { request: string; policy: string; answer: RevertAnswer }[] = []
  let refused = 0
  const put = async (random: Random) => {
    const requestId = randomUUID()
    const [code = ''] = random.some(codes, 1)
    const attributes = Object.fromEntries(random.some(names, 2).map((name) => [name, `${requestId} ${name}`]))
    const { status } = await gateway.call(`/v1/products?store_uuid=${store}`, {
      method: 'PUT',
      headers: { 'X-Request-Id': requestId },
      body: [{ product_code: code, ...attributes }],
    })
    expect(status).toBe(200)
    written.set(requestId, { code, attributes })
  }
  const undo = async (random: Random) => {
    const recent = [...written.keys(), ...reverted.map(({ answer }) => answer.requestId)].slice(-20)
    const [request] = random.some(recent, 1)
    const policy = random.some(['SKIP', 'FAIL', 'OVERWRITE'] as const, 1)[0] ?? 'SKIP'
    if (request === undefined) return
    try {
      reverted.push({ request, policy, answer: await revert(gateway, store, request, { policy }) })
    } catch (error) {
      // Changed since, reverted already, or a revert that found nothing to change.
      expect(['not_revertible', 'request_not_found']).toContain((error as { code: string }).code)
      refused++
    }
  }
  const link = async (random: Random, writer: number) => {
    const id = `a-${writer}-${random.below(1_000_000)}`
    await addAssets(gateway, store, [[id, random.some(codes, 1)[0] ?? '']])
  }
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const random = new Random(seed + writer * 7_919)
      for (let i = 0; i < 5 * rounds; i++) {
        if (writer === 0) await link(random, writer)
        await (random.below(3) === 0 ? undo(random) : put(random))
      }
    }),
  )
  expect(await checkReadModel(gateway.database.db)).toEqual([])
  expect(reverted.length).toBeGreaterThan(rounds)
  expect(refused).toBeGreaterThan(0)

  const chains = await chainsOf(store)
  const { rows } = await sql<{ code: string; attributes: Record<string, string> }>`
    select product_code as code, attributes from product where store_uuid = ${store}`.execute(gateway.database.db)
  const present = new Map(rows.map(({ code, attributes }) => [code, attributes]))
  /** The value after a change is the one before the next. */
  const after = (code: string, name: string, at: number) => {
    const next = chains.get(`${code} ${name}`)?.[at + 1]
    return next ? next.was : (present.get(code)?.[name] ?? null)
  }
  for (const [requestId, { code, attributes }] of written) {
    for (const [name, value] of Object.entries(attributes)) {
      const at = chains.get(`${code} ${name}`)?.findIndex((item) => item.requestId === requestId) ?? -1
      expect(after(code, name, at)).toBe(value)
    }
  }
  for (const { request, policy, answer } of reverted) {
    if (policy === 'FAIL') expect(answer.skipped).toEqual([])
    for (const [place, chain] of chains) {
      const [code = '', name = ''] = place.split(' ')
      const from = chain.findIndex((item) => item.requestId === request)
      const to = chain.findIndex((item) => item.requestId === answer.requestId)
      if (to >= 0) {
        expect(chain[to]).toMatchObject({ reverts: request })
        expect(after(code, name, to)).toBe(chain[from]?.was)
        // What came between was reverted itself, up to the value that the request had left.
        const between = chain.slice(from + 1, to)
        if (policy !== 'OVERWRITE' && between.length > 0) {
          expect(between.at(-1)?.reverts).not.toBeNull()
          expect(chain[to]?.was).toBe(after(code, name, from))
        }
      }
      if (answer.skipped.some((item) => item.code === code && item.key === name)) {
        expect(chain.length).toBeGreaterThan(from + 1)
      }
    }
  }
})
