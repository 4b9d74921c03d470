import { sql } from 'kysely'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { namesOf } from '../../src/database/registry/table-registry.ts'
import { addChange } from '../catalogue/changes/ledger-rows.ts'
import { refusal, runCli } from '../support/clients/cli.ts'
import { ask, attempt } from '../support/clients/operations.ts'
import { changesOf as changesIn, settled } from '../support/database/changes.ts'
import type { TestDatabase } from '../support/database/database.ts'
import { addAssets, addProducts, define, newStore, productOf } from '../support/factories.ts'
import { useFolder } from '../support/folder.ts'
import { startTestGateway, type TestGateway, useGateway } from '../support/servers/gateway.ts'

const source = useGateway()
const folder = useFolder()
const tables = namesOf(({ backedUp, withoutPolicy }) => backedUp && !withoutPolicy)
let store: string

beforeAll(async () => {
  store = await newStore(source, { store_name: 'moved' })
  await define(source, store, [{ name: 'Color', type: 'ENUM', allowedValues: ['red', 'blue'] }])
  await addProducts(source, store, [{ productCode: 'A', attributes: { Color: 'red' } }, { productCode: 'B' }])
  await addProducts(source, store, [{ productCode: 'A', attributes: { Color: 'blue' } }])
  await addAssets(source, store, [['a', 'A']])
  await newStore(source, { store_name: 'not moved' })
})

const run = ({ url }: TestDatabase, ...args: string[]) => runCli(args, { DATABASE_URL: url })

async function target(): Promise<TestGateway> {
  const gateway = await startTestGateway()
  onTestFinished(() => gateway.stop())
  return gateway
}

async function rowsOf({ db }: TestDatabase) {
  const rows = await Promise.all(
    tables
      .filter((table) => table !== 'measure')
      .map((table) =>
        sql`select t.* from ${sql.table(table)} t where store_uuid = ${store} order by t::text`.execute(db),
      ),
  )
  return rows.map((result) => result.rows)
}

async function changesOf(database: TestDatabase) {
  await settled(database)
  const { stdout } = await run(database, 'changes', '--store', store, '--json')
  const lines = stdout.trim().split('\n')
  return lines.map((line) => ({ ...JSON.parse(line), cursor: undefined }))
}

it('a store moves to another database with its ids, definitions and changes', async () => {
  const file = folder.file('store.sql.gz')
  expect(await run(source.database, 'backup', '--store', 'moved', file)).toMatchObject({
    code: 0,
    stdout: 'backed up 1 store, 2 products, 1 asset\n',
  })
  const other = await target()
  const neighbour = await newStore(other)
  await addProducts(other, neighbour, ['N'])
  const page = `{ changes(first: 100) { pageInfo { endCursor } } }`
  await settled(other.database)
  type Cursor = { changes: { pageInfo: { endCursor: string } } }
  const { changes } = await ask<Cursor>(other, 'store', { storeUuid: neighbour }, page)
  expect(await run(other.database, 'restore', file)).toMatchObject({
    code: 0,
    stdout: 'restored 1 store, 2 products, 1 asset\n',
  })
  expect(await rowsOf(other.database)).toEqual(await rowsOf(source.database))
  const moved = await changesOf(other.database)
  expect(moved.length).toBeGreaterThan(4)
  expect(moved).toEqual(await changesOf(source.database))
  expect((await productOf(other, store, 'A'))?.attributes).toEqual({ Color: 'blue' })
  const next = `{ changes(first: 100, after: ${JSON.stringify(changes.pageInfo.endCursor)}) { nodes { kind } } }`
  expect(await ask(other, 'store', { storeUuid: neighbour }, next)).toEqual({ changes: { nodes: [] } })
  expect(await run(other.database, 'check', '--wait')).toMatchObject({ code: 0 })
  expect((await run(other.database, 'restore', file)).stderr).toContain(`has the store ${store} already`)
})

it('one store is restored from a backup of all, beside others, whose tokens stay', async () => {
  const file = folder.file('all.sql')
  expect(await run(source.database, 'backup', file)).toMatchObject({ code: 0 })
  const other = await target()
  await newStore(other)
  await run(other.database, 'token', 'create', '--name', 'of the target')
  expect(await run(other.database, 'restore', '--store', store, file)).toMatchObject({ code: 0 })
  expect(await rowsOf(other.database)).toEqual(await rowsOf(source.database))
  expect(await other.database.db.selectFrom('store').select('store_uuid').execute()).toHaveLength(2)
  expect(await other.database.db.selectFrom('token').select('name').execute()).toEqual([{ name: 'of the target' }])
})

it('a restored store leaves the earlier requests and states of others as they are', async () => {
  const file = folder.file('beside.sql')
  expect(await run(source.database, 'backup', file)).toMatchObject({ code: 0 })
  const other = await target()
  const neighbour = await newStore(other)
  await addProducts(other, neighbour, ['N'])
  const { rows } = await sql<{ at: Date; request_id: string }>`
    select clock_timestamp() as at, request_id from change where kind = 'product'`.execute(other.database.db)
  const [{ at, request_id } = { at: new Date(), request_id: '' }] = rows
  expect(await run(other.database, 'restore', '--store', store, file)).toMatchObject({ code: 0 })
  const productAt = (storeUuid: string, productCode: string) =>
    attempt(
      other,
      'store',
      { storeUuid },
      `{ product(productCode: "${productCode}", at: "${at.toISOString()}") { status } }`,
    )
  expect(await productAt(neighbour, 'N')).toMatchObject({ data: { product: { status: 'NEW' } } })
  expect(await productAt(store, 'A')).toMatchObject({ reason: 'invalid_request' })
  expect(await run(other.database, 'revert', '--store', neighbour, '--request', request_id)).toMatchObject({ code: 0 })
})

it('a store is moved without changes from before its ledger', async () => {
  const old = await target()
  const moved = await newStore(old)
  await addProducts(old, moved, ['A'])
  const at = new Date(Date.now() - 3 * 86_400_000).toISOString()
  await sql`select add_days('change', (${at}::timestamptz - interval '1 day')::date, now()::date)`.execute(
    old.database.db,
  )
  await addChange(old.database.db, { store: moved, requestId: 'before', at })
  const file = folder.file('later.sql')
  expect(await run(old.database, 'backup', '--store', moved, file)).toMatchObject({ code: 0 })
  const other = await target()
  expect(await run(other.database, 'restore', file)).toMatchObject({ code: 0 })
  const changes = await changesIn(other.database, moved)
  expect(changes.length).toBeGreaterThan(0)
  expect(changes.map(({ requestId }) => requestId)).not.toContain('before')
})

it('a restore that failed before its first store does not lock the database, but single stores wait for it', async () => {
  const file = folder.file('again.sql')
  expect(await run(source.database, 'backup', file)).toMatchObject({ code: 0 })
  const other = await target()
  await sql`comment on table store is 'restoring another'`.execute(other.database.db)
  const single = await run(other.database, 'restore', '--store', store, file)
  expect(single.stderr).toContain('another backup was restored only in part')
  expect(await run(other.database, 'restore', file)).toMatchObject({ code: 0 })
  expect(await rowsOf(other.database)).toEqual(await rowsOf(source.database))
})

it('a store that is not there is neither backed up nor restored', async () => {
  const none = '00000000-0000-4000-8000-000000000000'
  const file = folder.file('none.sql')
  expect(await run(source.database, 'backup', '--store', none, file)).toMatchObject(refusal(none))
  expect(await run(source.database, 'backup', file)).toMatchObject({ code: 0 })
  expect((await run(source.database, 'restore', '--store', none, file)).stderr).toContain(`has no store ${none}`)
})
