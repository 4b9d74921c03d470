import { writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { expect, it } from 'vitest'
import { withRequestId } from '../../support/clients/caller.ts'
import { runCli } from '../../support/clients/cli.ts'
import { ask } from '../../support/clients/operations.ts'
import { changesOf } from '../../support/database/changes.ts'
import { newStore } from '../../support/factories.ts'
import { useFolder } from '../../support/folder.ts'
import { useGateway } from '../../support/servers/gateway.ts'

const gateway = useGateway()
const folder = useFolder('all')

const csv = 'sku,Color,images\nA,red,https://e.x/a\nB,blue,\n'

it('an import of the command line is recorded under the name of its user, of a dry run nothing, of a repetition its end', async () => {
  const store = await newStore(gateway)
  const file = folder.file('products.csv')
  await writeFile(file, csv)
  const run = (...more: string[]) =>
    runCli(['import', file, '--store', store, '--assets', 'images', ...more], { DATABASE_URL: gateway.database.url })
  const created = (await changesOf(gateway.database, store)).length
  expect((await run('--dry-run')).code).toBe(0)
  expect(await changesOf(gateway.database, store)).toHaveLength(created)
  expect((await run()).code).toBe(0)
  const changes = (await changesOf(gateway.database, store)).slice(created)
  expect(changes.map(({ kind, action, code }) => [kind, action, code]).sort()).toEqual([
    ['asset', 'created', expect.any(String)],
    ['import', 'finished', expect.any(String)],
    ['link', 'created', 'A'],
    ['product', 'created', 'A'],
    ['product', 'created', 'B'],
  ])
  for (const change of changes)
    expect(change).toMatchObject({ via: 'cli', operation: 'import', actor: userInfo().username })
  expect(new Set(changes.map(({ requestId }) => requestId)).size).toBe(1)
  expect((await run()).code).toBe(0)
  const repeated = (await changesOf(gateway.database, store)).slice(created + changes.length)
  expect(repeated.map(({ kind, action }) => [kind, action])).toEqual([['import', 'finished']])
})

it('an import in the background is recorded under the token and the request that started it', async () => {
  const store = await newStore(gateway)
  const input = { content: csv, format: 'CSV', assets: ['images'] }
  const starting = withRequestId(gateway, 'starts-an-import')
  const { jobId: id } = await ask(starting, 'startImport', { storeUuid: store, input }, '{ jobId }')
  await expect.poll(() => ask(gateway, 'job', { id }, '{ state }')).toEqual({ state: 'SUCCEEDED' })
  const changes = (await changesOf(gateway.database, store)).filter(({ via }) => via === 'job')
  expect(changes).toHaveLength(5)
  for (const change of changes)
    expect(change).toMatchObject({ requestId: 'starts-an-import', operation: 'import', actor: 'bootstrap' })
})
