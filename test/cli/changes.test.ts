import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, it } from 'vitest'
import { outcomeOf, refusal, runCli, startCli } from '../support/clients/cli.ts'
import { ask } from '../support/clients/operations.ts'
import { settled } from '../support/database/changes.ts'
import { addAssets, addProducts, newStore } from '../support/factories.ts'
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
  await ask(gateway, 'deleteProducts', { storeUuid: store, productCodes: ['C'] })
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
  expect(unrecorded).toMatchObject(refusal('CHANGES_RETENTION is 0', 1))
})

it('catalog request show prints the receipt of a request, also of a revert', async () => {
  await addProducts(gateway, store, ['A', 'B'])
  await settled(gateway.database)
  const { stdout: list } = await catalog('changes', '--store', store, '--product', 'A', '--json')
  const [{ request_id: request } = {}] = jsonLines(list)
  const show = (...args: string[]) => catalog('request', 'show', ...args, '--store', store)
  const { code, stdout } = await show(String(request))
  expect(code).toBe(0)
  expect(stdout).toMatch(/^request_id +\S+\nat +\S+Z\nactor +bootstrap\nvia +graphql\noperation +upsertProducts\n/)
  expect(stdout).toMatch(/^product +2 created, 0 updated, 0 deleted\n\S+Z {2}bootstrap .* product created 2: A, B /m)
  const reverted = JSON.parse(
    (await catalog('revert', '--store', store, '--request', String(request), '--json')).stdout,
  )
  expect(JSON.parse((await show(String(request), '--json')).stdout)).toMatchObject({
    request_id: request,
    operation: 'upsertProducts',
    failed: 0,
    counts: [{ kind: 'product', created: 2, updated: 0, deleted: 0 }],
    reverted_by: reverted.request_id,
    changes: [{ action: 'created', codes: ['A', 'B'] }],
    more: false,
  })
  expect(await show('none')).toMatchObject(refusal('has no changes of a request "none"'))
})

it('catalog product show prints a product as it is or as it was at a time', async () => {
  const moment = async () => {
    await sleep(2)
    const at = new Date().toISOString()
    await sleep(2)
    return at
  }
  const before = await moment()
  await addProducts(gateway, store, [{ productCode: 'A', attributes: { Color: 'red' } }])
  const created = await moment()
  await addProducts(gateway, store, [{ productCode: 'A', status: 'active', attributes: { Color: 'blue' } }])
  const show = (...args: string[]) => catalog('product', 'show', 'A', '--store', store, ...args)
  expect((await show()).stdout).toMatch(
    /^product_code +A\nstatus +active\ncreated_at +\S+\nupdated_at +\S+\nColor +blue\n$/,
  )
  expect(JSON.parse((await show('--at', created, '--json')).stdout)).toMatchObject({
    product_code: 'A',
    status: 'new',
    attributes: { Color: 'red' },
  })
  expect(await show('--at', before)).toMatchObject(refusal(`there is no product "A" at ${before}`))
  for (const at of ['yesterday', '2000-01-01T00:00:00Z'])
    expect(await show('--at', at), at).toMatchObject({ code: 2, stdout: '' })
})
