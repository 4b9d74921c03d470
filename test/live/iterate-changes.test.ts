import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createHub } from '../../src/live/hub.ts'
import { iterateChanges } from '../../src/live/iterate-changes.ts'
import { latestPosition } from '../../src/live/new-changes.ts'
import { createStreams } from '../../src/live/streams.ts'
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
  await sql`insert into change (store_uuid, request_id, actor, via, operation, kind, action, codes, keys, was, count)
    select ${store}::uuid, 'r', 'a', 'rest', 'o', 'product', 'updated', array_fill('c'::text, array[10000]),
      array_fill('k'::text, array[10000]), array_fill(null::text, array[10000]), 1 from generate_series(1, 30)`.execute(
    db,
  )
  await expect.poll(() => stream.isClosed).toBe(true)
  await expect(changes[Symbol.asyncIterator]().next()).rejects.toThrow('the stream is closed')
})
