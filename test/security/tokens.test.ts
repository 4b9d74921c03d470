import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthentication } from '../../src/auth/authentication.ts'
import { isLong } from '../faults/support/scale.ts'
import { runCli } from '../support/clients/cli.ts'
import type { Item } from '../support/clients/client.ts'
import { ask, attempt } from '../support/clients/operations.ts'
import { newStore, unknownStore } from '../support/factories.ts'
import { startTestGateway, type TestGateway, useGateway } from '../support/servers/gateway.ts'
import { newToken, revoke } from '../support/tokens.ts'

const gateway = useGateway()
/** Further instances on the same database. */
let others: TestGateway[]
beforeAll(async () => {
  const another = () => startTestGateway({ database: gateway.database, more: { bootstrapToken: undefined } })
  others = [await another(), await another()]
})
afterAll(async () => {
  for (const other of others) await other.stop()
})

/** How each instance answers the token, over connections that are kept open. */
async function statuses(token: string): Promise<number[]> {
  const replies = await Promise.all([gateway, ...others].map((instance) => instance.call('/v1/nothing', { token })))
  return replies.map(({ status }) => status)
}

async function until(done: () => Promise<boolean>): Promise<void> {
  await expect.poll(done, { interval: 50 }).toBe(true)
}

describe('tokens', () => {
  it('are refused on every instance soon after their revocation, on open connections too', async () => {
    const { tokenId, secret } = await newToken(gateway, { scopes: ['READ'] })
    expect(await statuses(secret)).toEqual([404, 404, 404])
    await revoke(gateway, tokenId)
    const revoked = Date.now()
    await until(async () => (await statuses(secret)).every((status) => status === 401))
    // The bound of the specification is for a quiet machine.
    if (isLong) expect(Date.now() - revoked).toBeLessThan(5_000)
  })

  it('that are not there are revoked with null', async () => {
    for (const tokenId of [unknownStore(), 'none']) expect(await ask(gateway, 'revokeToken', { tokenId })).toBeNull()
  })

  it('are neither made nor revoked by a preview', async () => {
    const input = { name: 'not made', scopes: ['READ'] }
    const preview = await ask(gateway, 'createToken', { input, dryRun: true })
    expect(preview.token).toMatchObject({ name: 'not made' })
    expect(await statuses(String(preview.secret))).toEqual([401, 401, 401])
    const { tokenId, secret } = await newToken(gateway, { scopes: ['READ'] })
    const revoked = await ask(gateway, 'revokeToken', { tokenId, dryRun: true })
    expect(revoked).toMatchObject({ revokedAt: expect.any(String) })
    const tokens = await ask<Item[]>(gateway, 'tokens', { first: 1_000 })
    expect(tokens.filter(({ name }) => name === 'not made')).toEqual([])
    expect(tokens.find((each) => each.tokenId === tokenId)?.revokedAt).toBeNull()
    expect(await statuses(secret)).toEqual([404, 404, 404])
  })

  it('are refused when they expire', async () => {
    const { secret } = await newToken(gateway, { scopes: ['READ'], expires: '6s' })
    expect(await statuses(secret)).toEqual([404, 404, 404])
    await until(async () => (await statuses(secret)).every((status) => status === 401))
  })

  it('lose a scope that is removed in the database', async () => {
    const { tokenId, secret } = await newToken(gateway, { scopes: ['READ', 'WRITE'] })
    const write = async () => (await gateway.call('/v1/assets', { method: 'DELETE', body: [], token: secret })).status
    expect(await write()).toBe(200)
    await gateway.database.db
      .updateTable('token')
      .set({ scopes: ['read'] })
      .where('token_id', '=', tokenId)
      .execute()
    await until(async () => (await write()) === 403)
  })

  it('are kept as hashes, and shown once', async () => {
    const { tokenId, secret } = await newToken(gateway, { name: 'a secret one', scopes: ['READ'] })
    expect(secret).toMatch(/^cat_[\w-]{43}$/)
    const rows = await gateway.database.db.selectFrom('token').selectAll().where('token_id', '=', tokenId).execute()
    expect(JSON.stringify(rows)).not.toContain(secret)
    const tokens = await ask<Item[]>(gateway, 'tokens')
    expect(tokens).toContainEqual(expect.objectContaining({ tokenId, name: 'a secret one', scopes: ['READ'] }))
    expect(JSON.stringify(tokens)).not.toContain(secret)
  })

  it('report when they were last used', async () => {
    const { tokenId, secret } = await newToken(gateway, { scopes: ['READ'] })
    await gateway.call('/v1/nothing', { token: secret })
    const used = async () => {
      const tokens = await ask<Item[]>(gateway, 'tokens')
      return tokens.find((token) => token.tokenId === tokenId)?.lastUsedAt != null
    }
    await until(used)
  })

  // The lookups of a running gateway belong to no request, and are not counted.
  const authentication = (trustMs?: number) => createAuthentication({ db: gateway.database.db, trustMs })

  it('that could not have been made here are refused without asking the database', async () => {
    const authenticate = authentication()
    gateway.database.statements()
    for (let i = 0; i < 50; i++) expect(await authenticate(`Bearer cat_guess-${i}`)).toBeUndefined()
    expect(gateway.database.statements()).toBe(0)
  })

  it('are looked up once for many requests at once', async () => {
    const authenticate = authentication()
    const { tokenId, secret } = await newToken(gateway, { scopes: ['READ'] })
    gateway.database.statements()
    const callers = await Promise.all(Array.from({ length: 50 }, () => authenticate(`Bearer ${secret}`)))
    expect(new Set(callers.map((caller) => caller?.tokenId))).toEqual(new Set([tokenId]))
    // The lookup, and the time of the use.
    expect(gateway.database.statements()).toBe(2)
  })

  it('are trusted for the given time after their revocation, without a lookup, and no longer', async () => {
    const { tokenId, secret } = await newToken(gateway, { scopes: ['READ'] })
    const trustedFor = (trustMs: number) => {
      const authenticate = authentication(trustMs)
      return async () => (await authenticate(`Bearer ${secret}`)) !== undefined
    }
    const [long, short] = [trustedFor(600_000), trustedFor(500)]
    expect([await long(), await short()]).toEqual([true, true])
    await revoke(gateway, tokenId)
    gateway.database.statements()
    for (let i = 0; i < 50; i++) expect(await long()).toBe(true)
    expect(gateway.database.statements()).toBe(0)
    await expect.poll(short, { interval: 5 }).toBe(false)
  })
})

describe('scopes', () => {
  const read = ['/v1/products', '/v1/assets']
  const write: [path: string, method: string][] = [
    ['/v1/stores', 'POST'],
    ['/v1/products', 'PUT'],
    ['/v1/products', 'POST'],
    ['/v1/assets', 'POST'],
    ['/v1/assets', 'DELETE'],
    ['/v1/assets/unlink', 'POST'],
  ]
  const query = '{ enumerations { regions } }'
  const mutation = 'mutation { deleteAssets(selectors: []) { failed } }'
  const graphql = async (document: string, token: string) => {
    const { status, json } = await gateway.post(document, { token })
    return [status, json.errors?.[0]?.extensions.code]
  }

  it('open REST by method and GraphQL by operation, before anything else is looked at', async () => {
    const reader = await newToken(gateway, { scopes: ['READ'] })
    const writer = await newToken(gateway, { scopes: ['WRITE'] })
    for (const path of read) {
      expect((await gateway.call(path, { token: reader.secret })).status, path).toBe(400)
      expect((await gateway.call(path, { token: writer.secret })).status, path).toBe(403)
      const headers = { 'x-http-method-override': 'DELETE', 'x-method-override': 'PUT' }
      expect((await gateway.call(path, { token: reader.secret, headers })).status, path).toBe(400)
    }
    for (const [path, method] of write) {
      const call = { method, body: '{' }
      expect((await gateway.call(path, { ...call, token: reader.secret })).status, path).toBe(403)
      expect((await gateway.call(path, { ...call, token: writer.secret })).status, path).toBe(400)
    }
    expect(await graphql(query, reader.secret)).toEqual([200, undefined])
    expect(await graphql(query, writer.secret)).toEqual([403, 'forbidden'])
    expect(await graphql(mutation, reader.secret)).toEqual([403, 'forbidden'])
    expect(await graphql(mutation, writer.secret)).toEqual([200, undefined])
  })

  it('are those of the operation that runs, whichever others the document has', async () => {
    const { secret: token } = await newToken(gateway, { scopes: ['READ'] })
    const body = { query: `query A ${query} mutation B { deleteAssets(selectors: []) { failed } }` }
    const run = async (operationName: string) =>
      (await gateway.call('/graphql', { method: 'POST', body: { ...body, operationName }, token })).status
    expect([await run('A'), await run('B')]).toEqual([200, 403])
  })

  it('are paged by the UUID of a token', async () => {
    const { errors } = await gateway.graphql('{ tokens(after: "x") { name } }')
    const message = 'after must be a UUID; got "x"'
    expect(errors).toMatchObject([{ message, extensions: { code: 'invalid_request' } }])
  })

  it('keep tokens to administrators, through fragments and aliases too', async () => {
    const { secret } = await newToken(gateway, { scopes: ['READ', 'WRITE'] })
    const documents = [
      '{ tokens { name } }',
      '{ enumerations { regions } x: tokens { name } }',
      '{ ...F } fragment F on Query { ... { tokens { name } } }',
      'mutation { createToken(input: { name: "more", scopes: [ADMIN] }) { secret } }',
      'mutation { revokeToken(tokenId: "x") { name } }',
    ]
    for (const document of documents) expect(await graphql(document, secret), document).toEqual([403, 'forbidden'])
    const admin = await newToken(gateway, { scopes: ['ADMIN'] })
    expect(await graphql('{ tokens { name } }', admin.secret)).toEqual([200, undefined])
    expect(await graphql(mutation, admin.secret)).toEqual([200, undefined])
  })

  it('of a token that is limited to stores never include administering, nor making stores', async () => {
    const store = await newStore(gateway)
    const input = { name: 'x', scopes: ['ADMIN'], stores: [store] }
    expect(await attempt(gateway, 'createToken', { input })).toMatchObject({ reason: 'invalid_request' })
    const { secret: token } = await newToken(gateway, { scopes: ['READ', 'WRITE'], stores: [store] })
    expect((await gateway.call('/v1/stores', { method: 'POST', body: {}, token })).status).toBe(403)
    const create = `mutation { createStore(input: { storeName: "x", storeTaxonomy: "catalog", region: [], channels: [], defaultAutomation: [] }) { storeUuid } }`
    expect(await graphql(create, token)).toEqual([403, 'forbidden'])
  })

  it('must be valid, and the stores of a new token must exist', async () => {
    const reason = async (input: Item) =>
      (await attempt(gateway, 'createToken', { input: { name: 'x', scopes: ['READ'], ...input } })).reason
    expect(await reason({ stores: [unknownStore()] })).toBe('store_not_found')
    expect(await reason({ stores: [] })).toBe('invalid_request')
    expect(await reason({ scopes: [] })).toBe('invalid_request')
    expect(await reason({ name: ' ' })).toBe('invalid_request')
    expect(await reason({ expires: 'soon' })).toBe('invalid_request')
  })

  it('say what they may have at most, and which characters not', async () => {
    const details = async (input: Item) => {
      const given = { input: { name: 'x', scopes: ['READ'], ...input } }
      const { entries } = await attempt(gateway, 'createToken', given)
      return entries?.[0]?.details
    }
    expect(await details({ expires: '365000d' })).toContain('a duration of at most 36525d')
    expect(await details({ name: 'a\0' })).toContain('without NUL')
  })
})

describe('catalog token', () => {
  const cli = (...args: string[]) => runCli(['token', ...args], { DATABASE_URL: gateway.database.url })

  it('creates, lists and revokes', async () => {
    const store = await newStore(gateway)
    const options = `--name ci --scope read --store ${store} --expires 30d --json`
    const created = await cli('create', ...options.split(' '))
    expect(created.code, created.stderr).toBe(0)
    const { id, token, ...rest } = JSON.parse(created.stdout)
    expect(rest).toMatchObject({ name: 'ci', scopes: ['read'], stores: [store] })
    expect(Date.parse(rest.expires_at) - Date.now()).toBeGreaterThan(29 * 86_400_000)
    expect((await gateway.call(`/v1/assets?store_uuid=${store}`, { token })).status).toBe(200)
    const { stdout } = await cli('list', '--json')
    expect(JSON.parse(stdout).tokens).toContainEqual(expect.objectContaining({ id, name: 'ci', revoked_at: null }))
    expect(stdout).not.toContain(token)
    expect(await cli('revoke', id, '--json')).toMatchObject({ code: 0, stdout: `{"id":"${id}","revoked":true}\n` })
    await until(async () => (await gateway.call('/v1/nothing', { token })).status === 401)
  })

  it('refuses invalid arguments', async () => {
    expect((await cli('revoke', unknownStore())).code).toBe(1)
    expect((await cli('create', '--name', 'x', '--scope', 'everything')).code).toBe(2)
    expect((await cli('create', '--name', 'x', '--expires', '1 month')).code).toBe(2)
    expect((await cli('create')).code).toBe(2)
  })
})
