import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { checkReadModel } from '../../src/catalogue/check-read-model.ts'
import { stateOf } from '../catalogue/changes/revert-support.ts'
import { useCatalog } from '../import/catalog.ts'
import { runCli } from '../support/clients/cli.ts'
import { ask } from '../support/clients/operations.ts'
import { startTestGateway } from '../support/servers/gateway.ts'

const catalog = useCatalog()

/** The requests of a store in their order. */
async function requestsOf(store: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select request_id as id from change where store_uuid = ${store} group by request_id order by min(seq)`.execute(
    catalog.database.db,
  )
  return rows.map(({ id }) => id)
}

const revert = (store: string, request: string, ...options: string[]) =>
  runCli(['revert', '--store', store, '--request', request, ...options], { DATABASE_URL: catalog.database.url })

const first = `sku,status,Color,Size,Image URL 1
A,active,red,S,https://e.x/a
B,draft,blue,,https://e.x/b
C,new,,,
`
/** Of products that are there and others: new and changed values, a status, and assets, one of which is there. */
const second = `sku,status,Color,Size,Image URL 1,Image URL 2,PDF URL 1
A,inactive,green,S,https://e.x/a,https://e.x/c,
B,,,M,https://e.x/d,,https://e.x/e
D,active,black,L,https://e.x/b,,
E,,,,,,
`

it.each([
  ['one transaction', []],
  ['several', ['--chunk-rows', '1']],
])('reverts an import in %s, and the revert', async (_, options) => {
  const store = await catalog.newStore()
  await catalog.answer([await catalog.file('first.csv', first), '--store', store])
  const before = await stateOf(catalog, store)
  await catalog.answer([await catalog.file('second.csv', second), '--store', store, ...options])
  const after = await stateOf(catalog, store)
  const [, request = ''] = await requestsOf(store)

  const preview = await revert(store, request, '--dry-run')
  expect(preview).toEqual({
    code: 0,
    stdout: '4 products, 3 assets, 4 links reverted, 0 skipped (a dry run: nothing was changed)\n',
    stderr: '',
  })
  expect(await stateOf(catalog, store)).toEqual(after)
  const { code, stdout } = await revert(store, request, '--json')
  const { request_id, ...answer } = JSON.parse(stdout)
  expect([code, answer]).toEqual([
    0,
    {
      reverted: { products: 4, assets: 3, links: 4, definitions: 0, requirements: 0, store_fields: 0 },
      skipped: [],
      more: 0,
    },
  ])
  expect(await stateOf(catalog, store)).toEqual(before)
  expect(await checkReadModel(catalog.database.db)).toEqual([])
  expect((await revert(store, request_id)).code).toBe(0)
  expect(await stateOf(catalog, store)).toEqual(after)
  expect(await checkReadModel(catalog.database.db)).toEqual([])
})

it('reverts an import that was a job', async () => {
  const store = await catalog.newStore()
  await catalog.answer([await catalog.file('first.csv', first), '--store', store])
  const before = await stateOf(catalog, store)
  await using gateway = await startTestGateway({ database: catalog.database })
  const input = { content: second, format: 'CSV' }
  const { jobId: id } = await ask(gateway, 'startImport', { storeUuid: store, input }, '{ jobId }')
  const job = () => ask(gateway, 'job', { id }, '{ state }')
  await expect.poll(job).toEqual({ state: 'SUCCEEDED' })
  expect(await stateOf(catalog, store)).not.toEqual(before)
  const [, request = ''] = await requestsOf(store)
  expect((await revert(store, request)).code).toBe(0)
  expect(await stateOf(catalog, store)).toEqual(before)
  expect(await checkReadModel(catalog.database.db)).toEqual([])
})

it('lists what it skips, and fails or overwrites where it is told to', async () => {
  const store = await catalog.newStore()
  const file = await catalog.file('one.csv', 'sku,Color\nA,red\nB,red\n')
  await catalog.answer([file, '--store', store])
  await catalog.answer([await catalog.fix(file, (text) => text.replace('A,red', 'A,blue')), '--store', store])
  const [request = ''] = await requestsOf(store)
  const failing = await revert(store, request, '--if-changed-since', 'fail')
  expect(failing).toMatchObject({
    code: 1,
    stderr: 'catalog: the product "A" was changed since by another request\n',
  })
  const skipping = await revert(store, request)
  expect(skipping).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /^1 product reverted, 1 skipped; the revert has the id \S+\n {2}the product "A" was changed since by another request\n$/,
    ),
  })
  expect(await revert(store, request, '--if-changed-since', 'overwrite')).toMatchObject({ code: 0 })
  expect(await stateOf(catalog, store)).toMatchObject({ products: null })
})

it('answers what it does not know with 2', async () => {
  const store = await catalog.newStore()
  const [unknown, policy] = [await revert(store, 'x'), await revert(store, 'x', '--if-changed-since', 'always')]
  expect([unknown.code, policy.code]).toEqual([2, 2])
  expect(unknown.stderr).toContain(`error: the store "${store}" has no changes of a request "x"`)
})

it('records its changes also where no gateway has made the partition of the day', async () => {
  const store = await catalog.newStore()
  await catalog.answer([await catalog.file('first.csv', first), '--store', store])
  const [request = ''] = await requestsOf(store)
  const { db } = catalog.database
  const day = async (daysAgo: number) => {
    const { rows } = await sql<{ name: string; begin: string; end: string }>`
      select 'change_' || to_char(d, 'YYYYMMDD') as name, (d::timestamp at time zone 'UTC')::text as begin,
        ((d + 1)::timestamp at time zone 'UTC')::text as end
      from (select (now() at time zone 'UTC')::date - ${daysAgo}::integer as d) x`.execute(db)
    return rows[0] ?? { name: '', begin: '', end: '' }
  }
  const [today, yesterday] = [await day(0), await day(1)]
  await sql`create table if not exists ${sql.table(yesterday.name)} partition of change
    for values from (${sql.lit(yesterday.begin)}) to (${sql.lit(yesterday.end)})`.execute(db)
  await sql`update change set at = ${yesterday.begin}::timestamptz where store_uuid = ${store}`.execute(db)
  await sql`update change_horizon set since = ${yesterday.begin}::timestamptz`.execute(db)
  await sql`drop table ${sql.table(today.name)}`.execute(db)
  expect(await revert(store, request)).toMatchObject({ code: 0, stderr: '' })
  expect(await stateOf(catalog, store)).toMatchObject({ products: null })
})
