import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { endKilledImports } from '../../src/jobs/command-line-import.ts'
import type { Event } from '../../src/live/event.ts'
import { setRequirements, settled } from '../catalogue/readiness/support.ts'
import { withRequestId } from '../support/clients/caller.ts'
import { runCli } from '../support/clients/cli.ts'
import { ask } from '../support/clients/operations.ts'
import { callRest, restData } from '../support/clients/rest-client.ts'
import { changesOf } from '../support/database/changes.ts'
import { addProducts, newStore } from '../support/factories.ts'
import { useFolder } from '../support/folder.ts'
import { needsPrimary } from '../support/needs-primary.ts'
import { token, useGateway } from '../support/servers/gateway.ts'
import { follow } from './support/event-source.ts'

const gateway = useGateway()
const folder = useFolder('all')
beforeEach((test) => needsPrimary(test, 'writes go past the client'))

const requireAttribute = async (store: string, channel: string, attribute: string) => {
  const { errors } = await setRequirements(gateway, store, channel, [
    { code: 'required', kind: 'ATTRIBUTE', attribute },
    { code: 'welcome', kind: 'ATTRIBUTE', attribute: 'Size', severity: 'RECOMMENDED' },
  ])
  expect(errors).toBeUndefined()
}

async function feedOf(store: string, type: string): Promise<Event[]> {
  const { changes } = await restData(gateway, `GET /changes?store_uuid=${store}&limit=100`)
  return (changes as Event[]).filter((event) => event.type === type)
}

describe('readiness.changed', () => {
  it('says which products became blocked and ready for a channel, and when requirements were evaluated', async () => {
    const store = await newStore(gateway, { channels: ['SMP', 'channel_value_1'] })
    await addProducts(gateway, store, ['A', { productCode: 'B', attributes: { Title: 'b' } }])
    const stream = follow(gateway.url, { store_uuid: store, types: 'readiness.changed' })
    const ofOther = follow(gateway.url, { store_uuid: store, types: 'readiness.changed', channels: 'channel_value_1' })
    await Promise.all([stream.opened, ofOther.opened])
    const events = () => stream.events.map(({ action, keys, codes, counts }) => ({ action, keys, codes, ...counts }))
    const none = { created: 0, updated: 0, deleted: 0, failed: 0 }
    const evaluated = { action: 'changed', keys: ['SMP'], codes: [''], ...none, total: 1 }
    await requireAttribute(store, 'SMP', 'Title')
    await expect.poll(events).toEqual([evaluated])
    await addProducts(gateway, store, [{ productCode: 'A', attributes: { Title: 'a' } }])
    const ready = { action: 'ready', keys: ['SMP'], codes: ['A'], ...none, total: 1 }
    await expect.poll(events).toEqual([evaluated, ready])
    await addProducts(gateway, store, ['C', { productCode: 'D', attributes: { Title: 'd' } }])
    const blocked = { action: 'blocked', keys: ['SMP'], codes: ['C'], ...none, total: 1 }
    await expect.poll(events).toEqual([evaluated, ready, blocked])
    await ask(gateway, 'deleteProducts', { storeUuid: store, productCodes: ['C'] }, '{ deletedCount }')
    await requireAttribute(store, 'channel_value_1', 'Color')
    await expect
      .poll(events)
      .toEqual([evaluated, ready, blocked, { ...evaluated, keys: ['channel_value_1'], total: 3 }])
    await expect.poll(() => ofOther.events).toEqual(stream.events.slice(3))
    expect(await feedOf(store, 'readiness.changed')).toEqual(stream.events)
  })

  it('is in no history of a product, no receipt, no revert and no report', async () => {
    const store = await newStore(gateway)
    await requireAttribute(store, 'SMP', 'Title')
    await expect.poll(() => feedOf(store, 'readiness.changed')).toHaveLength(1)
    await addProducts(gateway, store, ['A'])
    await expect.poll(() => feedOf(store, 'readiness.changed')).toHaveLength(2)
    const [, blocked] = await feedOf(store, 'readiness.changed')
    const selection = `{ product(productCode: "A") { changes { nodes { type } } }
      changes { nodes { type items { nodes { productCode channel attribute before after } } } } }`
    const { product, changes } = await ask<Shown>(gateway, 'store', { storeUuid: store }, selection)
    expect(product.changes.nodes).toEqual([{ type: 'product.created' }])
    const item = { productCode: 'A', channel: 'SMP', attribute: null, before: null, after: null }
    expect(changes.nodes.at(-1)).toEqual({ type: 'readiness.changed', items: { nodes: [item] } })
    const requestId = blocked?.request_id
    expect(await ask(gateway, 'request', { storeUuid: store, requestId }, '{ at }')).toBeNull()
    const reverted = await callRest(gateway, `POST /requests/${requestId}/revert?store_uuid=${store}`)
    expect(reverted.status).toBe(404)
    const { rows } = await restData(gateway, `GET /reports/changes?store_uuids=${store}`)
    expect((rows as { kind: string }[]).map(({ kind }) => kind)).toEqual(['product', 'requirement', 'store'])
  })
})

describe('import.finished', () => {
  it('has the end of an import, with its request, whose receipt and revert are as without it', async () => {
    const store = await newStore(gateway)
    const requestId = randomUUID()
    const input = { content: 'sku,status\nA,new\nB,bad\nC,new\n' }
    const importing = { storeUuid: store, input }
    const { jobId } = await ask<{ jobId: string }>(
      withRequestId(gateway, requestId),
      'startImport',
      importing,
      '{ jobId }',
    )
    await expect.poll(() => feedOf(store, 'import.finished')).toHaveLength(1)
    expect(await feedOf(store, 'import.finished')).toMatchObject([
      { kind: 'import', action: 'finished', via: 'job', operation: 'import', request_id: requestId, codes: [jobId] },
    ])
    const [event] = await feedOf(store, 'import.finished')
    expect([event?.keys, event?.counts]).toEqual([
      ['succeeded with failures'],
      { created: 0, updated: 0, deleted: 0, failed: 1, total: 3 },
    ])
    const receipt = '{ failed counts { kind created } changes { nodes { type } } }'
    expect(await ask(gateway, 'request', { storeUuid: store, requestId }, receipt)).toEqual({
      failed: 1,
      counts: [{ kind: 'PRODUCT', created: 2 }],
      changes: { nodes: [{ type: 'product.created' }] },
    })
    const { data } = await callRest(gateway, `POST /requests/${requestId}/revert?store_uuid=${store}`)
    expect(data).toMatchObject({ reverted: { products: 2 }, skipped: [] })
  })

  it('has nothing of a dry run', async () => {
    const store = await newStore(gateway)
    const run = async (dryRun: boolean) => {
      const args = { storeUuid: store, input: { content: 'sku\nA\n', dryRun } }
      const { jobId } = await ask<{ jobId: string }>(gateway, 'startImport', args, '{ jobId }')
      await expect.poll(() => ask(gateway, 'job', { id: jobId }, '{ state }')).toEqual({ state: 'SUCCEEDED' })
      return jobId
    }
    await run(true)
    const jobId = await run(false)
    await expect.poll(() => feedOf(store, 'import.finished')).toMatchObject([{ codes: [jobId] }])
  })

  it.each([
    ['an import has failed', 'name\nA\n', 'failed'],
    ['only an image has failed', 'sku,Image URL 1\nA,front.jpg\n', 'succeeded with failures'],
  ])('says that %s, as the job does', async (_, content, state) => {
    const store = await newStore(gateway)
    await ask(gateway, 'startImport', { storeUuid: store, input: { content } }, '{ jobId }')
    await expect.poll(async () => (await feedOf(store, 'import.finished')).map(({ keys }) => keys)).toEqual([[state]])
  })

  it('has an upload and an import of the command line as each ends', async () => {
    const store = await newStore(gateway)
    const stream = follow(gateway.url, { store_uuid: store, types: 'import.finished' })
    await stream.opened
    const headers = { authorization: `Bearer ${token}` }
    const uploaded = await fetch(`${gateway.url}/v1/imports?store_uuid=${store}`, {
      ...{ method: 'POST', headers, body: 'sku,status\nA,new\nB,bad\n' },
    })
    const { data } = (await uploaded.json()) as { data: { job_id: string } }
    const events = () => stream.events.map(({ via, actor, codes, keys, counts }) => [via, actor, codes, keys, counts])
    const counts = { created: 0, updated: 0, deleted: 0, failed: 1, total: 2 }
    const ofUpload = ['job', 'bootstrap', [data.job_id], ['succeeded with failures'], counts]
    await expect.poll(events).toEqual([ofUpload])
    const file = folder.file('products.csv')
    await writeFile(file, 'sku\nC\n')
    await runCli(['import', file, '--store', store], { DATABASE_URL: gateway.database.url })
    const counted = { ...counts, failed: 0, total: 1 }
    const ofCommand = ['cli', userInfo().username, [expect.any(String)], ['succeeded'], counted]
    await expect.poll(events).toEqual([ofUpload, ofCommand])
  })

  it('has an import that another process ends once, and no other change of a job', async () => {
    const store = await newStore(gateway)
    const { db } = gateway.database
    const id = randomUUID()
    const origin = { requestId: 'r', actor: 'a', via: 'cli', operation: 'import' }
    await sql`insert into job (store_uuid, job_id, kind, state, attempt, file, heartbeat_at, options, counts, origin)
      values (${store}, ${id}, 'import', 'running', 1, 'a.csv', now(), '{}', '{"rows": 7, "failed": 2}',
        ${JSON.stringify(origin)})`.execute(db)
    const ends = async () => (await changesOf(gateway.database, store)).filter(({ kind }) => kind === 'import')
    await endKilledImports(db)
    expect(await ends()).toEqual([])
    await sql`update job set heartbeat_at = now() - interval '61 minutes' where store_uuid = ${store}`.execute(db)
    for (const _ of [1, 2]) await endKilledImports(db)
    await sql`update job set state = 'failed' where store_uuid = ${store}`.execute(db)
    expect(await ends()).toMatchObject([{ action: 'finished', code: id, key: 'failed', via: 'cli', failed: 2 }])
  })
})

describe('with CHANGES_RETENTION=0', () => {
  const unrecorded = useGateway({ more: { changesRetention: 0 } })

  it('neither readiness nor the end of an import is recorded', async () => {
    const store = await newStore(unrecorded)
    const args = { storeUuid: store, input: { content: 'sku\nA\n' } }
    const { jobId: id } = await ask<{ jobId: string }>(unrecorded, 'startImport', args, '{ jobId }')
    await expect.poll(() => ask(unrecorded, 'job', { id }, '{ state }')).toEqual({ state: 'SUCCEEDED' })
    await setRequirements(unrecorded, store, 'SMP', [{ code: 'r', kind: 'ATTRIBUTE', attribute: 'Title' }])
    expect(await settled(unrecorded, store, 'SMP')).toMatchObject({ total: 1, ready: 0 })
    await addProducts(unrecorded, store, [{ productCode: 'A', attributes: { Title: 'a' } }])
    await expect.poll(() => settled(unrecorded, store, 'SMP')).toMatchObject({ total: 1, ready: 1 })
    expect(await changesOf(unrecorded.database, store)).toEqual([])
  })
})

interface Shown {
  product: { changes: { nodes: object[] } }
  changes: { nodes: object[] }
}
