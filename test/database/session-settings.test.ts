import { type Kysely, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/database/connection/connect.ts'
import { withOwnConnection } from '../../src/database/connection/own-connection.ts'
import { openQueue } from '../../src/database/job-queue.ts'
import type { Database } from '../../src/database/tables.ts'
import { useDatabase } from '../support/database/database.ts'

const database = useDatabase()

const planning = `current_setting('jit') || ' ' || current_setting('max_parallel_workers_per_gather')`
const none = 'off 0'

/** Connects where the server compiles statements and plans parallel ones, as Debian's does. */
function connected(transactionPooling: boolean): Kysely<Database> {
  const options = '-c jit=on -c max_parallel_workers_per_gather=2'
  const db = connect({ ...database.direct, transactionPooling, options, max: 1 }, () => {})
  onTestFinished(() => db.destroy())
  return db
}

const answer = (db: Kysely<Database>) => sql<{ is: string }>`select ${sql.raw(planning)} as is`.execute(db)
const asked = async (db: Kysely<Database>) => (await answer(db)).rows[0]?.is

it.each([false, true])(
  'compiles no statements and plans no parallel ones, whatever the server is set to (transaction pooling: %s)',
  async (transactionPooling) => {
    const db = connected(transactionPooling)
    expect(await asked(db)).toBe(none)
    expect(await db.transaction().execute(asked)).toBe(none)
    const queue = await openQueue(db)
    expect((await queue.getDb().executeSql(`select ${planning} as is`)).rows).toEqual([{ is: none }])
  },
)

it('has the same settings on separate connections, and for COPY', async () => {
  await withOwnConnection(connected(false), async ({ db, copyOut }) => {
    expect(await asked(db)).toBe(none)
    await db.transaction().execute(async (transaction) => {
      expect(await asked(transaction)).toBe(none)
      const copied = await (await copyOut(`(select ${planning})`)).toArray()
      expect(Buffer.concat(copied).toString()).toBe(`${none}\n`)
    })
  })
})
