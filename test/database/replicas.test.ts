import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createCatalogueClient } from '../../rest/client/catalogue-client.ts'
import { readConfig } from '../../src/app/config.ts'
import { catalogueFor } from '../../src/catalogue/catalogue.ts'
import { connect } from '../../src/database/connection/connect.ts'
import { replicaFirst } from '../../src/database/replicas/replica-first.ts'
import { watchReplicas } from '../../src/database/replicas/watch-replicas.ts'
import { invalidRequest } from '../../src/errors.ts'
import type { Call, Reply } from '../support/clients/http.ts'
import { databaseUrl } from '../support/database/database.ts'
import { startReplication } from '../support/database/replication.ts'
import { addAssets, newStore, storeWithAssets, urlOf } from '../support/factories.ts'
import { fixture } from '../support/fixture.ts'
import { startPostgresProxy } from '../support/servers/fault-proxy.ts'
import { startTestGateway, type TestGateway, token, useGateway } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'

const servers = fixture(startReplication, (made) => made.stop?.())

let lines: { msg: string; reason?: string; level: number }[]
let gateway: TestGateway
let store: string

async function startGateway(databaseReadUrl = [servers.replica.url], more: object = {}): Promise<TestGateway> {
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const connection = { ...servers.primary.connection, ...more }
  return startTestGateway({ log, connection, more: { databaseReadUrl, pageCacheMb: 32 } })
}

beforeAll(async () => {
  lines = []
  gateway = await startGateway()
})
afterAll(() => gateway.stop())
beforeEach(async () => {
  store = await storeWithAssets(gateway, [['a', 'P0']])
  await servers.catchUp()
  await inUse(1)
})
afterEach(async () => {
  await servers.primary.proxy.set({ kind: 'none' })
  await servers.replica.proxy.set({ kind: 'none' })
  await servers.resume()
})

const allow = (age: string, position?: string) => ({
  prefer: `stale-while=${age}`,
  ...(position !== undefined && { 'x-catalogue-after': position }),
})

/** Adds a group and returns the position of the write. */
async function write(name: string): Promise<string> {
  const body = [{ parent_code: name, asset_type: 'image', assets: { 'Image URL 1': urlOf(name) } }]
  const { status, headers } = await gateway.call(`/v1/assets?store_uuid=${store}`, { method: 'POST', body })
  expect(status).toBe(200)
  expect(headers['x-catalogue-position']).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/)
  return String(headers['x-catalogue-position'])
}

const list = (headers: Record<string, string> = {}, call: Call = {}) =>
  gateway.call(`/v1/assets?store_uuid=${store}&limit=1`, { ...call, headers })
const groupsIn = ({ json, status }: Reply): number => {
  expect(status).toBe(200)
  return (json as { data: { total_groups: number } }).data.total_groups
}
const groups = async (headers?: Record<string, string>, call?: Call) => groupsIn(await list(headers, call))
const query = (document: string, headers: Record<string, string> = {}, call: Call = {}) =>
  gateway.call('/graphql', { method: 'POST', body: { query: document, variables: { store } }, headers, ...call })
const groupsByGraphQL = async (headers?: Record<string, string>) => {
  const { json } = await query('query ($store: ID!) { assetGroups(storeUuid: $store) { totalGroups } }', headers)
  return (json as { data: { assetGroups: { totalGroups: number } } }).data.assetGroups.totalGroups
}
async function gauge(name: string): Promise<number> {
  const { text } = await gateway.call('/metrics')
  return Number(new RegExp(`^catalogue_replica_${name}\\{replica="127.0.0.1:\\d+"\\} (\\S+)$`, 'm').exec(text)?.[1])
}
/** Waits until the gateway has found the replica to be there, and up to date, or not. */
async function inUse(reachable: 0 | 1): Promise<void> {
  await expect.poll(() => gauge('reachable')).toBe(reachable)
  if (reachable) await expect.poll(() => gauge('lag_seconds')).toBeLessThan(1)
}
/** How often something was logged of replicas since the last call. */
const logged = () => lines.splice(0).flatMap(({ msg }) => (/a replica/.test(msg) ? [msg.slice(0, 25)] : []))

describe('a read', () => {
  it('goes to a replica only if its caller allows an answer so old', async () => {
    await servers.pause()
    const position = await write('P1')
    expect([await groups(), await groupsByGraphQL()]).toEqual([2, 2])
    expect([await groups(allow('60s')), await groupsByGraphQL(allow('60s'))]).toEqual([1, 1])
    expect([await groups(allow('0s')), await groupsByGraphQL(allow('0s'))]).toEqual([2, 2])
    expect(await groups({ 'x-catalogue-after': position })).toBe(2)
    expect(await groups({ prefer: 'respond-async, stale-while="60s"; a=b' })).toBe(1)
    expect(await groups({ prefer: 'return=minimal; stale-while=60s' })).toBe(2)
    const products = await gateway.call(`/v1/products?store_uuid=${store}`, { headers: allow('60s') })
    expect(products.status).toBe(200)
  })

  it('sees the write whose position it names, at once if the replica has it', async () => {
    const before = await write('P1')
    await servers.catchUp()
    await servers.pause()
    const after = await write('P2')
    expect([await groups(allow('60s', after)), await groupsByGraphQL(allow('60s', after))]).toEqual([3, 3])
    expect([await groups(allow('60s', before)), await groupsByGraphQL(allow('60s', before))]).toEqual([2, 2])
  })

  it('waits for a replica that is about to replay the position', async () => {
    const document = 'query ($store: ID!) { store(storeUuid: $store) { storeName } }'
    // Nobody else can answer then.
    await servers.primary.proxy.set({ kind: 'down' })
    let seen = 0
    for (let i = 0; i < 20; i++) {
      await servers.primary.query(`update store set store_name = 'name ${i}' where store_uuid = '${store}'`)
      const { rows } = await servers.primary.query('select pg_current_wal_flush_lsn() as position')
      const { json } = await query(document, allow('60s', rows[0].position))
      const { data } = json as { data: { store: { storeName: string } } | null }
      if (!data?.store) continue
      expect(data.store.storeName).toBe(`name ${i}`)
      seen++
    }
    expect(seen).toBeGreaterThan(0)
  })

  it('goes to the primary while the replica lags more than it allows, also where the primary is idle', async () => {
    await servers.pause()
    await write('P1')
    expect(await groups(allow('60s'))).toBe(1)
    await expect.poll(() => groups(allow('2s'))).toBe(2)
    expect(await gauge('lag_seconds')).toBeGreaterThan(1)
    await servers.resume()
    await inUse(1)
    // Nothing is written for longer than is allowed: the replica stays fresh.
    await sleep(4_000)
    await servers.primary.proxy.set({ kind: 'down' })
    await expect.poll(() => groups(allow('3s'))).toBe(2)
  })

  it('of a token with the option needs no header, and a header outweighs the option', async () => {
    const secret = async (staleWhile?: string) => {
      const wanted = { scopes: ['READ' as const], stores: [store], ...(staleWhile && { staleWhile }) }
      return { token: (await newToken(gateway, wanted)).secret }
    }
    const [lenient, strict] = [await secret('60s'), await secret()]
    await servers.catchUp()
    await servers.pause()
    const position = await write('P1')
    expect([await groups({}, lenient), await groups({}, strict)]).toEqual([1, 2])
    expect(await groups(allow('0s'), lenient)).toBe(2)
    expect(await groups({ 'x-catalogue-after': position }, lenient)).toBe(2)
    await expect(newToken(gateway, { scopes: ['READ'], staleWhile: '2 minutes' })).rejects.toThrow(
      'staleWhile must be 0s to 60s, such as 2s or 500ms; got \\"2 minutes\\"',
    )
  })

  it('from a replica neither fills nor uses the pages that are kept for others', async () => {
    const old = String((await list()).headers.etag)
    await servers.pause()
    await write('P1')
    const now = String((await list()).headers.etag)
    expect(now).not.toBe(old)
    for (let i = 0; i < 2; i++) {
      const stale = await list(allow('60s'))
      expect([groupsIn(stale), stale.headers.etag]).toEqual([1, old])
      gateway.database.statements()
      expect((await list()).headers.etag).toBe(now)
      // The page is kept: its version is all that is read.
      expect(gateway.database.statements()).toBe(1)
      expect((await list({ ...allow('60s'), 'if-none-match': old })).status).toBe(304)
      expect(groupsIn(await list({ 'if-none-match': old }))).toBe(2)
      expect((await list({ 'if-none-match': now })).status).toBe(304)
    }
  })

  it('of a document with a mutation goes to the primary', async () => {
    await servers.pause()
    const document = `mutation ($store: ID!) {
      addAssets(storeUuid: $store, assets: [{assetId: "b", parentCode: "P1", url: "https://cdn.example/b"}]) { added }
      updateStore(storeUuid: $store, input: { storeName: "new" }) { assetGroups { totalGroups } }
    }`
    const { json, headers } = await query(document, allow('60s'))
    expect(json).toMatchObject({ data: { updateStore: { assetGroups: { totalGroups: 2 } } } })
    expect(headers['x-catalogue-position']).toBeDefined()
    expect(await groups(allow('60s', String(headers['x-catalogue-position'])))).toBe(2)
  })

  it('is refused with a malformed header, which the answer names', async () => {
    const malformed = [
      { prefer: 'stale-while' },
      { prefer: 'stale-while=61s' },
      { prefer: 'stale-while=soon' },
      { 'x-catalogue-after': '12' },
      { 'x-catalogue-after': '0/16B3748, 0/16B3749' },
    ]
    await using plain = await startTestGateway({ database: gateway.database, connection: servers.primary.connection })
    for (const headers of malformed) {
      const [[field, value] = ['', '']] = Object.entries(headers)
      const details = expect.stringMatching(new RegExp(`^${field} must .*; got "${value}"$`, 'i'))
      for (const at of [gateway, plain]) {
        const { status, json } = await at.call(`/v1/assets?store_uuid=${store}`, { headers })
        expect([status, json]).toMatchObject([400, { data: { error_info: [{ reason: 'invalid_request', details }] } }])
        const answer = await at.call('/graphql', { method: 'POST', body: { query: '{ __typename }' }, headers })
        const message = details
        expect([answer.status, answer.json]).toMatchObject([400, { errors: [{ message }] }])
      }
      expect((await gateway.call('/v1/assets', { headers, token: null })).status).toBe(401)
    }
    const mutation = 'mutation ($store: ID!) { deleteProducts(storeUuid: $store, productCodes: []) { deletedSkus } }'
    expect((await query(mutation, { prefer: 'stale-while' })).json).toMatchObject({ data: { deleteProducts: {} } })
  })

  it('of a limited token is limited by row-level security on the replica too', async () => {
    const other = await newStore(gateway)
    await servers.catchUp()
    const [db, replica] = [servers.primary, servers.replica].map(({ connection }) => connect(connection, () => {}))
    if (!db || !replica) throw new Error('both must be there')
    const unusable = new AbortController().signal
    const limited = catalogueFor(db, { stores: new Set([store]) }, undefined, { db: replica, unusable })
    const { rows } = await sql`select store_uuid, current_user as user, pg_is_in_recovery() as "isReplica" from store
      where store_uuid in (${store}, ${other})`.execute(limited.db)
    expect(rows).toEqual([{ store_uuid: store, user: 'catalogue_tenant', isReplica: true }])
    await Promise.all([db.destroy(), replica.destroy()])
  })
})

describe('a write', () => {
  it('answers its position, also where it ran in a thread, and a read answers none', async () => {
    const products = Array.from({ length: 9_000 }, (_, i) => ({ product_code: `${i}`, status: 'active' }))
    const large = { method: 'PUT', body: products }
    const { status, headers } = await gateway.call(`/v1/products?store_uuid=${store}`, large)
    expect([status, headers['x-catalogue-position']]).toEqual([200, expect.any(String)])
    expect((await list(allow('60s'))).headers['x-catalogue-position']).toBeUndefined()
    const refused = await gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body: {} })
    expect([refused.status, refused.headers['x-catalogue-position']]).toEqual([400, undefined])
  })

  it('asks for no position without replicas', async () => {
    await using plain = await startTestGateway({ database: gateway.database, connection: servers.primary.connection })
    const { status, headers } = await plain.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body: [] })
    expect([status, headers['x-catalogue-position']]).toEqual([200, undefined])
  })

  it('is seen by the next reads of the typed client, which may be stale otherwise', async () => {
    const options = { baseUrl: `${gateway.url}/v1`, token, staleWhile: '60s' }
    const [writer, other] = [createCatalogueClient({ ...options }), createCatalogueClient({ ...options })]
    await servers.pause()
    await writer.placeAssets({ store_uuid: store }, [{ parent_code: 'P1', assets: { 'Image URL 1': urlOf('x') } }])
    const [own, others] = [
      await writer.listAssets({ store_uuid: store }),
      await other.listAssets({ store_uuid: store }),
    ]
    expect([own.total_groups, others.total_groups]).toEqual([2, 1])
  })
})

describe('a replica', () => {
  it('that lags 500 ms shows old data only to reads that allow it and name no position', async () => {
    await servers.stopReplica()
    await servers.startReplica(500)
    await inUse(1)
    const seen = { old: 0, fresh: 0 }
    for (let written = 1; written <= 24; written++) {
      const position = await write(`P${written}`)
      if (written % 3 === 0) await servers.catchUp()
      const [named, inGraphQL, usual, stale] = await Promise.all([
        groups(allow('10s', position)),
        groupsByGraphQL(allow('10s', position)),
        groups(),
        groups(allow('10s')),
      ])
      expect([named, inGraphQL, usual]).toEqual([written + 1, written + 1, written + 1])
      seen[stale <= written ? 'old' : 'fresh']++
    }
    expect(seen.old).toBeGreaterThan(0)
    expect(seen.fresh).toBeGreaterThan(0)
    await servers.stopReplica()
    await servers.startReplica()
  })

  it('that stops and comes back fails no read, and is reported once each', async () => {
    logged()
    let isOver = false
    const statuses = new Set<number>()
    const readers = [1, 2, 3, 4].map(async () => {
      while (!isOver) statuses.add((await list(allow('60s'))).status)
    })
    await servers.stopReplica()
    await inUse(0)
    await write('P1')
    expect(await groups(allow('60s'))).toBe(2)
    await expect.poll(async () => (await gateway.call('/ready')).status, { timeout: 10_000 }).toBe(200)
    await sleep(1_000)
    await servers.startReplica()
    await inUse(1)
    isOver = true
    await Promise.all(readers)
    expect(statuses).toEqual(new Set([200]))
    expect(logged()).toEqual(['a replica cannot be used', 'a replica answers: reads '])
    await servers.catchUp()
    await servers.pause()
    await write('P2')
    expect(await groups(allow('60s'))).toBe(2)
  })

  it('that hangs is given up within seconds, also by reads that are under way', async () => {
    await groups(allow('60s'))
    await servers.replica.proxy.set({ kind: 'hang' })
    const begun = performance.now()
    expect(await groups(allow('60s'))).toBe(1)
    expect(performance.now() - begun).toBeLessThan(30_000)
    await inUse(0)
    await servers.replica.proxy.set({ kind: 'none' })
    servers.replica.proxy.cut()
    await inUse(1)
  })

  it('serves alone where another one is dead', async () => {
    const dead = 'postgresql://127.0.0.1:1/none'
    for (const urls of [
      [dead, servers.replica.url],
      [servers.replica.url, dead],
    ]) {
      const own = await startGateway(urls)
      const reachable = async () => {
        const { text } = await own.call('/metrics')
        return [...text.matchAll(/^catalogue_replica_reachable\{replica="127.0.0.1:(\d+)"\} (\d)$/gm)].map(
          ([, port, value]) => [port, value],
        )
      }
      const port = new URL(servers.replica.url).port
      await expect.poll(reachable).toEqual(urls.map((url) => (url === dead ? ['1', '0'] : [port, '1'])))
      const lag = new RegExp(`replica_lag_seconds\\{replica="127.0.0.1:${port}"\\} 0`)
      await expect.poll(async () => (await own.call('/metrics')).text).toMatch(lag)
      const read = () => own.call(`/v1/assets?store_uuid=${store}`, { headers: allow('60s') })
      // Nobody else can answer then.
      await servers.primary.proxy.set({ kind: 'down' })
      for (let i = 0; i < 10; i++) expect(groupsIn(await read())).toBe(1)
      await servers.primary.proxy.set({ kind: 'none' })
      await own.stop()
    }
  })

  it('of something else is not used, and the log says why', async () => {
    await servers.primary.query('drop role if exists other; create role other superuser login')
    await servers.catchUp()
    const fork = await servers.startFork()
    onTestFinished(fork.stop)
    const { url } = servers.replica
    const unusable: [url: string, reason: RegExp, more?: object][] = [
      [url.replace(/\w+$/, 'postgres'), /migration/],
      [url.replace(/\w+@/, 'other@'), /the primary's database and user/],
      [servers.primary.url, /no replica/],
      ['postgresql://127.0.0.1:1/none', /ECONNREFUSED/],
      [url, /replicates another server/, fork.connection],
    ]
    for (const [other, reason, more] of unusable) {
      lines = []
      await using own = await startGateway([other], more)
      const reasons = () => lines.flatMap(({ msg, reason }) => (msg === 'a replica cannot be used' ? [reason] : []))
      await expect.poll(reasons).toContainEqual(expect.stringMatching(reason))
      const { status } = await own.call(`/v1/assets?store_uuid=${store}`, { headers: allow('60s') })
      expect(status).toBe(more ? 404 : 200)
    }
  })

  it.each([
    ['through a pooler as the primary is', '', { transactionPooling: true }],
    ['where its transactions are serializable', 'serializable', {}],
    ['through a pooler where its transactions are serializable', 'serializable', { transactionPooling: true }],
  ])('is used %s', async (_how, level, more) => {
    const settings = level && `?options=${encodeURIComponent(`-c default_transaction_isolation=${level}`)}`
    const own = await startGateway([servers.replica.url + settings], more)
    await expect.poll(async () => (await own.call('/metrics')).text).toMatch(/replica_lag_seconds\{.*\} 0\.\d+/)
    await servers.pause()
    await addAssets(gateway, store, [['b', 'P1']])
    const { json } = await own.call(`/v1/assets?store_uuid=${store}`, { headers: allow('60s') })
    expect(json).toMatchObject({ data: { total_groups: 1 } })
    await own.stop()
  })
})

describe('replicaFirst', () => {
  const plain = useGateway()

  it('asks the primary what fails on the replica, but not again what is too large or too long', async () => {
    const { db, connection } = plain.database
    const unusable = new AbortController()
    const short = connect({ ...connection, statement_timeout: 50, database: 'postgres' }, () => {})
    const first = replicaFirst({ db: short, unusable: unusable.signal }, db)
    expect(await first.selectFrom('store').select('store_uuid').execute()).toEqual([])
    await expect(sql`select pg_sleep(1)`.execute(first)).rejects.toThrow('statement timeout')
    const refusing = short.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async () => {
        throw invalidRequest([{ details: 'too large' }])
      },
    })
    await expect(sql`select 1`.execute(replicaFirst({ db: refusing, unusable: unusable.signal }, db))).rejects.toThrow(
      'too large',
    )
    const slow = connect({ ...connection, database: 'postgres' }, () => {})
    setTimeout(() => unusable.abort(), 100)
    const who = sql`select current_database() as name, pg_sleep(case current_database() when 'postgres' then 4 else 0 end)`
    const { rows } = await who.execute(replicaFirst({ db: slow, unusable: unusable.signal }, db))
    expect(rows).toMatchObject([{ name: expect.stringMatching(/^test_/) }])
    await Promise.all([short.destroy(), slow.destroy()])
  })
})

describe('DATABASE_READ_URL', () => {
  it('has one URL or several, or the gateway does not start', () => {
    const read = (DATABASE_READ_URL: string) => readConfig({ DATABASE_READ_URL }).databaseReadUrl
    expect(read('')).toEqual([])
    const urls = ['postgresql://u:p@one:5433/d', 'postgres://two/d']
    expect(read(urls.join(', '))).toEqual(urls)
    for (const wrong of ['replica:5432', 'http://one/d', 'postgresql://one,two/d']) {
      expect(() => read(wrong)).toThrow(
        'DATABASE_READ_URL must be URLs such as postgresql://user:password@host/database',
      )
    }
  })
})

it('tells of when an answer of a replica is by what that has replayed', async () => {
  const document = 'query ($store: ID!) { store(storeUuid: $store) { products { asOf totalCount } } }'
  const asOf = async (headers: Record<string, string> = {}) => {
    const { json } = await query(document, headers)
    return Date.parse((json as { data: { store: { products: { asOf: string } } } }).data.store.products.asOf)
  }
  await servers.pause()
  await write('P1')
  const written = await asOf()
  expect(await asOf(allow('60s'))).toBeLessThan(written)
})

it('a replica that hangs while it is looked for does not hold up the end', async () => {
  await using proxy = await startPostgresProxy()
  await proxy.set({ kind: 'hang' })
  const url = databaseUrl({ user: 'nobody', ...proxy.connection, database: 'none' })
  const replicas = watchReplicas([url], servers.primary.connection, pino({ level: 'silent' }))
  await expect.poll(proxy.accepted).toBeGreaterThan(0)
  const begun = performance.now()
  await replicas.close()
  // A connection to it is given up after 5 s.
  expect(performance.now() - begun).toBeLessThan(3_500)
})
