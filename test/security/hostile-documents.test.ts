import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { isLong } from '../faults/support/scale.ts'
import { nested, times } from '../random/fuzz/exhausting-request.ts'
import type { Caller } from '../support/clients/caller.ts'
import { useGateway } from '../support/servers/gateway.ts'
import { startProgram } from '../support/servers/program.ts'
import { newToken } from '../support/tokens.ts'

const gateway = useGateway()
let token: string
beforeAll(async () => {
  token = (await newToken(gateway, { scopes: ['READ', 'WRITE'] })).secret
})

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
  (n) => `{ store(storeUuid: "x") { changes { edges { node ${nested('{ revertedBy ', '}', n, '{ id }')} } } } }`,
  (n) => `{ ${times(n, (i) => `a${i}: series(metric: WRITES, from: 0, to: ${i}) { value }`, ' ')} }`,
  (n) => `{ store(storeUuid: "x") { ${times(n, (i) => `a${i}: facets(names: ["x"]) { distinct }`, ' ')} } }`,
  (n) => `mutation { ${times(n, (i) => `a${i}: deleteAssets(selectors: []) { failed }`, ' ')} }`,
]
/** Fields of dashboards: each with aliases, at great depth, and with a huge text. */
const dashboardFields: { of: 'Query' | 'Store' | 'Product'; field: string; selected: string }[] = [
  ...['statusRows', 'coverageRows', 'changeRows', 'jobRows', 'failureRows'].map((field) => ({
    of: 'Query' as const,
    field,
    selected: '{ storeName }',
  })),
  { of: 'Query', field: 'options(of: ACTORS)', selected: '{ value }' },
  { of: 'Query', field: 'products(filter: { search: "x" })', selected: '{ totalCount }' },
  { of: 'Store', field: 'assets(filter: { urlContains: "x" })', selected: '{ nodes { groups { channel } } }' },
  { of: 'Store', field: 'jobs(filter: { kind: IMPORT })', selected: '{ totalCount }' },
  { of: 'Store', field: 'readiness(channel: "SMP")', selected: '{ history(from: "2020-01-01T00:00:00Z") { ready } }' },
  { of: 'Store', field: 'readiness(channel: "SMP")', selected: '{ gaps { nodes { productCode } } }' },
  { of: 'Product', field: 'attribute(name: "x")', selected: '' },
  { of: 'Product', field: 'attributes(names: ["x"])', selected: '' },
  { of: 'Product', field: 'readiness', selected: '{ ready }' },
]
const within = {
  Query: ['{ ', ' }'],
  Store: ['{ stores { nodes { ', ' } } }'],
  Product: ['{ products { nodes { ', ' } } }'],
}

for (const { of, field, selected } of dashboardFields) {
  const [before, after] = within[of]
  const deeper = selected === '' ? '{ x ' : `${selected.slice(0, -1)} x `
  ways.push(
    (n) => `${before}${times(n, (i) => `a${i}: ${field} ${selected}`, ' ')}${after}`,
    (n) => `${before}${field} ${nested(deeper, '}', n, '{ x }')}${after}`,
    (n) => `${before}${field} @include(if: $${'x'.repeat(n * 150)}) ${selected}${after}`,
  )
}

const sizes = [60, 80, 110, 150, 250, 400, 700, 1_000]

/** Wrong documents within most limits: they cost validation and messages. Bodies above 64 KiB have their own thread. */
const cunning = [
  `{ stores { ${times(490, (i) => `nothing${i}`, ' ')} } }`,
  `{ stores { ${times(49, (i) => `storess @include(if: ${i}) @skip`, ' ')} } }`,
  `{ stores(filter: { search: [${times(980, () => '1', ' ')}] }) { totalCount } }`,
  `{ stores(filter: { search: "x", ${times(320, (i) => `nothing${i}: 1`, ' ')} }) { totalCount } }`,
  `{ stores(filter: { search: "${'x'.repeat(60_000)}" }) { nothing } }`,
  `# ${'x'.repeat(60_000)}\n{ nothing }`,
  `"""${' \n'.repeat(20_000)}`,
  `query (${times(99, (i) => `$v${i}: [[[[Int]]]] = [1]`, ' ')}) { stores(first: $w) { totalCount } }`,
  `{ stores { edges { node { ${times(40, (i) => `product(productCode: "${i}") { productCode }`, ' ')} } } } }`,
  `{ ...F0 } ${times(49, (i) => `fragment F${i} on Query { ${nested('... { ', '}', 8, `...F${i + 1}`)} }`, ' ')} fragment F49 on Query { nothing }`,
  `{ ${times(15, (i) => `...F${i}`, ' ')} } ${times(15, (i) => `fragment F${i} on Query { a: stores(first: ${i}) { ${times(20, (k) => `no${k}`, ' ')} } }`, ' ')}`,
  `{ ${times(19, (i) => `a${i}: stores(first: ${i}, filter: { no: 1 }) { ${times(20, (k) => `no${k}`, ' ')} }`, ' ')} }`,
  times(20, (i) => `query Q${i} { stores { ${times(19, () => 'edges { node { storeName nothing } }', ' ')} } }`, ' '),
  times(2_490, (i) => `scalar A${i}`, ' '),
  `{ ${times(19, (i) => `a${i}: stores(first: 100) { edges { node { linkedStores { linkedStores { storeName } } } } }`, ' ')} }`,
  `{ store(storeUuid: "x") { products(first: 100) { edges { node { changes(first: 100) { edges { node { items(first: 1) { edges { node { after } } } } } } } } } } }`,
  `{ store(storeUuid: "x") { ${times(4, (i) => `a${i}: changes(first: 100) { edges { node { items(first: 100) { edges { node { before after attribute productCode assetId channel } } } } } }`, ' ')} } }`,
]
const deep = nested('[', ']', 5_000)
/** In a process that has just begun, whose calls take more of the stack, they come first. */
const deepest: [query: string, status: number][] = [
  [`{ a(b: ${deep}) }`, 400],
  [`{ a(b: ${deep.replaceAll('[', '["]",')}) }`, 400],
  // No GraphQL from its first character on: a syntax error like any other.
  [deep, 200],
]
const documents = [...deepest.map(([query]) => query), ...ways.flatMap((way) => sizes.map(way)), ...cunning]

/** Sends all documents: each must be refused. The figure to reach holds on a machine that does nothing else. */
async function refuseAll({ post }: Caller, where: string): Promise<void> {
  let slowest = 0
  for (const query of documents) {
    const began = performance.now()
    const { status, json } = await post(query, { token })
    slowest = Math.max(slowest, performance.now() - began)
    expect(json.errors?.length, query.slice(0, 100)).toBeGreaterThan(0)
    expect(json, query.slice(0, 100)).not.toHaveProperty('data')
    expect([200, 400, 405], query.slice(0, 100)).toContain(status)
  }
  process.stderr.write(
    `row 17: ${documents.length} hostile documents, the slowest ${where} took ${slowest.toFixed(1)} ms\n`,
  )
  if (isLong) expect(slowest).toBeLessThan(50)
}

it('200 hostile documents are refused, each without a statement', async () => {
  expect(documents.length).toBeGreaterThanOrEqual(200)
  await gateway.call('/v1/nothing', { token })
  gateway.database.statements()
  await refuseAll(gateway, 'here')
  // Only the poll of the cached tokens may have come in between, one statement every two seconds.
  expect(gateway.database.statements()).toBeLessThan(20)
})

it('a process that has just begun refuses them as well', async () => {
  const program = await startProgram(['serve'], { DATABASE_URL: gateway.database.url, LOG_LEVEL: 'error' })
  onTestFinished(async () => void (await program.end()))
  for (const [query, status] of deepest) {
    const reply = await program.post(query, { token })
    expect(reply.status).toBe(status)
    expect(reply.json.errors).toMatchObject([{ extensions: { code: 'invalid_request' } }])
  }
  await refuseAll(program, 'in a cold process')
  expect(await program.end()).toEqual([0, null])
  expect(program.stderr()).toMatch(/^There are tokens, but no valid one is for admin\.[^\n]*\n$/)
})
