import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { packagedBinDir } from '../../../src/embedded-postgres/binaries.ts'
import { type EmbeddedServer, startEmbedded } from '../../../src/embedded-postgres/embedded-postgres.ts'
import { documentOf } from '../../support/clients/operations.ts'
import { callRest, type RestReply } from '../../support/clients/rest-client.ts'
import { databaseUrl } from '../../support/database/database.ts'
import { newStore } from '../../support/factories.ts'
import { useFolder } from '../../support/folder.ts'
import { listen } from '../../support/servers/loopback.ts'
import type { Program } from '../../support/servers/program.ts'
import { serve } from '../../support/servers/serve.ts'

const folder = useFolder()
let postgres: EmbeddedServer
let provider: Server
let program: Program

beforeAll(async () => {
  postgres = await startEmbedded({ dataDir: folder.file('data'), binDir: await limitedPrograms() })
  provider = createServer(() => {})
  const issuer = `http://127.0.0.1:${await listen(provider)}`
  const jwt = { JWT_ISSUER: issuer, JWT_AUDIENCE: 'the-catalogue', JWT_JWKS_URL: issuer }
  program = await serve({ url: databaseUrl(postgres.connection) }, [], jwt)
})
afterAll(async () => {
  await program.end()
  await limitFiles('unlimited')
  await postgres.stop()
  provider.close()
})

/** PostgreSQL's programs with a limit on the size of its files, which is to it what a full disk is; WAL is small. */
async function limitedPrograms(): Promise<string> {
  const real = process.env.TEST_POSTGRES_BIN ?? (await packagedBinDir())
  const [bin, limit] = [folder.file('bin'), folder.file('limit')]
  await mkdir(bin)
  await limitFiles('unlimited')
  const programs = {
    initdb: `exec '${real}/initdb' --wal-segsize=1 "$@"`,
    postgres: `ulimit -f "$(cat '${limit}')"\nexec '${real}/postgres' "$@"`,
  }
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`)
    await chmod(join(bin, name), 0o755)
  }
  return bin
}

/** In blocks of 512 bytes, from the next start of PostgreSQL on. */
async function limitFiles(blocks: number | 'unlimited'): Promise<void> {
  await writeFile(folder.file('limit'), String(blocks))
}

async function restartPostgres(): Promise<void> {
  const pidFile = folder.file('data/postgres/cluster/postmaster.pid')
  const pid = async () => Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10)
  const before = await pid()
  process.kill(before, 'SIGINT')
  await expect.poll(async () => ![before, Number.NaN].includes(await pid())).toBe(true)
}

function problemOf({ status, headers, entries = [] }: RestReply) {
  return { status, retryAfter: headers['retry-after'], ...entries[0] }
}

const logged = (message: string) => program.stderr().includes(`"msg":"${message}`)

const unavailable = { status: 503, retryAfter: '1', reason: 'unavailable' }
const text = 'x'.repeat(1_500)
const createProducts = (store: string, prefix: string, count: number) => {
  const body = Array.from({ length: count }, (_, i) => ({ product_code: `${prefix}${i}`, Text: text }))
  return callRest(program, `POST /products?store_uuid=${store}`, body)
}

it('a database without memory says so', async () => {
  const store = await newStore(program)
  const greedy = new pg.Client(postgres.connection)
  await greedy.on('error', () => {}).connect()
  const all = greedy.query('select pg_advisory_lock(i) from generate_series(1, 10000000) i')
  await expect(all).rejects.toMatchObject({ code: '53200' })
  const details = 'the database has no memory left; retry later'
  expect(problemOf(await createProducts(store, 'A', 1))).toEqual({ ...unavailable, details })
  expect(logged('the database has no memory left')).toBe(true)
  await greedy.end()
  await expect.poll(async () => (await createProducts(store, 'A', 1)).status).toBe(200)
})

it('a write that waits too long for another one says so', async () => {
  const store = await newStore(program)
  const other = new pg.Client(postgres.connection)
  await other.connect()
  await other.query('begin; lock table product in share mode')
  const details = 'other requests have locked what this one changes; retry later'
  expect(problemOf(await createProducts(store, 'L', 1))).toEqual({ ...unavailable, details })
  expect(logged('other requests have locked what this one changes')).toBe(true)
  await other.end()
})

it('an identity provider that is silent is named', async () => {
  const jwt = [{ alg: 'ES256', kid: 'a' }, { sub: 'x' }, 'signature'].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  const details = 'the identity provider does not answer; retry later'
  const as = { token: jwt.join('.') }
  expect(problemOf(await callRest(program, 'GET /products', undefined, as))).toEqual({ ...unavailable, details })
  const listing = { status: 502, retryAfter: undefined, reason: 'downstream_unavailable', details }
  expect(problemOf(await callRest(program, 'GET /assets', undefined, as))).toEqual(listing)
  expect(logged('the identity provider does not answer')).toBe(true)
})

it('a full disk: reads go on, writes and /ready say what is missing, until there is room', async () => {
  const store = await newStore(program)
  expect((await createProducts(store, 'A', 2_000)).status).toBe(200)
  expect(await program.call('/ready')).toMatchObject({ status: 200, text: '{"status":"ok"}' })

  await limitFiles(4_096)
  await restartPostgres()
  const read = async () => (await program.call(`/v1/products?store_uuid=${store}&limit=1`)).status
  await expect.poll(read).toBe(200)
  const details = 'the database has no room on its disk; retry later'
  expect(problemOf(await createProducts(store, 'B', 500))).toEqual({ ...unavailable, details })
  const products = Array.from({ length: 500 }, (_, i) => ({ productCode: `C${i}`, attributes: { Text: text } }))
  const variables = { storeUuid: store, products }
  const { errors } = await program.graphql(documentOf('upsertProducts', variables), variables)
  expect(errors).toMatchObject([{ message: details, extensions: { code: 'unavailable' } }])
  expect(logged('the database has no room on its disk')).toBe(true)
  await expect.poll(async () => (await program.call('/ready', { token: null })).text).toBe('{"status":"storage"}')
  expect((await program.call('/ready')).status).toBe(200)
  expect((await program.call('/health')).status).toBe(200)
  expect(await read()).toBe(200)
  expect((await program.call(`/v1/assets?store_uuid=${store}`)).status).toBe(200)

  await limitFiles('unlimited')
  await restartPostgres()
  await expect.poll(async () => (await program.call('/ready')).text).toBe('{"status":"ok"}')
  const created = await createProducts(store, 'B', 500)
  expect(created.data.created_skus).toHaveLength(500)
})
