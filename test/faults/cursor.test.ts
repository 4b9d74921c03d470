import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { wholeCatalogue } from '../../src/catalogue/catalogue.ts'
import { listChanges } from '../../src/catalogue/changes/list-changes.ts'
import { rolledBackIf } from '../../src/catalogue/transaction.ts'
import { connect } from '../../src/database/connection/connect.ts'
import { migrate } from '../../src/database/migrate.ts'
import { startEmbedded } from '../../src/embedded-postgres/embedded-postgres.ts'
import { addChange } from '../catalogue/changes/ledger-rows.ts'
import { storeIn } from '../support/factories.ts'

it('a cursor at the end of the feed skips no change after a crash that repeats transaction ids', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'catalogue-cursor-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const binDir = process.env.TEST_POSTGRES_BIN
  const server = await startEmbedded({ dataDir, ...(binDir && { binDir }) })
  onTestFinished(server.stop)
  const connection = { ...server.connection, database: 'postgres' }
  let db = connect(connection, () => {})
  onTestFinished(() => db.destroy())
  await migrate(db)
  const store = await storeIn(wholeCatalogue(db))
  const read = async (after?: string | null) => listChanges(wholeCatalogue(db), store, {}, { after, limit: 10 })
  const assignNumbers = async () => {
    for (let i = 0; i < 100; i++) {
      await rolledBackIf(wholeCatalogue(db), true, async (dryRun) =>
        sql`select pg_current_xact_id()`.execute(dryRun.db),
      )
    }
  }
  const first = await addChange(db, { store, requestId: 'before' })
  // The WAL of transactions that are rolled back stays in memory.
  await sql`alter system set wal_writer_delay = '10s'`.execute(db)
  await sql`select pg_reload_conf()`.execute(db)
  await expect
    .poll(async () => (await sql`show wal_writer_delay`.execute(db)).rows)
    .toEqual([{ wal_writer_delay: '10s' }])
  await sql`checkpoint`.execute(db)
  await assignNumbers()
  const cursors = [(await read('latest')).next, (await read()).next]
  await db.destroy()
  process.kill(Number.parseInt(await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8'), 10), 'SIGKILL')
  db = connect(connection, () => {})
  const add = () => addChange(db, { store, requestId: 'after' }).catch(() => undefined)
  let added: Awaited<ReturnType<typeof add>>
  await expect.poll(async () => (added = await add())).toBeDefined()
  expect(BigInt(added?.tx ?? 0) - BigInt(first.tx)).toBeLessThan(100n)
  await assignNumbers()
  for (const after of cursors) {
    const { changes } = await read(after)
    expect(changes.map(({ requestId }) => requestId)).toEqual(['after'])
  }
})
