import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createHub } from '../../src/live/hub.ts'
import { iterateChanges } from '../../src/live/iterate-changes.ts'
import { latestPosition } from '../../src/live/new-changes.ts'
import { createStreams } from '../../src/live/streams.ts'
import { addChange, itemsOf } from '../catalogue/changes/ledger-rows.ts'
import { useDatabase } from '../support/database/database.ts'
import { storeIn } from '../support/factories.ts'

const database = useDatabase()

it('a subscriber that reads nothing is cut when large changes wait', async () => {
  const { db, catalogue } = database
  const store = await storeIn(catalogue)
  const scopes = new Set(['read'] as const)
  const caller = { tokenId: 'id', tokenName: 'reader', scopes, viewer: { stores: undefined } }
  const stream = createStreams(async () => caller).open(caller, 'Bearer token')
  const feed = { stores: [store], filter: {}, after: await latestPosition(db, [store]) }
  const changes = await iterateChanges(createHub(db, pino({ level: 'silent' })), stream, feed)
  for (let i = 0; i < 30; i++) await addChange(db, { store, items: itemsOf(10_000, 'c') })
  await expect.poll(() => stream.isClosed).toBe(true)
  await expect(changes[Symbol.asyncIterator]().next()).rejects.toThrow('the stream is closed')
})
