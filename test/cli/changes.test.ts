import { beforeEach, expect, it } from 'vitest'
import { outcomeOf, runCli, startCli } from '../support/clients/cli.ts'
import { settled } from '../support/database/changes.ts'
import { addAssets, addProducts, newStore, query } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()
const catalog = (...args: string[]) => runCli(args, { DATABASE_URL: gateway.database.url })
const jsonLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)

let store: string
beforeEach(async () => {
  store = await newStore(gateway)
})

const deleteProducts = (codes: string[]) =>
  query(
    gateway,
    'mutation ($store: ID!, $codes: [String!]!) { result: deleteProducts(storeUuid: $store, productCodes: $codes) { deletedSkus } }',
    { store, codes },
  )

it('catalog changes lists who changed what, as lines or as JSON', async () => {
  await addProducts(gateway, store, ['A', 'a code'])
  await addProducts(gateway, store, [{ productCode: 'A', attributes: { Color: 'red' } }])
  await settled(gateway.database)
  const { code, stdout } = await catalog('changes', '--store', store, '--since', '1h')
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^\d{4}-\S+Z {2}bootstrap {2}upsertProducts {2}product created 2: A, "a code" {2}request \S+$/m,
  )
  const { stdout: json } = await catalog('changes', '--store', store, '--product', 'A', '--json')
  expect(jsonLines(json)).toMatchObject([
    { kind: 'product', action: 'created', count: 2, codes: ['A', 'a code'] },
    { kind: 'product', action: 'updated', count: 1, codes: ['A'], via: 'graphql', operation: 'upsertProducts' },
  ])
})

it('catalog changes --follow goes on until it is stopped', async () => {
  const child = startCli(['changes', '--store', store, '--follow', '--json'], { DATABASE_URL: gateway.database.url })
  let text = ''
  child.stdout?.on('data', (part: Buffer) => {
    text += part
  })
  const ended = outcomeOf(child)
  for (const code of ['A', 'B']) {
    await addProducts(gateway, store, [code])
    await expect.poll(() => text).toContain(`"codes":["${code}"]`)
  }
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
  expect(jsonLines(text).filter(({ kind }) => kind === 'product')).toHaveLength(2)
})

it('catalog changes refuses an unknown store and a bad duration', async () => {
  expect(await catalog('changes', '--store', 'none')).toMatchObject({ code: 2, stdout: '' })
  expect(await catalog('changes', '--store', store, '--since', 'long')).toMatchObject({ code: 2, stdout: '' })
})

it('catalog export --since writes what has changed and what is gone, and the cursor to go on from', async () => {
  await addProducts(gateway, store, ['old', 'A', 'B', 'C'])
  await settled(gateway.database)
  const since = async (cursor: string) => {
    const { code, stdout, stderr } = await catalog('export', '--store', store, '--since', cursor)
    expect(code, stderr).toBe(0)
    const next = /next cursor: (\S+)/.exec(stderr)?.[1] ?? ''
    return { lines: jsonLines(stdout).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)), next }
  }
  const start = await since('latest')
  expect(start.lines).toEqual([])
  await addProducts(gateway, store, [{ productCode: 'A', attributes: { Color: 'red' } }])
  await addAssets(gateway, store, [
    ['x', 'B', { url: 'https://a.example/x' }],
    ['y', 'no product', { url: 'https://a.example/y' }],
  ])
  await deleteProducts(['C'])
  await settled(gateway.database)
  const first = await since(start.next)
  expect(first.lines).toEqual([
    { product_code: 'A', status: 'new', Color: 'red' },
    { product_code: 'B', status: 'new', 'Image URL 1': 'https://a.example/x' },
    { product_code: 'C', deleted: true },
  ])
  expect((await since(first.next)).lines).toEqual([])
  expect(await catalog('export', '--store', store, '--since', 'x')).toMatchObject({ code: 2, stdout: '' })
  const off = { DATABASE_URL: gateway.database.url, CHANGES_RETENTION: '0' }
  const unrecorded = await runCli(['export', '--store', store, '--since', first.next], off)
  expect(unrecorded).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('CHANGES_RETENTION is 0') })
})
