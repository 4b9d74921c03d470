import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { sql } from 'kysely'
import type { Client } from 'pg'
import { expect } from 'vitest'
import { projections } from '../../src/catalogue/projections/projections.ts'
import { applyChanged, buildNext } from '../../src/catalogue/projections/step.ts'
import type { NewRequirement } from '../../src/catalogue/readiness/requirements.ts'
import { productReadiness, type Readiness, setRequirements, storeReadiness } from '../catalogue/readiness/support.ts'
import { caughtUp } from '../support/caught-up.ts'
import { ask } from '../support/clients/operations.ts'
import { addAssets, addProducts, newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'
import { itHolds } from './property/play.ts'

const numRuns = Math.ceil(Number(process.env.PROPERTY_RUNS ?? 80) / 10)
const gateway = useGateway()
const channels = ['SMP', 'channel_value_1']

const noNullPrototype = true
const code = fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F')
const value = fc.constantFrom('', '  ', 'ab', 'abcdef', '12345678', 'ü𝒳')
const severity = fc.constantFrom('REQUIRED' as const, 'RECOMMENDED' as const)
const requirement: fc.Arbitrary<Omit<NewRequirement, 'code'>> = fc.oneof(
  fc.record(
    {
      kind: fc.constant('ATTRIBUTE' as const),
      attribute: fc.constantFrom('Color', 'Size'),
      minimum: fc.constantFrom(1, 2, 3),
      pattern: fc.constantFrom('[a-z]+', '\\d{8}', '..'),
      severity,
      whenAttribute: fc.constantFrom('Size', 'Type'),
    },
    { requiredKeys: ['kind', 'attribute'], noNullPrototype },
  ),
  fc.record(
    {
      kind: fc.constant('ASSET' as const),
      minimum: fc.constantFrom(1, 2),
      severity,
      whenAttribute: fc.constant('Color'),
      whenValues: fc.constantFrom<string[][]>(['ab'], ['ab', '']),
    },
    { requiredKeys: ['kind', 'whenAttribute'], noNullPrototype },
  ),
  fc.record({ kind: fc.constant('STATUS' as const), pattern: fc.constantFrom('active', 'active|new') }),
)
const channel = fc.constantFrom(...channels)
const asset = fc.constantFrom('x', 'y')
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('upsert' as const),
      code,
      status: fc.constantFrom('ACTIVE', 'NEW', 'DRAFT'),
      attributes: fc.record({ Color: value, Size: value, Type: value }, { requiredKeys: [], noNullPrototype }),
    }),
  },
  fc.record({ kind: fc.constant('delete' as const), code }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('link' as const), code, asset, channel }) },
  fc.record({ kind: fc.constant('delete asset' as const), asset }),
  fc.record({ kind: fc.constant('require' as const), channel, requirements: fc.array(requirement, { maxLength: 4 }) }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('follow' as const) }) },
  fc.record({ kind: fc.constant('build' as const) }),
  fc.record({ kind: fc.constantFrom('delay changes' as const, 'end the delay' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never
type Requirement = NewRequirement

itHolds(
  'counts what a brute force counts, whatever is written and required meanwhile',
  { numRuns, seed: 20_261_123 },
  fc.array(step, { minLength: 30, maxLength: 30 }),
  async (steps) => {
    const store = await newStore(gateway)
    const required = new Map<string, Requirement[]>()
    const slow = await gateway.database.client()
    for (const one of steps) await take(store, one, required, slow)
    const ended = sleep(20).then(() => slow.end())
    for (const [channel, requirements] of required) {
      const expected = await bruteForce(store, channel, requirements)
      const found = await followed(store, channel)
      expect(found.requirements.map(({ missing }) => missing)).toEqual(expected.missing)
      const { total, ready, gaps } = found
      expect({ total, ready, gaps: gaps.nodes.map(({ productCode }) => productCode) }).toEqual({
        total: expected.products.length,
        ready: expected.products.length - expected.blocked.length,
        gaps: expected.blocked,
      })
      const products = await productReadiness(gateway, store)
      for (const { code, lacks } of expected.products) {
        const own = products[code]?.find((readiness) => readiness.channel === channel)
        expect(
          own?.missing.map((missing) => missing.code),
          code,
        ).toEqual(lacks)
        expect(own?.ready, code).toBe(!expected.blocked.includes(code))
      }
    }
    await ended
  },
)

async function take(store: string, one: Step, required: Map<string, Requirement[]>, slow: Client): Promise<void> {
  switch (one.kind) {
    case 'upsert': {
      const { code: productCode, status, attributes } = one
      return addProducts(gateway, store, [{ productCode, status: status.toLowerCase(), attributes }])
    }
    case 'delete':
      await ask(gateway, 'deleteProducts', { storeUuid: store, productCodes: [one.code] })
      return
    case 'link':
      return addAssets(gateway, store, [[one.asset, one.code, { channel: one.channel }]])
    case 'delete asset':
      await gateway.call('/v1/assets', { method: 'DELETE', body: [{ store_uuid: store, asset_id: [one.asset] }] })
      return
    case 'require': {
      const requirements = one.requirements.map((given, i) => ({ ...given, code: `c${i}` }))
      expect((await setRequirements(gateway, store, one.channel, requirements)).errors).toBeUndefined()
      if (requirements.length > 0) required.set(one.channel, requirements)
      else required.delete(one.channel)
      return
    }
    case 'follow':
      await applyChanged(gateway.database.catalogue, projections, store, failed)
      return
    case 'build':
      await buildNext(gateway.database.catalogue, projections, store)
      return
    case 'delay changes':
      await slow.query('begin; select pg_current_xact_id()')
      return
    case 'end the delay':
      await slow.query('commit')
  }
}

function failed(projection: string, _store: string, error: unknown): void {
  throw new Error(`the projection ${projection} failed`, { cause: error })
}

/** The numbers once all changes are counted. The gateway follows them too. */
async function followed(store: string, channel: string): Promise<Readiness> {
  await caughtUp(gateway.database, store)
  const found = await storeReadiness(gateway, store, channel)
  if (!found || found.isCounting) throw new Error(`the numbers do not come: ${JSON.stringify(found)}`)
  return found
}

async function bruteForce(store: string, channel: string, requirements: readonly Requirement[]) {
  const { rows } = await sql<{ code: string; status: string; attributes: Record<string, string>; images: number }>`
    select product_code as code, status, attributes, (
      select count(*)::int from asset_link l join asset a using (store_uuid, asset_id)
      where store_uuid = ${store} and l.parent_code = p.product_code and l.channel = ${channel} and a.asset_format = 'image'
    ) as images
    from product p where store_uuid = ${store} order by product_code`.execute(gateway.database.db)
  const products = rows.map((row) => {
    const lacks = requirements.filter((one) => !isMet(one, row))
    return {
      code: row.code,
      lacks: lacks.map(({ code }) => code),
      isBlocked: lacks.some((one) => one.severity !== 'RECOMMENDED'),
    }
  })
  return {
    products,
    blocked: products.filter(({ isBlocked }) => isBlocked).map(({ code }) => code),
    missing: requirements.map(({ code }) => products.filter(({ lacks }) => lacks.includes(code)).length),
  }
}

function isMet(one: Requirement, row: { status: string; attributes: Record<string, string>; images: number }): boolean {
  const { kind, attribute, minimum, pattern, whenAttribute, whenValues } = one
  if (whenAttribute != null) {
    const held = row.attributes[whenAttribute]
    if (whenValues ? !whenValues.includes(held ?? 'none') : !held?.trim()) return true
  }
  const matches = (value: string, regex: string) => new RegExp(`^(?:${regex})$`, 'u').test(value)
  if (kind === 'ASSET') return row.images >= (minimum ?? 1)
  if (kind === 'STATUS') return matches(row.status, pattern ?? 'active')
  const held = row.attributes[attribute ?? '']
  if (held === undefined || held.trim() === '') return false
  return [...held].length >= (minimum ?? 1) && (pattern == null || matches(held, pattern))
}
