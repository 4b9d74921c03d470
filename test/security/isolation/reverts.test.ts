import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { revert } from '../../catalogue/changes/revert-support.ts'
import { runCli } from '../../support/clients/cli.ts'
import { callRest, restData } from '../../support/clients/rest-client.ts'
import { newStore } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'

const gateway = useGateway()

/** A store whose product has been changed by the request `change`. */
async function changedStore(): Promise<string> {
  const store = await newStore(gateway)
  const path = `/products?store_uuid=${store}`
  await restData(gateway, `POST ${path}`, [{ product_code: 'P', Color: 'red' }])
  const headers = { 'x-request-id': 'change' }
  const body = [{ product_code: 'P', Color: 'blue' }]
  expect((await gateway.call(`/v1${path}`, { method: 'PUT', body, headers })).status).toBe(200)
  return store
}

let full: string
let other: string
beforeAll(async () => {
  full = await changedStore()
  other = await changedStore()
  // Each counts 16 KiB, and its items.
  await sql`insert into change (store_uuid, request_id, actor, via, operation, kind, action, codes, keys, was, count, reverts)
    select ${full}::uuid, 'revert ' || n, 'test', 'rest', 'revertRequest', 'product', 'updated', '{Q}', '{Color}',
      '{red}', 1, 'an earlier one'
    from generate_series(1, 1024 * 64) n`.execute(gateway.database.db)
})

it('reverts over the API are refused while those of the store have recorded 1 GiB in 24 hours', async () => {
  const details =
    /^the reverts of a store may record at most 1024 MiB in 24 hours; they have recorded 10\d\d MiB: revert later, or use `catalog revert`$/
  const refused = await callRest(gateway, `POST /requests/change/revert?store_uuid=${full}`)
  expect([refused.status, refused.entries]).toEqual([
    429,
    [{ reason: 'quota_exceeded', details: expect.stringMatching(details) }],
  ])
  await expect(revert(gateway, full, 'change')).rejects.toMatchObject({ code: 'quota_exceeded' })
  expect(await revert(gateway, other, 'change')).toMatchObject({ reverted: { products: 1 } })
})

it('catalog revert has no quota', async () => {
  const args = ['revert', '--store', full, '--request', 'change', '--dry-run', '--json']
  const { code, stdout } = await runCli(args, { DATABASE_URL: gateway.database.url })
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { reverted: { products: 1 } }])
})

it('reverts are possible again when the earlier ones are older, or their day is dropped', async () => {
  await sql`delete from change where store_uuid = ${full} and reverts = 'an earlier one' and request_id < 'revert 2'`.execute(
    gateway.database.db,
  )
  expect(await revert(gateway, full, 'change')).toMatchObject({ reverted: { products: 1 } })
})
