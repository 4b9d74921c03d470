import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Catalogue, catalogueFor, wholeCatalogue } from '../../src/catalogue/catalogue.ts'
import { listProducts } from '../../src/catalogue/products/lists/list-products.ts'
import { updateProducts } from '../../src/catalogue/products/update-products.ts'
import { upsertProducts } from '../../src/catalogue/products/upsert-products.ts'
import { countStores, listStores, listStoresOfGroups } from '../../src/catalogue/stores/list-stores.ts'
import { findStores, type Store } from '../../src/catalogue/stores/stores.ts'
import { inTransaction } from '../../src/catalogue/transaction.ts'
import { migrate } from '../../src/database/migrate.ts'
import { namesOf } from '../../src/database/registry/table-registry.ts'
import { hasRowSecurity, tenantRole } from '../../src/database/tenant.ts'
import { addChange } from '../catalogue/changes/ledger-rows.ts'
import { createTestDatabase } from '../support/database/database.ts'
import { storeIn } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'
import { databaseOfUser } from './database-of-user.ts'
import { createFixture, type Fixture } from './fixture.ts'

const gateway = useGateway()
let fixture: Fixture
let limited: Catalogue
let tables: string[]
beforeAll(async () => {
  fixture = await createFixture(gateway)
  limited = catalogueFor(gateway.database.db, { stores: new Set([fixture.own]) })
  tables = namesOf(({ tenantRights, withoutPolicy }) => tenantRights !== undefined && !withoutPolicy)
})

const storesIn = async ({ db }: Catalogue, table: string) => {
  const { rows } = await sql<{ store_uuid: string }>`select distinct store_uuid from ${sql.table(table)}`.execute(db)
  return rows.map((row) => row.store_uuid)
}

const readOnly = namesOf(({ tenantRights }) => tenantRights?.includes('delete') !== true)

describe('what a statement forgets, PostgreSQL does not', () => {
  it('no tenant table shows a limited viewer rows of another store', async () => {
    expect(tables.length).toBeGreaterThanOrEqual(7)
    for (const table of tables) {
      const stores = await storesIn(gateway.database.catalogue, table)
      expect(stores, `${table}: fill of fixture.ts adds a row`).toContain(fixture.foreign)
      expect(await storesIn(limited, table), table).toEqual([fixture.own])
    }
  })

  it('nor lets them be changed, removed or made', async () => {
    for (const table of tables) {
      const deleted = sql`delete from ${sql.table(table)} where store_uuid = ${fixture.foreign}`.execute(limited.db)
      // The ledger is only added to; what is counted from it is only read.
      if (readOnly.includes(table)) await expect(deleted).rejects.toThrow(/permission denied/)
      else expect((await deleted).numAffectedRows, table).toBe(0n)
      const moved = sql`update ${sql.table(table)} set store_uuid = ${fixture.foreign} where store_uuid = ${fixture.own}`
      await expect(moved.execute(limited.db), table).rejects.toThrow(/row-level security|permission denied/)
    }
    const made = sql`insert into product (store_uuid, product_code, status, attributes)
      values (${fixture.foreign}, 'planted', 'new', '{}')`
    await expect(made.execute(limited.db)).rejects.toThrow(/row-level security/)
    await expect(addChange(limited.db, { store: fixture.foreign })).rejects.toThrow(/row-level security/)
  })

  it('nor may what was recorded be changed or removed', async () => {
    for (const statement of [sql`delete from change`, sql`update change set actor = 'another'`])
      await expect(statement.execute(limited.db)).rejects.toThrow(/permission denied/)
  })

  it('nor does the function that finds changes by code show those of another store', async () => {
    const found = (store: string) => sql`select from changes_of(${store}, '{CODE-1}', '-infinity')`.execute(limited.db)
    expect((await found(fixture.own)).rows.length).toBeGreaterThan(0)
    expect((await found(fixture.foreign)).rows).toEqual([])
  })

  it('the same within a transaction, and after it the connection is as it was', async () => {
    await limited.db.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ role: string }>`select current_user as role`.execute(transaction)
      expect(rows).toEqual([{ role: 'catalogue_tenant' }])
      expect((await sql`select from product where store_uuid = ${fixture.foreign}`.execute(transaction)).rows).toEqual(
        [],
      )
    })
    await expect(limited.db.transaction().execute(() => Promise.reject(new Error('undone')))).rejects.toThrow('undone')
    await expect(sql`select 1 / 0`.execute(limited.db)).rejects.toThrow(/division/)
    for (let i = 0; i < 12; i++) {
      const { rows } = await sql`select current_user <> session_user as changed`.execute(gateway.database.db)
      expect(rows).toEqual([{ changed: false }])
    }
  })

  it('the same for a part of a transaction that is not limited itself', async () => {
    const { db } = gateway.database
    const role = sql<{ role: string }>`select current_user as role, (select count(*)::int from store) as stores`
    await db.transaction().execute(async (transaction) => {
      const part = catalogueFor(transaction, { stores: new Set([fixture.own]) })
      expect((await role.execute(part.db)).rows).toEqual([{ role: 'catalogue_tenant', stores: 1 }])
      await expect(sql`select 1 / 0`.execute(part.db)).rejects.toThrow(/division/)
      await inTransaction(part, async (work) => {
        expect((await role.execute(work.db)).rows).toEqual([{ role: 'catalogue_tenant', stores: 1 }])
      })
      expect((await role.execute(transaction)).rows[0]).not.toMatchObject({ role: 'catalogue_tenant' })
      expect((await role.execute(transaction)).rows[0]).not.toMatchObject({ stores: 1 })
    })
  })

  it('what is no catalogue is closed to them: tokens, and what else there is', async () => {
    await expect(limited.db.selectFrom('token').selectAll().execute()).rejects.toThrow(/permission denied/)
  })

  it('a viewer of no store sees none', async () => {
    const nobody = catalogueFor(gateway.database.db, { stores: new Set() })
    for (const table of tables) expect(await storesIn(nobody, table), table).toEqual([])
  })
})

it('limited roles may execute the functions of statements where functions are granted to no one, and row-level security holds in them', async () => {
  const { db, catalogue, drop } = await createTestDatabase({ empty: true })
  onTestFinished(() => drop())
  await sql`alter default privileges revoke execute on functions from public`.execute(db)
  await migrate(db)
  const granted = sql<{ run: boolean }>`select has_function_privilege('catalogue_tenant', oid, 'execute') as run
    from pg_proc where proname in ('run_in_store', 'run_on_server')`
  expect((await granted.execute(db)).rows).toEqual([{ run: true }, { run: true }])
  const storeWithProduct = async () => {
    const storeUuid = await storeIn(catalogue)
    await inTransaction(catalogue, (work) => upsertProducts(work, storeUuid, [{ productCode: 'A' }]))
    return storeUuid
  }
  const [own, foreign] = [await storeWithProduct(), await storeWithProduct()]
  const viewer = catalogueFor(db, { stores: new Set([own]) })
  const patches = [{ productCode: 'A', attributes: { Color: 'red' } }]
  expect((await updateProducts(viewer, own, patches)).updatedSkus).toEqual(['A'])
  await sql`insert into attribute_definition (store_uuid, name, type, searchable) values (${own}, 'Color', 'text', true)`.execute(
    db,
  )
  const found = await listProducts(viewer, own, { search: 'RED' }, { limit: 1, backwards: false })
  expect(found.rows).toMatchObject([{ productCode: 'A' }])
  const unlimited = { ...viewer, viewer: catalogue.viewer }
  await expect(updateProducts(unlimited, foreign, patches)).rejects.toMatchObject({ code: 'store_not_found' })
  expect((await updateProducts(catalogue, foreign, patches)).updatedSkus).toEqual(['A'])
})

it('a database whose user may not create roles serves limited tokens without row-level security', async () => {
  const { db } = await databaseOfUser()
  await migrate(db)
  expect(await hasRowSecurity(db)).toBe(false)
  const everything = wholeCatalogue(db)
  const first = await storeIn(everything)
  const linked = await storeIn(everything, first)
  const own = catalogueFor(db, { stores: new Set([first]) })
  const uuids = (stores: Store[] = []) => stores.map(({ storeUuid }) => storeUuid)
  const page = { limit: 10, backwards: false }
  expect(uuids(await listStores(everything, {}, page))).toEqual([first, linked])
  const seen = await listStores(own, {}, page)
  expect(uuids(seen)).toEqual([first])
  expect(await countStores(own, {})).toBe(1)
  const group = seen[0]?.storeGroup ?? ''
  expect(uuids((await listStoresOfGroups(own, [group], 10)).get(group))).toEqual([first])
  expect((await findStores(own, [first, linked])).size).toBe(1)
})

it('a user who may create roles but is no superuser, as managed services give, has row-level security', async () => {
  const { db, name, admin } = await databaseOfUser('createrole')
  const { rows } = await admin("select current_setting('server_version_num')::int >= 160000 as distinguishes")
  // What PostgreSQL gives to a user who creates the role.
  const options = rows[0].distinguishes ? 'with admin true, inherit false, set false' : 'with admin option'
  await admin(`grant ${tenantRole} to ${name} ${options}`)
  await migrate(db)
  expect(await hasRowSecurity(db)).toBe(true)
  const limited = catalogueFor(db, { stores: new Set([randomUUID()]) })
  for (let i = 0; i < 12; i++) expect(await countStores(limited, {})).toBe(0)
  const user = await sql`select current_user = session_user as unchanged`.execute(db)
  expect(user.rows).toEqual([{ unchanged: true }])
})
