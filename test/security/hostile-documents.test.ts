import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { nested, times } from '../fuzz/monster.ts'
import { createTestDatabase } from '../support/database.ts'
import { type GraphQLReply, startTestGateway, type TestGateway } from '../support/gateway.ts'
import { newToken } from '../support/tokens.ts'

let gateway: TestGateway
let token: string
beforeAll(async () => {
  gateway = await startTestGateway()
  token = (await newToken(gateway, { scopes: ['READ', 'WRITE'] })).secret
})
afterAll(() => gateway.stop())

/** Documents that are made to cost much: each way in several sizes. */
const ways: ((n: number) => string)[] = [
  (n) => `{ ${times(n, (i) => `a${i}: stores { totalCount }`, ' ')} }`,
  (n) => `{ ${times(n, () => 'stores { totalCount }', ' ')} }`,
  (n) => `{ stores { ${times(n, (i) => `a${i}: totalCount`, ' ')} } }`,
  (n) => `{ stores { ${times(n * 10, () => 'totalCount', ' ')} } }`,
  (n) => `{ stores ${times(n, () => '@include(if: true)', ' ')} { totalCount } }`,
  (n) => `{ stores ${times(n, () => '@nothing', ' ')} { totalCount } }`,
  (n) => `{ store(storeUuid: "x") ${nested('{ linkedStores ', '}', n, '{ storeUuid }')} }`,
  (n) => `{ stores ${nested('{ edges { node { linkedStores ', '} } }', n, '{ storeUuid }')} }`,
  (n) => `{ ...F } fragment F on Query { store(storeUuid: "x") ${nested('{ linkedStores ', '}', n, '{ storeUuid }')} }`,
  (n) =>
    `{ ...__schema } fragment __schema on Query { store(storeUuid: "x") ${nested('{ linkedStores ', '}', n, '{ storeUuid }')} }`,
  (n) =>
    `{ ...F0 } ${times(n, (i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`, ' ')} fragment F${n} on Query { stores { totalCount } }`,
  (n) => `{ ...F0 } ${times(n, (i) => `fragment F${i} on Query { ...F${(i + 1) % n} }`, ' ')}`,
  (n) =>
    `{ ${times(n, (i) => `...F${i}`, ' ')} } ${times(n, (i) => `fragment F${i} on Query { a: stores(first: ${i}) { totalCount } }`, ' ')}`,
  (n) => `{ ${times(n, (i) => `a: store(storeUuid: "${i}") { storeUuid }`, ' ')} }`,
  (n) => times(n, (i) => `query Q${i} { stores { totalCount } }`, ' '),
  (n) => `query (${times(n, (i) => `$v${i}: Int`, ' ')}) { stores { nothing } }`,
  (n) => `{ stores(filter: ${nested('{ search: ', '}', n, '"x"')}) { totalCount } }`,
  (n) => `{ stores(filter: { search: ${nested('[', ']', n)} }) { totalCount } }`,
  (n) => nested('{ stores ', '}', n),
  (n) => `{ __schema { types ${nested('{ fields { type ', '} }', n, '{ name }')} } }`,
  (n) => `{ __type(name: "Store") ${nested('{ ofType ', '}', n, '{ name }')} }`,
  (n) => `{ ${times(n, (i) => `storess${i}`, ' ')} }`,
  (n) => `{ stores { totalCount } `.repeat(n),
  (n) => `subscription { ${times(n, (i) => `a${i}: stores { totalCount }`, ' ')} }`,
  (n) => `mutation { ${times(n, (i) => `a${i}: deleteAssets(selectors: []) { failed }`, ' ')} }`,
]
const sizes = [60, 80, 110, 150, 250, 400, 700, 1_000]
const documents = ways.flatMap((way) => sizes.map(way))

it('200 hostile documents are refused, each without a statement', async () => {
  expect(documents).toHaveLength(200)
  await gateway.call('/v1/nothing', { token })
  let slowest = 0
  let asked = 0
  for (const query of documents) {
    gateway.database.statements()
    const began = performance.now()
    const reply = await gateway.call('/graphql', { method: 'POST', body: { query }, token })
    slowest = Math.max(slowest, performance.now() - began)
    asked += gateway.database.statements()
    expect((reply.json as GraphQLReply).errors?.length, query.slice(0, 100)).toBeGreaterThan(0)
    expect(reply.json, query.slice(0, 100)).not.toHaveProperty('data')
    expect([200, 400, 405], query.slice(0, 100)).toContain(reply.status)
  }
  // Only the poll of the cached tokens may have come in between, one statement every two seconds.
  expect(asked).toBeLessThan(20)
  process.stderr.write(
    `row 17: 200 hostile documents, the slowest took ${slowest.toFixed(1)} ms, ${asked} statements\n`,
  )
})

it('a process that has just begun refuses them as well', async () => {
  const database = await createTestDatabase()
  const main = fileURLToPath(new URL('../../src/main.js', import.meta.url))
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: database.url,
    BOOTSTRAP_TOKEN: 'a-token-for-a-cold-start',
    PORT: '0',
  }
  const child = spawn(process.execPath, [main, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (data: Buffer) => {
        const found = /http:\/\/[\d.]+:\d+/.exec(data.toString())
        if (found) resolve(found[0])
      })
      child.once('exit', () => reject(new Error('the gateway did not start')))
    })
    const headers = { authorization: 'Bearer a-token-for-a-cold-start', 'content-type': 'application/json' }
    let slowest = 0
    for (const query of documents.filter((_, i) => i % sizes.length === 7)) {
      const began = performance.now()
      const reply = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
      slowest = Math.max(slowest, performance.now() - began)
      expect([200, 400, 405], query.slice(0, 100)).toContain(reply.status)
      expect(await reply.json(), query.slice(0, 100)).toHaveProperty('errors')
    }
    process.stderr.write(`row 17: in a cold process the slowest took ${slowest.toFixed(1)} ms\n`)
  } finally {
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('exit', resolve))
    await database.drop()
  }
})
