import { randomUUID } from 'node:crypto'
import { expect, inject, it } from 'vitest'
import { catalogueFor, wholeCatalogue } from '../../src/catalogue/catalogue.ts'
import { listStores } from '../../src/catalogue/stores/list-stores.ts'
import { connect } from '../../src/database/connection/connect.ts'
import { hasRowSecurity, tenantRole } from '../../src/database/tenant.ts'
import { databaseOfUser } from '../security/database-of-user.ts'
import { runCli } from '../support/clients/cli.ts'
import { databaseUrl } from '../support/database/database.ts'
import { queryOnce } from '../support/database/sql-client.ts'
import { storeIn } from '../support/factories.ts'

/** A database that is the administrator's, in which another user has no right but to connect. */
async function withoutRights() {
  const { name, admin } = await databaseOfUser()
  const server = { ...inject('postgres'), database: name }
  await admin(`alter database ${name} owner to current_user`)
  await queryOnce(server, 'revoke create on schema public from public')
  const url = databaseUrl({ ...server, user: name })
  return {
    name,
    connection: { ...server, user: name },
    run: (...args: string[]) => runCli(args, { DATABASE_URL: url, PORT: '0' }),
    administer: (statement: string) => queryOnce(server, statement),
  }
}

it.each([['migrate'], ['serve']])('%s says what an administrator has to run, and then migrates', async (command) => {
  const { name, run, administer } = await withoutRights()
  const { code, stderr } = await run(command)
  expect(code).toBe(1)
  const [, statements = ''] = /let an administrator of this database run "(.*)"/.exec(stderr) ?? []
  expect(statements.split('; ')).toEqual([
    `create schema job_queue authorization ${name}`,
    `create schema report authorization ${name}`,
    `grant create, usage on schema public to ${name}`,
  ])
  await administer(statements)
  expect(await run('migrate')).toMatchObject({ code: 0, stdout: expect.stringContaining('0007-report') })
})

it('names the owner of the tables to a user who may not read them', async () => {
  const { name, run, administer } = await withoutRights()
  await administer('create table migration (name text, checksum text, version text)')
  const { rows } = await administer('select quote_ident(current_user) as administrator')
  expect((await run('migrate')).stderr).toContain(`; grant ${rows[0].administrator} to ${name}"`)
})

it.each([false, true])(
  'limited callers read tables in the schema of the user (transaction pooling: %s)',
  async (transactionPooling) => {
    const { name, connection, run, administer } = await withoutRights()
    const schemas = ['report', 'job_queue', name].map((schema) => `create schema ${schema} authorization ${name}`)
    await administer(`${schemas.join('; ')}; revoke all on schema public from public`)
    await administer(`grant ${tenantRole} to ${name}`)
    expect(await run('migrate')).toMatchObject({ code: 0 })
    await using db = connect({ ...connection, transactionPooling }, () => {})
    expect(await hasRowSecurity(db)).toBe(true)
    const storeUuid = await storeIn(wholeCatalogue(db))
    const page = { limit: 10, backwards: false }
    const limited = catalogueFor(db, { stores: new Set([storeUuid]) })
    expect(await listStores(limited, {}, page)).toMatchObject([{ storeUuid }])
    const nested = limited.db.transaction().execute((db) => listStores({ ...limited, db }, {}, page))
    expect(await nested).toMatchObject([{ storeUuid }])
    expect(await listStores(catalogueFor(db, { stores: new Set([randomUUID()]) }), {}, page)).toEqual([])
  },
)
