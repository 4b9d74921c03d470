import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { isBefore, readCursor } from '../../src/catalogue/changes/cursor.ts'
import { upsertProducts } from '../../src/catalogue/products/upsert-products.ts'
import { inTransaction, rolledBackIf } from '../../src/catalogue/transaction.ts'
import type { Event } from '../../src/live/event.ts'
import { addChange, itemsOf } from '../catalogue/changes/ledger-rows.ts'
import { restData } from '../support/clients/rest-client.ts'
import { settled } from '../support/database/changes.ts'
import { addAssets, addProducts, newStore, storeIn } from '../support/factories.ts'
import { needsPrimary } from '../support/needs-primary.ts'
import { Random } from '../support/random.ts'
import { token as administrator, startTestGateway, useGateway } from '../support/servers/gateway.ts'
import { newToken, revoke } from '../support/tokens.ts'
import { follow } from './support/event-source.ts'

const gateway = useGateway({ more: { streamLimits: { ofProcess: 15, heartbeatMs: 200 } } })
beforeEach((test) => needsPrimary(test, 'writes go past the client'))

const cursorsOf = (events: readonly { cursor: string }[]) => events.map(({ cursor }) => cursor)

async function feedOf(store: string, after?: string): Promise<Event[]> {
  await settled(gateway.database)
  const query = after === undefined ? '' : `&after=${after}`
  return (await restData(gateway, `GET /changes?store_uuid=${store}${query}`)).changes as Event[]
}

/** A stream as bytes: the head of its answer, and the text so far. */
async function open(query: string, given: { token?: string; headers?: Record<string, string>; url?: string } = {}) {
  const headers = { authorization: `Bearer ${given.token ?? administrator}`, ...given.headers }
  const sent: ClientRequest = request(`${given.url ?? gateway.url}/v1/events?${query}`, { headers }).end()
  sent.on('error', () => {})
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  onTestFinished(() => void sent.destroy())
  const state = { text: '', isClosed: false, answer, sent }
  answer
    .on('error', () => {})
    .on('close', () => {
      state.isClosed = true
    })
  answer.setEncoding('utf8').on('data', (text) => {
    state.text += text
  })
  return state
}

const positionsOf = ({ text }: { text: string }) => text.match(/(?<=^event: position\nid: ).*/gm) ?? []

describe('GET /v1/events', () => {
  it('sends the changes of the stores from now on, as the feed has them', async () => {
    const [store, other, third] = [await newStore(gateway), await newStore(gateway), await newStore(gateway)]
    await addProducts(gateway, store, ['before'])
    await settled(gateway.database)
    const stream = follow(gateway.url, { store_uuid: `${store},${other}` })
    await stream.opened
    const [{ cursor } = { cursor: '' }] = (await feedOf(store)).slice(-1)
    await addProducts(gateway, store, ['A'])
    await addProducts(gateway, third, ['of another store'])
    await addAssets(gateway, other, ['1 B'])
    await addProducts(gateway, store, [{ productCode: 'A', attributes: { Color: 'red' } }])
    const expected = [...(await feedOf(store, cursor)), ...(await feedOf(other)).slice(1)]
    await expect.poll(() => cursorsOf(stream.events).sort()).toEqual(cursorsOf(expected).sort())
    expect(stream.events.filter((event) => event.store_uuid === store)).toEqual(await feedOf(store, cursor))
  })

  it('begins after a cursor, which Last-Event-ID overrides, and with the filter', async () => {
    const store = await newStore(gateway)
    await addProducts(gateway, store, ['A1', 'B1'])
    await addProducts(gateway, store, ['A2'])
    await addAssets(gateway, store, ['1 A1'])
    const feed = await feedOf(store)
    const query = `store_uuid=${store}&after=${feed[0]?.cursor}&types=product.created&code_prefix=A`
    const stream = await open(query)
    await expect.poll(() => stream.text.match(/^data: \{"type/gm)?.length).toBe(2)
    const data = stream.text.match(/(?<=^data: )\{"type.*/gm)?.map((text) => JSON.parse(text))
    expect(data).toMatchObject([
      { codes: ['A1'], counts: { created: 1 } },
      { codes: ['A2'], counts: { created: 1 } },
    ])
    const resumed = await open(query, { headers: { 'last-event-id': feed[1]?.cursor ?? '' } })
    await expect.poll(() => resumed.text).toContain('"A2"')
    expect(resumed.text).not.toContain('"A1"')
  })

  it('says how it is to be read, and the present position while nothing matches', async () => {
    const store = await newStore(gateway)
    const stream = await open(`store_uuid=${store}&types=store.updated`)
    expect(stream.answer.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
      'cache-control': 'no-store',
    })
    await expect.poll(() => stream.text).toMatch(/^retry: \d+\n(event: position\nid: [\w-]+\ndata: \{\}\n\n){2,}$/)
    await addProducts(gateway, store, ['A'])
    const [{ cursor } = { cursor: '' }] = (await feedOf(store)).slice(-1)
    // A checkpoint of the database may have brought the position further.
    const isReached = () => !isBefore(readCursor(positionsOf(stream).at(-1) ?? ''), readCursor(cursor))
    await expect.poll(isReached).toBe(true)
  })

  it('has no position that the database may forget in a crash', async () => {
    const { db } = gateway.database
    const store = await newStore(gateway)
    await settled(gateway.database)
    const stream = await open(`store_uuid=${store}`)
    for (let i = 0; i < 20; i++) await sql`select pg_current_xact_id()`.execute(db)
    const positions = () => positionsOf(stream)
    const count = positions().length
    await expect.poll(() => positions().length).toBeGreaterThan(count + 5)
    const known = await sql<{
      tx: string
    }>`select split_part(next_xid, ':', 2) as tx from pg_control_checkpoint()`.execute(db)
    const later = positions().filter((cursor) => readCursor(cursor).tx > BigInt(known.rows[0]?.tx ?? ''))
    // The first one is that of the last change.
    expect(later.filter((cursor) => cursor !== positions()[0])).toEqual([])
  })

  it('sends every subscriber the feed of its store, with 8 writers and a long transaction', async () => {
    const { catalogue } = gateway.database
    const stores = await Promise.all([1, 2].map(() => storeIn(catalogue)))
    const held = await storeIn(catalogue)
    const own = await Promise.all(stores.map((store) => newToken(gateway, { scopes: ['READ'], stores: [store, held] })))
    await settled(gateway.database)
    const streams = own.map(({ secret }) => follow(gateway.url, {}, secret))
    await Promise.all(streams.map(({ opened }) => opened))
    const recording = {
      ...catalogue,
      origin: { requestId: 'r', actor: 'writer', via: 'rest', operation: 'upsertProducts' } as const,
    }
    const writers = Array.from({ length: 8 }, async (_, number) => {
      const random = new Random(number)
      for (let i = 0; i < 10; i++) {
        await rolledBackIf(recording, random.below(8) === 0, async (work) => {
          await upsertProducts(work, stores[random.below(2)] ?? '', [{ productCode: `${number}-${i}` }])
          await sleep(random.below(10))
        })
      }
    })
    const long = inTransaction(recording, async (work) => {
      await upsertProducts(work, held, [{ productCode: 'long' }])
      await Promise.all(writers)
    })
    await long
    for (const [i, store] of stores.entries()) {
      const expected = [...(await feedOf(store)), ...(await feedOf(held))].filter(
        ({ type }) => type !== 'store.created',
      )
      await expect.poll(() => cursorsOf(streams[i]?.events ?? []).sort()).toEqual(cursorsOf(expected).sort())
      const ofStore = streams[i]?.events.filter((event) => event.store_uuid === store) ?? []
      expect(cursorsOf(ofStore)).toEqual(cursorsOf(expected.filter((event) => event.store_uuid === store)))
    }
  })

  it('resumes after a connection was cut, without gap and duplicate', async () => {
    const store = await newStore(gateway)
    const stream = follow(gateway.url, { store_uuid: store, types: 'product.created' })
    await stream.opened
    const codes = Array.from({ length: 12 }, (_, i) => `P${i}`)
    for (const [i, code] of codes.entries()) {
      await addProducts(gateway, store, [code])
      if (i % 4 === 1) stream.cut()
    }
    await expect.poll(() => stream.events.flatMap((event) => event.codes)).toEqual(codes)
    expect(stream.statuses.length).toBeGreaterThan(1)
  })

  it('answers HEAD at once, and errors in the envelope before the stream begins', async () => {
    const store = await newStore(gateway)
    const head = await gateway.call(`/v1/events?store_uuid=${store}`, { method: 'HEAD' })
    expect([head.status, head.headers['content-type'], head.text]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      '',
    ])
    const reasonOf = async (query: string, call = {}) => {
      const { status, json } = await gateway.call(`/v1/events?${query}`, call)
      const { data } = json as { data: { error_info: { reason: string; field?: string }[] } }
      return [status, data.error_info[0]?.reason, data.error_info[0]?.field]
    }
    expect(await reasonOf('', { token: null })).toEqual([401, 'unauthorized', undefined])
    const writer = await newToken(gateway, { scopes: ['WRITE'] })
    expect(await reasonOf('', { token: writer.secret })).toEqual([403, 'forbidden', undefined])
    expect(await reasonOf('types=product.moved')).toEqual([400, 'invalid_request', 'types'])
    expect(await reasonOf(`code_prefix=${'x'.repeat(256)}`)).toEqual([400, 'invalid_request', 'code_prefix'])
    expect(await reasonOf('after=x')).toEqual([400, 'invalid_request', 'after'])
    expect(await reasonOf('', { headers: { 'last-event-id': 'x' } })).toEqual([400, 'invalid_request', 'Last-Event-ID'])
    expect(await reasonOf('store_uuid=unknown')).toEqual([404, 'store_not_found', 'store_uuid'])
    const many = Array.from({ length: 101 }, () => store).join()
    expect(await reasonOf(`store_uuid=${many}`)).toEqual([400, 'invalid_request', 'store_uuid'])
    expect(await reasonOf(`store_uuid=${store}&after=MS0xLTAwMDAwMDAw`)).toEqual([410, 'cursor_expired', 'after'])
    const expired = `/v1/events?store_uuid=${store}&after=MS0xLTAwMDAwMDAw`
    expect((await gateway.call(expired, { method: 'HEAD' })).status).toBe(410)
  })

  it('has a limit for each token and for the process, with places that are free again', async () => {
    const tokens = await Promise.all([1, 2].map(() => newToken(gateway, { scopes: ['READ'] })))
    const [one = '', two = ''] = tokens.map(({ secret }) => secret)
    const store = await newStore(gateway)
    const query = `store_uuid=${store}`
    const opened = await Promise.all(Array.from({ length: 10 }, () => open(query, { token: one })))
    const refused = await open(query, { token: one })
    expect([refused.answer.statusCode, refused.answer.headers['retry-after']]).toEqual([429, '10'])
    await expect.poll(() => refused.text).toContain('a token may have 10 open streams')
    await Promise.all(Array.from({ length: 5 }, () => open(query, { token: two })))
    const beyond = await open(query, { token: two })
    await expect.poll(() => beyond.text).toContain('the service may have 15 open streams')
    for (const { sent } of opened) sent.destroy()
    const reopened = async () => (await open(query, { token: one })).answer.statusCode
    await expect.poll(reopened).toBe(200)
  })

  it('ends the streams of a revoked token, and no others', async () => {
    const store = await newStore(gateway)
    const tokens = await Promise.all([1, 2].map(() => newToken(gateway, { scopes: ['READ'] })))
    const streams = await Promise.all(tokens.map(({ secret }) => open(`store_uuid=${store}`, { token: secret })))
    await revoke(gateway, tokens[0]?.tokenId ?? '')
    await expect.poll(() => streams[0]?.isClosed).toBe(true)
    expect(streams[1]?.isClosed).toBe(false)
  })

  it('cuts a client that does not read, and no others', async () => {
    // With its own heartbeats, by which clients are cut that read nothing for long.
    await using other = await startTestGateway({ database: gateway.database })
    const store = await newStore(gateway)
    await settled(gateway.database)
    const slow = await open(`store_uuid=${store}`, { url: other.url })
    const stream = follow(other.url, { store_uuid: store })
    await stream.opened
    slow.answer.pause()
    const closed = once(slow.sent, 'close')
    const hasBoth = async () => (await other.call('/metrics')).text.includes('catalogue_streams{state="open"} 2')
    let written = 0
    // How much the buffers of a connection hold is up to the system.
    for (; await hasBoth(); written++) {
      // Writing so many products would take minutes on a busy machine.
      await addChange(gateway.database.db, { store, items: itemsOf(4_000, 'c'.repeat(200)) })
      await expect.poll(() => stream.events.length).toBe(written + 1)
    }
    slow.answer.resume()
    await closed
    expect(written).toBeGreaterThan(1)
    expect(stream.events.length).toBe(written)
  })

  it('says goodbye at a shutdown', async () => {
    const other = await startTestGateway({ database: gateway.database })
    const store = await newStore(gateway)
    const stream = follow(other.url, { store_uuid: store })
    await stream.opened
    await other.stop()
    await expect.poll(() => stream.goodbyes).toEqual(['{}'])
  })
})
