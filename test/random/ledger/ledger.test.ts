import fc from 'fast-check'
import { expect } from 'vitest'
import { checkReadModel } from '../../../src/catalogue/check-read-model.ts'
import { fallbackEnumerations } from '../../../src/catalogue/enumerations.ts'
import { importFile } from '../../../src/import/import-file.ts'
import { importRequest } from '../../../src/import/options.ts'
import { attempt } from '../../support/clients/operations.ts'
import { changesOf } from '../../support/database/changes.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { operations } from '../property/operations.ts'
import { itHolds, play } from '../property/play.ts'
import { code, definition, fewOf, status, value } from '../property/values.ts'
import { expectProductsAt, type Moment, momentOf } from './moments.ts'
import { readState, type State, undo } from './state.ts'

const numRuns = Math.ceil(Number(process.env.PROPERTY_RUNS ?? 40) / 6)
const gateway = useGateway()

/** What the operations of the other test lack, in the first store. */
type More =
  | { kind: 'import'; rows: Record<string, unknown>[]; isDryRun: boolean }
  | { kind: 'updateStore'; input: Record<string, unknown> }
  | { kind: 'removeDefinitions'; names: string[] }
  | { kind: 'putOnce'; code: string; value: string }
  | { kind: 'severalFields'; code: string; fails: boolean }
  | { kind: 'revert'; nth: number }

const row = fc.record(
  {
    sku: code,
    status,
    Color: fc.constantFrom('red', 'blue', ''),
    Size: value,
    images: fc.constantFrom('https://e.x/a', 'https://e.x/a,https://e.x/b', 'https://e.x/x', 'no url'),
  },
  { requiredKeys: ['sku'], noNullPrototype: true },
)
const more: fc.Arbitrary<More> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('import' as const), rows: fewOf(row, 8), isDryRun: fc.boolean() }),
  },
  fc.record({
    kind: fc.constant('updateStore' as const),
    input: fc.record(
      {
        storeName: fc.constantFrom('Shop', 'Store'),
        region: fc.constantFrom([], ['Europe'], ['Asia', 'Europe']),
        storeWebsite: fc.constantFrom(null, 'https://shop.example'),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  }),
  fc.record({
    kind: fc.constant('removeDefinitions' as const),
    names: fewOf(
      definition.map(({ name }) => name),
      3,
    ),
  }),
  fc.record({ kind: fc.constant('putOnce' as const), code, value: fc.constantFrom('1', '2') }),
  fc.record({ kind: fc.constant('severalFields' as const), code, fails: fc.boolean() }),
  fc.record({ kind: fc.constant('revert' as const), nth: fc.nat(50) }),
)
const steps = fc.tuple(operations, fc.array(more, { minLength: 50, maxLength: 50, size: 'max' }))

let [runs, compared] = [0, 0]
itHolds(
  'holds what every write changed: each state before is found again, and each product as it was at every step',
  { numRuns, seed: 20_261_121 },
  steps,
  async ([sequence, others]) => {
    let before: State = new Map()
    const moments: Moment[] = []
    const seen = new Map<string, number>()
    const check = async (what: string, mayChange: boolean) => {
      const after = await readState(gateway.database)
      const rebuilt: State = structuredClone(after)
      let changes = 0
      for (const store of after.keys()) {
        const items = await changesOf(gateway.database, store)
        const added = items.slice(seen.get(store) ?? 0)
        seen.set(store, items.length)
        changes += added.length
        undo(rebuilt, store, added)
      }
      expect(rebuilt, what).toEqual(before)
      expect(await checkReadModel(gateway.database.db), what).toEqual([])
      if (!mayChange) expect(changes, what).toBe(0)
      before = after
      // Where nothing is recorded, each answer would be that of the moment before.
      if (changes > 0) moments.push(await momentOf(after))
    }
    await play(gateway, sequence, {
      after: async ({ number, operation }) => {
        await check(`operation ${number}: ${JSON.stringify(operation)}`, operation.dryRun !== true)
        const other = others[number]
        const [store] = before.keys()
        if (!other || !store || number < 2) return
        await doMore(store, other, number)
        const isDryRun = 'isDryRun' in other && other.isDryRun
        await check(`after operation ${number}: ${JSON.stringify(other)}`, !isDryRun)
      },
    })
    runs++
    compared += await expectProductsAt(gateway, moments)
    const empty: State = structuredClone(before)
    for (const store of before.keys()) undo(empty, store, await changesOf(gateway.database, store))
    expect(empty).toEqual(new Map())
  },
  () => {
    expect(runs).toBeGreaterThan(0)
    expect(compared).toBeGreaterThan(100 * runs)
  },
)

async function doMore(store: string, other: More, i: number): Promise<void> {
  const url = `/v1/products?store_uuid=${store}`
  switch (other.kind) {
    case 'import': {
      const lines = async function* () {
        for (const row of other.rows) yield Buffer.from(`${JSON.stringify(row)}\n`)
      }
      const options = { store, chunkRows: 3, code: 'sku', assets: ['images'], dryRun: other.isDryRun }
      const origin = { requestId: `import ${i}`, actor: 'a test', via: 'cli', operation: 'import' } as const
      const work = { enumerations: fallbackEnumerations, origin, signal: new AbortController().signal }
      // Rows without the column of the images are a usage error.
      const request = { ...importRequest('rows.jsonl', options), storeUuid: store }
      await importFile(gateway.database.db, lines(), request, work).catch(() => {})
      return
    }
    case 'updateStore':
      await attempt(gateway, 'updateStore', { storeUuid: store, input: other.input })
      return
    case 'removeDefinitions':
      await attempt(gateway, 'removeAttributeDefinitions', { storeUuid: store, names: other.names })
      return
    case 'putOnce': {
      const headers = { 'Idempotency-Key': `key ${i} ${store}` }
      const body = [{ product_code: other.code, Color: other.value }]
      await gateway.call(url, { method: 'PUT', body, headers })
      await gateway.call(url, { method: 'PUT', body: [{ product_code: other.code, Color: 'other' }] })
      await gateway.call(url, { method: 'PUT', body, headers })
      return
    }
    case 'severalFields': {
      const fields = `
        a: upsertProducts(storeUuid: $store, products: [{ productCode: $code, attributes: { Color: "black" } }]) { storeUuid }
        b: updateProducts(storeUuid: $store, products: [{ productCode: $code, attributes: { Color: "white" } }]) { storeUuid }
        c: deleteProducts(storeUuid: $store, productCodes: [$code], dryRun: ${other.fails}) { storeUuid }`
      await gateway.graphql(`mutation ($store: ID!, $code: String!) { ${fields} }`, { store, code: other.code })
      return
    }
    case 'revert': {
      const items = await changesOf(gateway.database, store)
      const requestId = items[other.nth % Math.max(items.length, 1)]?.requestId
      const args = { storeUuid: store, requestId, ifChangedSince: 'SKIP' }
      if (requestId !== undefined) await attempt(gateway, 'revertRequest', args, '{ requestId }')
    }
  }
}
