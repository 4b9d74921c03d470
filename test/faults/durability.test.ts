import { sql } from 'kysely'
import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connect } from '../../src/database/connect.ts'
import { newStore, productOf } from '../support/factories.ts'
import { useGateway } from '../support/gateway.ts'

const gateway = useGateway()
let admin: pg.Client
beforeAll(async () => {
  admin = await gateway.database.client()
})
afterAll(async () => {
  await admin.end()
})

const databaseName = () => new URL(gateway.database.url).pathname.slice(1)

it('commits durably, also where the database is set up not to', async () => {
  await admin.query(`alter database ${databaseName()} set synchronous_commit = off`)
  const own = await gateway.database.client()
  expect((await own.query('show synchronous_commit')).rows).toEqual([{ synchronous_commit: 'off' }])
  await own.end()
  const db = connect(gateway.database.connection, () => {})
  const { rows } = await sql`show synchronous_commit`.execute(db)
  expect(rows).toEqual([{ synchronous_commit: 'on' }])
  await db.destroy()
  await admin.query(`alter database ${databaseName()} reset synchronous_commit`)
})

it('leaves nothing of a write whose last statement failed', async () => {
  const store = await newStore(gateway)
  await admin.query('begin; lock table asset in access exclusive mode')
  const body = [{ product_code: 'half', 'Image URL 1': 'https://example.com/1.jpg' }]
  const answer = gateway.call(`/v1/products?store_uuid=${store}`, { method: 'POST', body })
  // The products are inserted, in the transaction; the assets wait for the lock.
  const watcher = await gateway.database.client()
  await expect.poll(gateway.database.lockWaiters).toBe(1)
  await watcher.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`)
  expect((await answer).status).toBe(503)
  await admin.query('commit')
  await watcher.end()
  expect(await productOf(gateway, store, 'half')).toBeFalsy()
})
