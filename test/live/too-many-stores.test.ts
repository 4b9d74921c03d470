import type { KyselyPlugin } from 'kysely'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { createHub } from '../../src/live/hub.ts'
import type { Listener } from '../../src/live/listener.ts'
import { latestPosition } from '../../src/live/new-changes.ts'
import { settled } from '../support/database/changes.ts'
import { useDatabase } from '../support/database/database.ts'
import { storeIn } from '../support/factories.ts'

const database = useDatabase()

async function createStores(count: number): Promise<void> {
  const origin = { requestId: 'r', actor: 'test', via: 'rest', operation: 'createStore' } as const
  for (let i = 0; i < count; i++) await storeIn({ ...database.catalogue, origin })
  await settled(database)
}

/** A listener of all stores from now on, how many changes it receives, and whether it is ended. */
async function listen(db = database.db) {
  const hub = createHub(db, pino({ level: 'silent' }))
  const state = { received: 0, isEnded: false }
  const listener: Listener = {
    ...{ stores: undefined, filter: {}, share: { tenant: 't', tokenId: 'i' } },
    ...{ ready: () => undefined, reached: () => {} },
    notify: (changes) => {
      state.received += changes.length
    },
    cut: () => {
      state.isEnded = true
    },
  }
  onTestFinished(() => hub.leave(listener))
  hub.listen(listener, await hub.read(undefined, await latestPosition(db, undefined)))
  return state
}

it('a stream of all stores ends when they are too many, also if they could not be counted at first', async () => {
  let isFailing = false
  const failing: KyselyPlugin = {
    transformQuery: ({ node }) => {
      const text = node.kind === 'RawNode' ? node.sqlFragments.join('') : ''
      if (isFailing && text.includes('from store where')) throw new Error('the stores cannot be counted')
      return node
    },
    transformResult: async ({ result }) => result,
  }
  await createStores(1)
  const state = await listen(database.db.withPlugin(failing))
  await createStores(1)
  await expect.poll(() => state.received).toBe(1)
  isFailing = true
  await createStores(100)
  await expect.poll(() => state.received).toBe(101)
  expect(state.isEnded).toBe(false)
  isFailing = false
  await expect.poll(() => state.isEnded).toBe(true)
})

it('a stream of all stores ends when they have become too many while it was catching up', async () => {
  await createStores(101)
  const state = await listen()
  await expect.poll(() => state.isEnded).toBe(true)
})
