import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { startMaintenance } from '../../../src/app/maintenance.ts'
import { addChangeDays, dropChangeDays } from '../../../src/database/ledger.ts'
import { changesOf } from '../../support/database/changes.ts'
import { createTestDatabase, useDatabase } from '../../support/database/database.ts'
import { newStore, storeIn } from '../../support/factories.ts'
import { startTestGateway } from '../../support/servers/gateway.ts'
import { addChange } from './ledger-rows.ts'

const database = useDatabase({}, 'each')
const dayMs = 86_400_000

const days = async () => {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on oid = inhrelid
    where inhparent = 'change'::regclass order by relname`.execute(database.db)
  return rows.map(({ name }) => name)
}
const nameOf = (ms: number) => `change_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`

/** A change as of some days ago, in a partition of its own. */
async function change(daysAgo: number, store: string): Promise<void> {
  const day = new Date(Math.floor((Date.now() - daysAgo * dayMs) / dayMs) * dayMs)
  const name = nameOf(day.getTime())
  if (!(await days()).includes(name)) {
    const until = new Date(day.getTime() + dayMs)
    await sql`create table ${sql.table(name)} partition of change
      for values from (${sql.lit(day.toISOString())}) to (${sql.lit(until.toISOString())})`.execute(database.db)
  }
  await addChange(database.db, { store, at: day.toISOString(), requestId: `${daysAgo} days ago` })
}

it('there are partitions for the days to come, also after days without any', async () => {
  const today = Date.now()
  const expected = Array.from({ length: 8 }, (_, i) => nameOf(today + i * dayMs))
  // The database may have been made before midnight.
  const made = (await days()).includes(nameOf(today - dayMs)) ? expected.slice(1, -1) : expected.slice(1)
  expect(await days()).toEqual(expect.arrayContaining(made))
  for (const name of (await days()).slice(2)) await sql`drop table ${sql.table(name)}`.execute(database.db)
  await Promise.all([addChangeDays(database.db), addChangeDays(database.db)])
  expect(await days()).toEqual(expect.arrayContaining(expected.slice(1)))
  const { rows } = await sql<{ indexes: number }>`
    select count(*)::int as indexes from pg_index i join pg_inherits on inhrelid = i.indrelid
    where inhparent = 'change'::regclass group by i.indrelid`.execute(database.db)
  expect(new Set(rows.map(({ indexes }) => indexes)).size).toBe(1)
  const { rows: storage } = await sql<{ storage: string }>`
    select distinct attstorage as storage from pg_attribute join pg_inherits on inhrelid = attrelid
    where inhparent = 'change'::regclass and attname in ('codes', 'keys', 'was')`.execute(database.db)
  expect(storage).toEqual([{ storage: 'e' }])
})

it('a gateway listens once the ledger has the days that were added in vain during a long stop', async () => {
  for (const name of await days()) await sql`drop table ${sql.table(name)}`.execute(database.db)
  const holder = await database.client()
  await holder.query('select pg_advisory_lock(4011850362)')
  let isListening = false
  const starting = startTestGateway({ database }).finally(() => {
    isListening = true
  })
  await expect.poll(database.lockWaiters).toBeGreaterThan(0)
  expect(isListening).toBe(false)
  await holder.end()
  const gateway = await starting
  await newStore(gateway)
  await gateway.stop()
})

it('days past the retention are dropped, and the horizon is their last change', async () => {
  const store = await storeIn(database.catalogue)
  for (const daysAgo of [12, 11, 10, 9, 0]) await change(daysAgo, store)
  const { rows } = await sql<{ tx: string; seq: string }>`
    select tx, seq from change where request_id = '11 days ago'`.execute(database.db)
  await dropChangeDays(database.db, 10 * dayMs)
  expect((await changesOf(database, store)).map(({ requestId }) => requestId)).toEqual([
    '10 days ago',
    '9 days ago',
    '0 days ago',
  ])
  const horizon = await sql`select tx, seq from change_horizon`.execute(database.db)
  expect(horizon.rows).toEqual(rows)
  await dropChangeDays(database.db, 10 * dayMs)
  expect((await sql`select tx, seq from change_horizon`.execute(database.db)).rows).toEqual(rows)
})

it('the horizon does not move to changes of a store that was restored beside others', async () => {
  const [store, restored] = [await storeIn(database.catalogue), await storeIn(database.catalogue)]
  await change(12, store)
  const { rows } = await sql`select tx, seq from change`.execute(database.db)
  await database.db.transaction().execute(async (transaction) => {
    const at = new Date(Date.now() - 12 * dayMs).toISOString()
    await sql`select take_over_changes(${restored}, ${at})`.execute(transaction)
    await addChange(transaction, { store: restored, at })
  })
  await dropChangeDays(database.db, 10 * dayMs)
  expect(await changesOf(database, restored)).toEqual([])
  expect((await sql`select tx, seq from change_horizon`.execute(database.db)).rows).toEqual(rows)
})

it('a writer that holds the ledger for long keeps its days, and waits for nobody', async () => {
  const store = await storeIn(database.catalogue)
  await change(12, store)
  const writer = await database.client()
  await writer.query('begin')
  await writer.query(
    `insert into change (store_uuid, request_id, actor, via, operation, kind, action, codes, keys, was, count)
      values ($1, 'open', 'a', 'rest', 'o', 'store', 'created', '{""}', '{null}', '{null}', 1)`,
    [store],
  )
  await expect(dropChangeDays(database.db, 10 * dayMs)).rejects.toThrow(/lock timeout/)
  await addChangeDays(database.db)
  await writer.query('commit')
  await writer.end()
  expect(await changesOf(database, store)).toHaveLength(2)
  await dropChangeDays(database.db, 10 * dayMs)
  expect((await changesOf(database, store)).map(({ requestId }) => requestId)).toEqual(['open'])
})

it('the last change of a day is found without reading the day', async () => {
  const stores = [await storeIn(database.catalogue), await storeIn(database.catalogue)]
  for (const store of [...stores, ...stores]) await change(12, store)
  const name = nameOf(Date.now() - 12 * dayMs)
  const { rows } = await sql`select tx, seq from change order by tx desc, seq desc limit 1`.execute(database.db)
  const writer = await database.client()
  await writer.query(`begin; lock table ${name} in access share mode`)
  const own = await database.client()
  await own.query('begin; savepoint attempt')
  await expect(own.query(`select drop_change_day(now() - interval '10 days')`)).rejects.toThrow(/lock timeout/)
  await own.query('rollback to savepoint attempt')
  const { rows: scans } = await own.query('select seq_scan from pg_stat_xact_user_tables where relname = $1', [name])
  expect(scans).toEqual([{ seq_scan: '0' }])
  await own.end()
  await writer.end()
  await dropChangeDays(database.db, 10 * dayMs)
  expect((await sql`select tx, seq from change_horizon`.execute(database.db)).rows).toEqual(rows)
})

it('a drop has a time limit of its own, and is left to the session that tries already', async () => {
  await change(12, await storeIn(database.catalogue))
  await using hasty = await createTestDatabase({ shared: database, connection: { statement_timeout: 250 } })
  const other = await database.client()
  await other.query(`begin; lock table change in access share mode`)
  await expect(dropChangeDays(hasty.db, 10 * dayMs)).rejects.toThrow(/lock timeout/)
  await other.query('select pg_advisory_xact_lock(4011850362)')
  await dropChangeDays(hasty.db, 10 * dayMs)
  await other.end()
  expect(await days()).toContain(nameOf(Date.now() - 12 * dayMs))
})

it('old days are dropped where no days can be added, which is logged as such', async () => {
  await change(12, await storeIn(database.catalogue))
  await sql`create or replace function add_change_days(days integer) returns void language plpgsql
    as $$ begin raise exception 'no room'; end $$`.execute(database.db)
  const lines = new Set<string>()
  const write = (line: string) => {
    const { reason, msg } = JSON.parse(line)
    lines.add(`${msg}: ${reason}`)
  }
  const log = pino({ level: 'warn' }, { write })
  const kept = { jobsRetention: dayMs, changesRetention: 10 * dayMs }
  const jobs = { jobQuotas: { queued: 1, keptMb: 1 }, onJobQueued: () => {} }
  const stop = startMaintenance(database.db, { ...kept, ...jobs }, log)
  onTestFinished(stop)
  await expect.poll(days).not.toContain(nameOf(Date.now() - 12 * dayMs))
  // It is tried again each second.
  expect([...lines]).toEqual(['days of the ledger could not be added: no room'])
})
