import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { expected, resolved } from '../../random/property/expected.ts'
import type { Catalogue } from '../../random/property/model.ts'
import { operations } from '../../random/property/operations.ts'
import { perform as performGraphQL } from '../../random/property/over-graphql.ts'
import { perform as performRest } from '../../random/property/over-rest.ts'
import { storedAssets } from '../../random/property/state.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { countChanges, revertChecked as revert, stateOf, withRequestIds } from './revert-support.ts'

const numRuns = Number(process.env.PROPERTY_RUNS ?? 8)
const seed = process.env.PROPERTY_SEED === 'random' ? Date.now() | 0 : Number(process.env.PROPERTY_SEED ?? 20_261_123)
const msPerRun = 10_000

const gateway = useGateway()

it(
  'any request can be reverted, and the revert too: the store is as before, byte for byte',
  async () => {
    const named = withRequestIds(gateway)
    const calling = { ...gateway, ...named }
    let reverted = 0
    const property = fc.asyncProperty(operations, async (sequence) => {
      await sql`truncate store, attribute_definition, product, asset, asset_link, asset_group, asset_group_range,
        asset_group_total, product_total, change, product_value, product_key, value_count, product_text`.execute(
        gateway.database.db,
      )
      const catalogue: Catalogue = []
      for (const given of sequence) {
        const operation = resolved(catalogue, given)
        const stores = catalogue.map((store) => store.storeUuid)
        const before = await Promise.all(stores.map((store) => stateOf(gateway, store)))
        named.id = ''
        const perform = operation.api === 'rest' ? performRest : performGraphQL
        const answer = await perform(calling, operation)
        expected(catalogue, operation, answer, await storedAssets(gateway))
        const requestId = named.id
        for (const [i, store] of stores.entries()) {
          const after = await stateOf(gateway, store)
          const isChanged = JSON.stringify(after) !== JSON.stringify(before[i])
          expect({ operation, isRecorded: (await countChanges(gateway, store, requestId)) > 0 }).toEqual({
            operation,
            isRecorded: isChanged,
          })
          if (!isChanged) continue
          reverted++
          const undone = await revert(gateway, store, requestId)
          const restored = await stateOf(gateway, store)
          expect({ operation, undone, state: restored }).toMatchObject({
            undone: { skipped: [], more: 0 },
            state: before[i],
          })
          expect(restored.exported).toBe(before[i]?.exported)
          await revert(gateway, store, undone.requestId)
          expect({ operation, state: await stateOf(gateway, store) }).toEqual({ operation, state: after })
        }
      }
    })
    await fc.assert(property, {
      numRuns,
      seed,
      interruptAfterTimeLimit: numRuns * msPerRun - 10_000,
      endOnFailure: true,
    })
    expect(reverted).toBeGreaterThan(numRuns)
  },
  numRuns * msPerRun,
)
