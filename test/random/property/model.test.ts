import { expect } from 'vitest'
import { checkReadModel } from '../../../src/catalogue/check-read-model.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { operations } from './operations.ts'
import { itHolds, play } from './play.ts'
import { modelState, visibleState } from './state.ts'

const numRuns = Number(process.env.PROPERTY_RUNS ?? 40)
const gateway = useGateway()

itHolds(
  'answers any sequence of operations, through either API, as the decisions say',
  { numRuns, seed: 20_261_121, shrinks: true },
  operations,
  async (sequence) => {
    const catalogue = await play(gateway, sequence, {
      after: async ({ number, operation, answer, modelled }) => {
        expect(answer, `operation ${number}: ${JSON.stringify(operation)}`).toEqual(modelled)
      },
    })
    expect(await visibleState(gateway)).toEqual(modelState(catalogue))
    expect(await checkReadModel(gateway.database.db)).toEqual([])
  },
)
