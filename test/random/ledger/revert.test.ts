import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import {
  countChanges,
  exportOf,
  revertChecked as revert,
  rowsOf,
  stateOf,
} from '../../catalogue/changes/revert-support.ts'
import { callerOf, withRequestId } from '../../support/clients/caller.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { operations } from '../property/operations.ts'
import { itHolds, play } from '../property/play.ts'

const numRuns = Number(process.env.PROPERTY_RUNS ?? 8)
const gateway = useGateway()
let requestId = ''
const calling = callerOf((path, call) => {
  requestId = randomUUID()
  return withRequestId(gateway, requestId).call(path, call)
})
let reverted = 0
let unchanged = 0

itHolds(
  'any request can be reverted, and the revert too: the store is as before, byte for byte',
  { numRuns, seed: 20_261_123 },
  operations,
  async (sequence) => {
    /** As the last step has left them. */
    const states = new Map<string, Awaited<ReturnType<typeof stateOf>>>()
    await play(gateway, sequence, {
      calling: { ...gateway, ...calling },
      before: async ({ stores }) => {
        for (const store of stores) states.set(store, states.get(store) ?? (await stateOf(gateway, store)))
        requestId = ''
      },
      after: async ({ operation, stores }) => {
        const sent = requestId
        for (const store of stores) {
          const { exported = '', ...before } = states.get(store) ?? {}
          const rows = await rowsOf(gateway, store)
          const isChanged = JSON.stringify(rows) !== JSON.stringify(before)
          const isRecorded = (await countChanges(gateway, store, sent)) > 0
          expect({ operation, isRecorded }).toEqual({ operation, isRecorded: isChanged })
          if (!isChanged) {
            // An export takes longer than the rows.
            if (unchanged++ % 10 === 0) expect(await exportOf(gateway, store)).toBe(exported)
            continue
          }
          reverted++
          const after = { ...rows, exported: await exportOf(gateway, store) }
          states.set(store, after)
          const undone = await revert(gateway, store, sent)
          const state = await stateOf(gateway, store)
          expect({ operation, undone, state }).toMatchObject({ undone: { skipped: [], more: 0 }, state: before })
          expect(state.exported).toBe(exported)
          await revert(gateway, store, undone.requestId)
          expect({ operation, state: await stateOf(gateway, store) }).toEqual({ operation, state: after })
        }
      },
    })
  },
  () => expect(reverted).toBeGreaterThan(numRuns),
)
