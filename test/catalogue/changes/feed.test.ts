import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { cursorOf } from '../../../src/catalogue/changes/cursor.ts'
import { recordChanges } from '../../../src/catalogue/changes/record-changes.ts'
import { inTransaction } from '../../../src/catalogue/transaction.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { ask } from '../../support/clients/operations.ts'
import { queryString, restData } from '../../support/clients/rest-client.ts'
import { settled } from '../../support/database/changes.ts'
import { createTestDatabase } from '../../support/database/database.ts'
import { newStore } from '../../support/factories.ts'
import { needsPrimary } from '../../support/needs-primary.ts'
import { startTestGateway, useGateway } from '../../support/servers/gateway.ts'
import { newToken } from '../../support/tokens.ts'
import { addChange, type LedgerRow } from './ledger-rows.ts'

interface Feed {
  changes: {
    cursor: string
    at: string
    request_id: string
    actor: string
    kind: string
    action: string
    codes: string[]
    counts: Record<string, number>
  }[]
  next: string
  more: boolean
}

const gateway = useGateway()
beforeEach((test) => needsPrimary(test, 'writes go past the client'))
let store: string
beforeEach(async () => {
  store = await newStore(gateway)
})

async function read(query: Record<string, unknown> = {}, token?: string) {
  const path = `/v1/changes?${queryString({ store_uuid: store, ...query })}`
  const { status, json } = await gateway.call(path, token === undefined ? {} : { token })
  const { data } = json as { data: Feed & { error_info: { reason: string; details: string; field?: string }[] } }
  return { status, ...data, requests: data.changes?.map(({ request_id }) => request_id) }
}

async function add(requestId: string, row: Partial<LedgerRow> = {}): Promise<void> {
  await addChange(gateway.database.db, { store, requestId, ...row })
  await settled(gateway.database)
}

/** The changes that writes of the gateway itself have made so far are before this. */
async function here(): Promise<string> {
  await settled(gateway.database)
  return (await read({ after: 'latest' })).next
}

describe('the feed of changes', () => {
  it('has what is new since the cursor, page by page, and a cursor on an empty page too', async () => {
    const start = await here()
    for (const request of ['1', '2', '3']) await add(request)
    const first = await read({ after: start, limit: 2 })
    expect(first).toMatchObject({ status: 200, requests: ['1', '2'], more: true })
    expect(first.next).toBe(first.changes[1]?.cursor)
    const second = await read({ after: first.next, limit: 2 })
    expect(second).toMatchObject({ requests: ['3'], more: false })
    const third = await read({ after: second.next })
    expect(third).toMatchObject({ requests: [], more: false })
    await add('4')
    expect((await read({ after: third.next })).requests).toEqual(['4'])
  })

  it('reads codes only where they are asked for: pages without them are never cut short', async () => {
    const start = await here()
    const items = Array.from({ length: 30_000 }, (): [string, null, null] => [randomUUID().repeat(2), null, null])
    for (const request of ['1', '2', '3'])
      await addChange(gateway.database.db, { store, requestId: request, items, action: 'created' })
    await settled(gateway.database)
    const page = async (fields: string) => {
      const selection = `{ changes(after: "${start}") { nodes { ${fields} } } }`
      const { changes } = await ask<{ changes: { nodes: object[] } }>(gateway, 'store', { storeUuid: store }, selection)
      return changes.nodes
    }
    expect(await page('requestId counts { created }')).toHaveLength(3)
    const withCodes = await page('codes')
    expect(withCodes).toHaveLength(1)
    expect(withCodes).toEqual([{ codes: items.map(([code]) => code) }])
  })

  it('says of a change who made it, what it is about and what it touched, codes once', async () => {
    const start = await here()
    await add('r', {
      actor: 'importer',
      items: [
        ['A', 'Color', 'red'],
        ['A', 'Size', null],
        ['B', 'Color', null],
      ],
      failed: 2,
    })
    await add('s', { kind: 'asset', action: 'deleted', items: [['x', null, '{}']], reverts: 'r' })
    const { changes } = await read({ after: start })
    expect(changes).toEqual([
      {
        type: 'product.updated',
        store_uuid: store,
        cursor: expect.any(String),
        at: expect.stringMatching(/Z$/),
        request_id: 'r',
        actor: 'importer',
        via: 'rest',
        operation: 'updateProducts',
        kind: 'product',
        action: 'updated',
        counts: { created: 0, updated: 2, deleted: 0, failed: 2, total: 2 },
        codes: ['A', 'B'],
        keys: ['Color', 'Size'],
      },
      expect.objectContaining({
        kind: 'asset',
        action: 'deleted',
        counts: { created: 0, updated: 0, deleted: 1, failed: 0, total: 1 },
        codes: ['x'],
        reverts: 'r',
      }),
    ])
  })

  it('has of a product its own changes and those of its links, not those of assets with its code', async () => {
    const start = await here()
    await add('other', { items: [['B', 'Color', null]] })
    await add('own')
    await add('asset', { kind: 'asset', action: 'created', items: [['A', null, null]] })
    await add('link', { kind: 'link', action: 'created', items: [['A', '["SMP","x"]', null]] })
    expect((await read({ after: start, product_code: 'A' })).requests).toEqual(['own', 'link'])
    expect((await read({ after: start, product_code: 'A', limit: 1 })).requests).toEqual(['own'])
  })

  it('waits for a transaction that began earlier, and then has its changes in order', async () => {
    const start = await here()
    await using slow = await gateway.database.client()
    await slow.query('begin')
    await slow.query('select pg_current_xact_id()')
    await addChange(gateway.database.db, { store, requestId: 'fast' })
    const waiting = await read({ after: start })
    expect(waiting).toMatchObject({ requests: [], more: false })
    await slow.query(
      `insert into change (store_uuid, request_id, actor, via, operation, kind, action, codes, keys, was, count)
       values ($1, 'slow', 'x', 'rest', 'x', 'product', 'created', '{A}', '{null}', '{null}', 1)`,
      [store],
    )
    await slow.query('commit')
    await settled(gateway.database)
    expect((await read({ after: waiting.next })).requests).toEqual(['slow', 'fast'])
  })

  it('ends a page early where changes touch very much', async () => {
    const start = await here()
    const items = Array.from({ length: 20_000 }, (_, i): [string, null, null] => [
      `a code as long as usual ${i}`,
      null,
      null,
    ])
    for (const request of ['1', '2', '3', '4', '5']) await add(request, { action: 'created', items })
    const first = await read({ after: start })
    expect(first).toMatchObject({ requests: ['1', '2', '3'], more: true })
    expect(await read({ after: first.next })).toMatchObject({ requests: ['4', '5'], more: false })
  })

  it('has at most 20,000 codes of a change: a request that changed more has several', async () => {
    const { db, catalogue } = gateway.database
    const origin = { requestId: 'many', actor: 'a', via: 'rest', operation: 'import' } as const
    const items = sql`select 'product' as kind, 'deleted' as action, i::text as code, null::text as key, null::text as was
      from generate_series(1, 50000) i`
    await inTransaction(catalogue, (work) => recordChanges({ ...work, origin }, store, items))
    const { rows } = await sql<{ codes: number }>`
      select cardinality(codes) as codes from change where store_uuid = ${store} and request_id = 'many'`.execute(db)
    const counts = rows.map(({ codes }) => codes)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(50_000)
    expect(Math.max(...counts)).toBeLessThanOrEqual(20_000)
  })

  it('filters by request, operation, actor and time over GraphQL', async () => {
    await add('r2', { actor: 'ann' })
    await add('r3', { actor: 'bob', operation: 'deleteAssets' })
    type Found = { changes: { nodes: { requestId: string; at: string }[] } }
    const asked = async (filter: string) => {
      const selection = `{ changes(filter: ${filter}) { nodes { requestId at } } }`
      return (await ask<Found>(gateway, 'store', { storeUuid: store }, selection)).changes.nodes
    }
    const requests = async (filter: string) => (await asked(filter)).map(({ requestId }) => requestId)
    expect(await requests('{ requestId: "r2" }')).toEqual(['r2'])
    expect(await requests('{ actor: "ann", operation: "updateProducts" }')).toEqual(['r2'])
    expect(await requests('{ actor: "bob" }')).toEqual(['r3'])
    const [{ at = '' } = {}] = await asked('{ requestId: "r3" }')
    expect(await requests(`{ actor: "bob", from: "${at}" }`)).toEqual(['r3'])
    expect(await requests(`{ actor: "bob", to: "${at}" }`)).toEqual([])
  })
})

describe('a cursor', () => {
  it.each(['x', 'bGF0ZXN0', Buffer.from('1-1').toString('base64url'), `${cursorOf('00000000', { tx: 1n, seq: 1n })}=`])(
    'that is none is refused: %s',
    async (after) => {
      expect(await read({ after })).toMatchObject({
        status: 400,
        error_info: [{ reason: 'invalid_request', field: 'after' }],
      })
    },
  )

  it('with numbers that PostgreSQL does not have is refused', async () => {
    for (const [tx, seq] of [
      ['99999999999999999999', '1'],
      ['1', '9999999999999999999'],
    ] as const)
      expect((await read({ after: cursorOf('00000000', { tx, seq }) })).status).toBe(400)
  })

  it('of another database has expired, although its numbers fit', async () => {
    await using other = await createTestDatabase({ empty: true })
    await migrate(other.db)
    await using otherGateway = await startTestGateway({ database: other })
    const theirStore = await newStore(otherGateway)
    const { next } = await restData(otherGateway, `GET /changes?store_uuid=${theirStore}&after=latest`)
    const { status, error_info } = await read({ after: next })
    expect({ status, error_info }).toMatchObject({ status: 410, error_info: [{ reason: 'cursor_expired' }] })
    const oldest = /oldest valid cursor is ([\w-]+)$/.exec(error_info[0]?.details ?? '')?.[1]
    expect((await read({ after: oldest })).status).toBe(200)
  })

  it('has expired when changes after it are no longer kept, or no transaction has its number', async () => {
    await using database = await createTestDatabase()
    await using own = await startTestGateway({ database })
    const uuid = await newStore(own)
    const ask = async (after?: string) => {
      const { status, json } = await own.call(`/v1/changes?${queryString({ store_uuid: uuid, after })}`)
      return { status, ...(json as { data: Feed }).data }
    }
    const before = await ask('latest')
    const dropped = await addChange(database.db, { store: uuid, requestId: 'dropped' })
    await addChange(database.db, { store: uuid, requestId: 'kept' })
    await settled(database)
    await sql`delete from change where request_id = 'dropped'`.execute(database.db)
    await sql`update change_horizon set tx = ${dropped.tx}, seq = ${dropped.seq}`.execute(database.db)
    expect(await ask(before.next)).toMatchObject({ status: 410 })
    const { rows } = await sql<{ ledger: string }>`select left(ledger::text, 8) as ledger from change_horizon`.execute(
      database.db,
    )
    const at = (tx: bigint) => cursorOf(rows[0]?.ledger ?? '', { tx, seq: 1n })
    expect((await ask(cursorOf(rows[0]?.ledger ?? '', dropped))).changes.map(({ request_id }) => request_id)).toEqual([
      'kept',
    ])
    expect(await ask(at(BigInt(dropped.tx) + 1_000_000n))).toMatchObject({ status: 410 })
    expect(await ask()).toMatchObject({ status: 200 })
  })
})

describe('a token that is limited to a store', () => {
  it('reads the changes of its store, by product too, and of no other', async () => {
    const foreign = await newStore(gateway)
    const { secret } = await newToken(gateway, { scopes: ['READ'], stores: [store] })
    const start = await here()
    await add('own')
    await add('foreign', { store: foreign })
    expect((await read({ after: start }, secret)).requests).toEqual(['own'])
    expect((await read({ after: start, product_code: 'A' }, secret)).requests).toEqual(['own'])
    expect(await read({ store_uuid: foreign }, secret)).toMatchObject({ status: 404 })
    expect(await read({ store_uuid: randomUUID() }, secret)).toMatchObject({ status: 404 })
  })
})
