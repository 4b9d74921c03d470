import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { checkReadModel } from '../../../src/catalogue/asset-groups/check-read-model.ts'
import { valueFaults } from '../../support/database/value-faults.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { expected, resolved } from './expected.ts'
import type { Catalogue } from './model.ts'
import { operations } from './operations.ts'
import { perform as performGraphQL } from './over-graphql.ts'
import { perform as performRest } from './over-rest.ts'
import { modelState, storedAssets, visibleState } from './state.ts'

/** The same runs every time, unless the environment asks for others: PROPERTY_SEED=random PROPERTY_RUNS=10000. */
const numRuns = Number(process.env.PROPERTY_RUNS ?? 40)
const seed = process.env.PROPERTY_SEED === 'random' ? Date.now() | 0 : Number(process.env.PROPERTY_SEED ?? 20_261_121)
const msPerRun = 5_000

const gateway = useGateway()

it(
  'answers any sequence of operations, through either API, as the decisions say',
  async () => {
    const property = fc.asyncProperty(operations, async (sequence) => {
      await sql`truncate store, attribute_definition, product, asset, asset_link, asset_group, asset_group_range, asset_group_total,
        product_total, product_value, product_key, value_count, product_text`.execute(gateway.database.db)
      const catalogue: Catalogue = []
      for (const [i, named] of sequence.entries()) {
        const operation = resolved(catalogue, named)
        const perform = operation.api === 'rest' ? performRest : performGraphQL
        const answer = await perform(gateway, operation)
        expect(answer, `operation ${i}: ${JSON.stringify(operation)}`).toEqual(
          expected(catalogue, operation, answer, await storedAssets(gateway)),
        )
      }
      expect(await visibleState(gateway)).toEqual(modelState(catalogue))
      expect(await checkReadModel(gateway.database.db)).toEqual([])
      expect(await valueFaults(gateway.database)).toEqual([])
    })
    await fc.assert(property, {
      numRuns,
      seed,
      interruptAfterTimeLimit: numRuns * msPerRun - 10_000,
      endOnFailure: false,
    })
  },
  numRuns * msPerRun,
)
