import { setTimeout as sleep } from 'node:timers/promises'
import { parse, validate } from 'graphql'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../rest/endpoints.ts'
import { schema } from '../../schema/index.ts'
import type { Call } from '../support/clients/http.ts'
import { storeBody } from '../support/factories.ts'
import { allFields, type GeneratedDocument, generateDocuments } from '../support/generated-documents.ts'
import { type GraphQLReply, useGateway } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'
import { canary, createFixture, type Fixture, foreignJob, ownJob, ownWebhook, type TokenKind } from './fixture.ts'

const gateway = useGateway()
let fixture: Fixture
beforeAll(async () => {
  fixture = await createFixture(gateway)
  await sleep(1_000)
  // The feed has them once no transaction of the server is older.
  const areSeen = sql<{ seen: boolean }>`
    select bool_and(tx < pg_snapshot_xmin(pg_current_snapshot())) as seen from change`
  while (!(await areSeen.execute(gateway.database.db)).rows[0]?.seen) await sleep(100)
})

const jobOf = (store: string) => (store === fixture.own ? ownJob : store === fixture.foreign ? foreignJob : store)

const strangers: TokenKind[] = ['none', 'malformed', 'unknown', 'revoked', 'expired']
const headers = { 'x-request-id': 'the-same' }

/** The path of the store's webhook. */
function webhookPath(store: string, rest = ''): string {
  const ids = { [fixture?.own]: ownWebhook, [fixture?.foreign]: foreignJob }
  return `/v1/webhooks/${ids[store] ?? ownWebhook.replace(/e$/, 'a')}${rest}`
}

/** Each operation of REST, valid for a store that has what it names. A preview, where it would change something. */
const operations: Record<string, (store: string) => [path: string, call: Call]> = {
  'GET /assets': (store) => [`/v1/assets?store_uuid=${store}`, {}],
  'GET /products/{product_code}': (store) => [
    `/v1/products/CODE-1?store_uuid=${store}&at=2999-01-01T00:00:00.000Z`,
    {},
  ],
  'GET /products': (store) => [`/v1/products?store_uuid=${store}`, {}],
  ...Object.fromEntries(
    ['status', 'coverage', 'changes', 'jobs', 'failures'].map((name) => [
      `GET /reports/${name}`,
      (store: string) => [`/v1/reports/${name}?store_uuids=${store}`, {}] as [string, Call],
    ]),
  ),
  'GET /stores': () => ['/v1/stores', {}],
  'POST /imports': (store) => [`/v1/imports?store_uuid=${store}&dry_run=true`, { method: 'POST', body: 'sku\nA\n' }],
  'GET /imports/{job_id}': (store) => [`/v1/imports/${jobOf(store)}`, {}],
  'GET /imports/{job_id}/failures': (store) => [`/v1/imports/${jobOf(store)}/failures`, {}],
  'GET /events': (store) => [`/v1/events?store_uuid=${store}`, { method: 'HEAD' }],
  'GET /changes': (store) => [`/v1/changes?store_uuid=${store}`, {}],
  'GET /requests/{request_id}': (store) => [`/v1/requests/the-request?store_uuid=${store}`, {}],
  'POST /requests/{request_id}/revert': (store) => [
    `/v1/requests/the-request/revert?store_uuid=${store}&if_changed_since=overwrite&dry_run=true`,
    { method: 'POST' },
  ],
  'PUT /products': (store) => [
    `/v1/products?store_uuid=${store}&dry_run=true`,
    { method: 'PUT', body: [{ product_code: 'CODE-1', Color: 'red', Size: 'x' }, { product_code: `${canary}-2` }] },
  ],
  'PATCH /products': (store) => [
    `/v1/products?store_uuid=${store}&dry_run=true`,
    {
      method: 'PATCH',
      body: [{ product_code: 'CODE-1', attributes_to_remove: ['Color'] }, { product_code: `${canary}-2` }],
    },
  ],
  'DELETE /products': (store) => [
    `/v1/products?store_uuid=${store}&dry_run=true`,
    { method: 'DELETE', body: ['CODE-1', `${canary}-2`] },
  ],
  'POST /products': (store) => [
    `/v1/products?store_uuid=${store}&dry_run=true`,
    { method: 'POST', body: [{ product_code: 'CODE-1' }, { product_code: 'NEW', Size: 'x' }] },
  ],
  'POST /stores': (store) => [
    `/v1/stores?linked_store_id=${store}&copy_taxonomy=true&dry_run=true`,
    { method: 'POST', body: storeBody({ store_name: 'linked' }) },
  ],
  'POST /assets': (store) => [
    `/v1/assets?store_uuid=${store}&dry_run=true`,
    { method: 'POST', body: [{ parent_code: 'CODE-1', assets: { 'Image URL 1': 'https://cdn.example/new.jpg' } }] },
  ],
  'DELETE /assets': (store) => [
    '/v1/assets?dry_run=true',
    {
      method: 'DELETE',
      body: [
        { store_uuid: store, asset_id: ['asset-1', 'asset-9'] },
        { store_uuid: store, channel: 'SMP' },
      ],
    },
  ],
  'GET /webhooks': (store) => [`/v1/webhooks?store_uuid=${store}`, {}],
  'POST /webhooks': (store) => [
    `/v1/webhooks?store_uuid=${store}&dry_run=true`,
    { method: 'POST', body: { url: 'https://hook.example/new' } },
  ],
  'GET /webhooks/{id}': (store) => [webhookPath(store), {}],
  'GET /webhooks/{id}/deliveries': (store) => [webhookPath(store, '/deliveries'), {}],
  'PATCH /webhooks/{id}': (store) => [`${webhookPath(store)}?dry_run=true`, { method: 'PATCH', body: {} }],
  'DELETE /webhooks/{id}': (store) => [`${webhookPath(store)}?dry_run=true`, { method: 'DELETE' }],
  ...Object.fromEntries(
    ['test', 'rotate', 'retry', 'skip', 'replay'].map((act) => [
      `POST /webhooks/{id}/${act}`,
      (store: string) =>
        [`${webhookPath(store, `/${act}`)}?dry_run=true&from=2026-11-01T00:00:00Z`, { method: 'POST' }] as [
          string,
          Call,
        ],
    ]),
  ),
  'POST /assets/unlink': (store) => [
    '/v1/assets/unlink?dry_run=true',
    { method: 'POST', body: [{ store_uuid: store, parent_code: 'CODE-1', channel: 'SMP' }] },
  ],
}

/** The answer's status, headers and body as bytes, with one name for the store, and the number of statements sent. */
async function answerOf(path: string, call: Call, kind: TokenKind, store: string) {
  gateway.database.statements()
  const sent = { ...call, headers: { ...headers, ...call.headers }, token: fixture.tokens[kind] }
  const { status, text, headers: given } = await gateway.call(path, sent)
  // A connection is closed after a refusal that is sent before the whole body has come: a matter of timing.
  const { date: _, 'content-length': __, connection: ___, 'keep-alive': ____, ...rest } = given
  // The cursor of a feed goes on with every transaction of the server.
  const body = text
    .replaceAll(store, 'THE-STORE')
    .replace(/(?<="next":")[\w-]+/g, 'A-CURSOR')
    .replace(/(?<="asOf":")[^"]+/g, 'NOW')
  return { status, headers: rest, body, statements: gateway.database.statements() }
}

type Answer = Awaited<ReturnType<typeof answerOf>>

/** The answer with the fewer statements of two times, as tokens are looked up again now and then. */
async function counted(ask: () => Promise<Answer>): Promise<Answer> {
  const first = await ask()
  const second = first.statements === 0 ? first : await ask()
  return { ...second, statements: Math.min(first.statements, second.statements) }
}

const rest = (operation: string, kind: TokenKind, store: string) => {
  const [path, call] = operations[operation]?.(store) ?? ['']
  return answerOf(path, call ?? {}, kind, store)
}

const graphql = (document: GeneratedDocument, kind: TokenKind, store: string) => {
  const accept = document.operation === 'subscription' ? { accept: 'text/event-stream' } : {}
  return answerOf('/graphql', { method: 'POST', body: { query: document.text(store) }, headers: accept }, kind, store)
}

it('the matrix has every operation of REST', () => {
  expect(Object.keys(operations).sort()).toEqual(endpoints.map(({ method, path }) => `${method} ${path}`).sort())
})

describe.each(Object.keys(operations))('%s', (operation) => {
  const isOfWebhooks = operation.includes('/webhooks')
  const isRead = operation.startsWith('GET') || isOfWebhooks
  const namesStore = !/\/(webhooks|imports)\/\{/.test(operation)

  it('is refused to strangers, the same for every store', async () => {
    for (const kind of strangers) {
      const [own, foreign] = [await rest(operation, kind, fixture.own), await rest(operation, kind, fixture.foreign)]
      expect(own.status, kind).toBe(401)
      expect({ ...own, statements: 0 }, kind).toEqual({ ...foreign, statements: 0 })
    }
  })

  it('needs its scope, whichever store it is', async () => {
    for (const store of [fixture.own, fixture.foreign, fixture.absent]) {
      expect((await rest(operation, isRead ? 'write-only' : 'read-only', store)).status).toBe(403)
    }
    expect((await rest(operation, isRead ? 'read-only' : 'write-only', fixture.foreign)).status).toBe(200)
    expect((await rest(operation, 'admin', fixture.foreign)).status).toBe(200)
  })

  if (operation === 'GET /stores') {
    it('lists a limited token its own stores and no other', async () => {
      const own = await rest(operation, 'limited', fixture.own)
      expect([own.status, own.body.match(/"store_uuid":"[^"]*"/g)]).toEqual([200, ['"store_uuid":"THE-STORE"']])
      expect(own.body).not.toMatch(canary)
      expect((await rest(operation, 'other store', fixture.own)).body).not.toMatch('THE-STORE')
    })
    return
  }

  it('has for a limited token its own store, and a foreign one no more than one that does not exist', async () => {
    const allowed = operation === 'POST /stores' ? 403 : 200
    expect((await rest(operation, 'limited', fixture.own)).status).toBe(allowed)
    const foreign = await counted(() => rest(operation, 'limited', fixture.foreign))
    expect(foreign).toEqual(await counted(() => rest(operation, 'limited', fixture.absent)))
    expect(foreign.body).not.toMatch(canary)
    // The database is not asked: the gateway checks the store first, and both answers take as long.
    if (namesStore) expect(foreign.statements).toBe(0)
    expect(await counted(() => rest(operation, 'other store', fixture.own))).toEqual(foreign)
  })
})

describe('GraphQL', () => {
  const documents = generateDocuments()
  const subscriptions = documents.filter(({ operation }) => operation === 'subscription')
  const answered = documents.filter(({ operation }) => operation !== 'subscription')
  const ofAdmins = ['tokens', 'createToken', 'revokeToken']
  const ofAllStores = ['createStore']
  /** Mutations that need `webhook` and `read` in place of `write`. */
  const ofWebhooks = ['createWebhook', 'updateWebhook', 'rotateWebhookSecret', 'deleteWebhook', 'testWebhook'].concat([
    'replayWebhook',
    'retryWebhook',
    'skipWebhookEvent',
  ])
  /** Their documents select what the scope `read` is needed for. */
  const withReadingPayload = [
    ...['createStore', 'updateStore', 'moveAsset', 'reorderAssets', 'startImport', 'startExport', 'deleteJob'],
    ...['defineAttributes', 'removeAttributeDefinitions'],
  ]

  it('the matrix has every field of every type', () => {
    const visited = new Set(documents.flatMap((document) => [...document.visits]))
    expect(allFields().filter((field) => !visited.has(field))).toEqual([])
  })

  it('the documents are good', () => {
    const faults = documents.flatMap((document) => validate(schema, parse(document.text(fixture.own))))
    expect(faults).toEqual([])
  })

  it('what only administrators may do is known here', () => {
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
    const fields = roots.flatMap((root) => Object.values(root?.getFields() ?? {}))
    const asking = (access: string) =>
      fields.filter(({ extensions }) => extensions.access === access).map(({ name }) => name)
    expect(asking('admin').sort()).toEqual(ofAdmins.toSorted())
    expect(asking('all stores')).toEqual(ofAllStores)
    expect(asking('webhook').sort()).toEqual(['webhook', ...ofWebhooks].sort())
  })

  it.each(documents)('$title is refused to strangers', async (document) => {
    for (const kind of strangers) {
      const own = await graphql(document, kind, fixture.own)
      expect(own.status, kind).toBe(401)
      expect(own.body, kind).not.toMatch(/"data"/)
      expect({ ...own, statements: 0 }).toEqual({ ...(await graphql(document, kind, fixture.foreign)), statements: 0 })
    }
  })

  it.each(subscriptions)('$title needs its scope, and has nothing of a foreign store', async (document) => {
    expect((await graphql(document, 'write-only', fixture.own)).status).toBe(403)
    const foreign = await counted(() => graphql(document, 'other store', fixture.own))
    expect(foreign).toEqual(await counted(() => graphql(document, 'other store', fixture.absent)))
    expect(foreign.body).toMatch(/store_not_found|"job":null/)
  })

  it.each(answered)('$title needs its scope', async (document) => {
    const isRead = document.operation !== 'mutation' || ofWebhooks.includes(document.field)
    const wrong = await counted(() => graphql(document, isRead ? 'write-only' : 'read-only', fixture.own))
    expect(wrong).toMatchObject({ status: 403, statements: 0 })
    const right = await graphql(document, isRead ? 'read-only' : 'write-only', fixture.own)
    const closed = [...ofAdmins, ...withReadingPayload].includes(document.field)
    expect(right.status, right.body).toBe(closed ? 403 : 200)
    expect((await graphql(document, 'admin', fixture.foreign)).status).toBe(200)
  })

  it.each(answered)('$title has for a limited token nothing of a foreign store', async (document) => {
    const own = await graphql(document, 'limited', fixture.own)
    const closed = [...ofAdmins, ...ofAllStores].includes(document.field)
    expect(own.status).toBe(closed ? 403 : 200)
    expect(own.body).not.toMatch(/internal_error/)
    const foreign = await counted(() => graphql(document, 'limited', fixture.foreign))
    // Numbers are as of now.
    const withoutTime = (reply: typeof foreign) => ({ ...reply, body: reply.body.replaceAll(/"asOf":"[^"]+"/g, '') })
    expect(withoutTime(foreign)).toEqual(withoutTime(await counted(() => graphql(document, 'limited', fixture.absent))))
    for (const { body } of [own, foreign]) {
      expect(body).not.toMatch(canary)
      expect(body).not.toMatch(/canary\.example/)
      expect(body).not.toContain(fixture.foreign)
    }
  })

  it.each(answered)(
    '$title has for an administrator what limited tokens must not see, so that the test would notice',
    async (document) => {
      const { body } = await graphql(document, 'admin', fixture.foreign)
      const { data } = JSON.parse(body) as GraphQLReply
      const reads = document.operation === 'query' && !['enumerations', 'tokens'].includes(document.field)
      if (reads && /storeName|productCode|\burl\b/.test(document.text(''))) expect(JSON.stringify(data)).toMatch(canary)
    },
  )
})

describe('webhooks', () => {
  it.each([
    ['READ', 'WRITE'],
    ['WEBHOOK', 'WRITE'],
  ] as const)('are closed to a token with the scopes %s and %s only', async (...scopes) => {
    const { secret } = await newToken(gateway, { scopes: [...scopes] })
    const documents = [
      `{ store(storeUuid: "${fixture.own}") { webhooks { url } } }`,
      `{ webhook(id: "${ownWebhook}") { url } }`,
      `mutation { deleteWebhook(id: "${ownWebhook}", dryRun: true) { webhookId } }`,
    ]
    for (const query of documents) expect((await gateway.post(query, { token: secret })).status, query).toBe(403)
  })
})

describe('the edges between stores', () => {
  const ask = async (query: string, kind: TokenKind) =>
    (await gateway.post(query, { token: fixture.tokens[kind] })).json

  it('lead to no foreign store, nor count it', async () => {
    const everything =
      '{ stores { totalCount edges { node { storeName linkedStores { storeName } } } pageInfo { hasNextPage } } }'
    expect((await ask(everything, 'limited')).data).toEqual({
      stores: {
        totalCount: 1,
        edges: [{ node: { storeName: 'own', linkedStores: [] } }],
        pageInfo: { hasNextPage: false },
      },
    })
    expect(JSON.stringify((await ask(everything, 'admin')).data)).toMatch(canary)
  })

  it('stay closed to every filter and cursor', async () => {
    const { data } = await ask(`{ store(storeUuid: "${fixture.own}") { storeGroup } }`, 'limited')
    const { storeGroup } = (data as unknown as { store: { storeGroup: string } }).store
    const foreign = Buffer.from(`stores:${fixture.foreign}`).toString('base64url')
    const lists = [
      `stores(filter: { storeGroup: "${storeGroup}", search: "${canary}" })`,
      `stores(filter: { search: "${canary}" })`,
      `stores(after: "${Buffer.from(`stores:${fixture.own}`).toString('base64url')}")`,
      `stores(before: "${foreign}", after: "${Buffer.from(`stores:${fixture.own}`).toString('base64url')}")`,
    ]
    for (const list of lists) {
      const reply = await ask(`{ ${list} { edges { node { storeUuid } } } }`, 'limited')
      expect(reply.data, list).toEqual({ stores: { edges: [] } })
    }
  })

  it('hold for writes with an Idempotency-Key too', async () => {
    const put = (store: string, key: string, product_code: string) =>
      gateway.call(`/v1/products?store_uuid=${store}`, {
        method: 'PUT',
        body: [{ product_code, Color: 'green' }],
        token: fixture.tokens.limited,
        headers: { ...headers, 'idempotency-key': key },
      })
    const [first, again] = [await put(fixture.own, 'a key', 'CODE-1'), await put(fixture.own, 'a key', 'CODE-1')]
    expect(first.json).toMatchObject({ data: { updated_skus: ['CODE-1'] } })
    expect(again.text).toBe(first.text)
    for (const key of ['a key', 'another key']) {
      const foreign = await put(fixture.foreign, key, 'CODE-1')
      expect(foreign.status).toBe(404)
      expect(foreign.text.replace(fixture.foreign, '')).toBe(
        (await put(fixture.absent, key, 'CODE-1')).text.replace(fixture.absent, ''),
      )
    }
  })

  it('do not let one request mix what is there with what is not', async () => {
    const body = [fixture.own, fixture.foreign, fixture.absent].map((store_uuid) => ({ store_uuid, channel: 'SMP' }))
    const { json } = await gateway.call('/v1/assets?dry_run=true', {
      method: 'DELETE',
      body,
      token: fixture.tokens.limited,
    })
    expect(json).toMatchObject({ data: { deleted_count: 2, failed: 2 } })
    expect(JSON.stringify(json)).not.toMatch(canary)
  })
})
