import { setTimeout as sleep } from 'node:timers/promises'
import { audience, type JwksServer, startJwksServer } from '../../support/servers/jwks-server.ts'
import { startProgram } from '../../support/servers/program.ts'
import { type Attacker, graphql, put, type Request, times } from './attacker.ts'
import type { Attack } from './two-tenants.ts'

const define = `mutation ($store: ID!, $definitions: [AttributeDefinitionInput!]!) {
  defineAttributes(storeUuid: $store, definitions: $definitions) { name } }`
const upsert = `mutation ($store: ID!, $products: [ProductPatch!]!) {
  upsertProducts(storeUuid: $store, products: $products) { createdSkus } }`
const startImport = `mutation ($store: ID!, $content: String!) {
  job: startImport(storeUuid: $store, input: { content: $content }) { jobId } }`
const startExport = `mutation ($store: ID!, $format: FileFormat, $channel: String) {
  job: startExport(storeUuid: $store, format: $format, channel: $channel) { jobId } }`

/** Makes products with the attributes, in requests of about 4 MB. */
export async function fill(attacker: Attacker, products: number, attributesOf: (i: number) => object): Promise<void> {
  const perRequest = Math.max(1, Math.min(5_000, Math.floor(4_000_000 / JSON.stringify(attributesOf(0)).length)))
  for (let from = 0; from < products; from += perRequest) {
    const patches = times(Math.min(perRequest, products - from), (i) => ({
      productCode: `P${from + i}`,
      attributes: attributesOf(from + i),
    }))
    await attacker.send(graphql(upsert, { store: attacker.store, products: patches }))
  }
}

const addAssets = `mutation ($store: ID!, $assets: [NewAsset!]!) {
  addAssets(storeUuid: $store, assets: $assets) { added } }`

const together = (attacker: Attacker, copies: number, request: Request) =>
  attacker.send(...times(copies, () => request))

/** Asks for the state of the store's last job until it has ended, at most so many times, and does this before each. */
async function workEnds(
  attacker: Attacker,
  most: number,
  pause: () => Promise<unknown> = () => sleep(1_000),
): Promise<void> {
  const query = `{ store(storeUuid: "${attacker.store}") { jobs(last: 1) { nodes { state } } projections { isBuilding } } }`
  for (let state = 'QUEUED', i = 0; /QUEUED|RUNNING|"isBuilding":true/.test(state) && i < most; i++) {
    await pause()
    const [reply] = await attacker.send(graphql(query))
    state = reply?.text ?? ''
  }
}

const importOf = ({ store }: Attacker, content: string) => graphql(startImport, { store, content })
const exportOf = ({ store }: Attacker, format: 'CSV' | 'JSONL', channel = 'SMP') =>
  graphql(startExport, { store, format, channel })

/** A pattern that is slow for its length, and the largest one of its kind that may be defined. */
const slowPattern = '[ab]*a[ab]{1000}c'.repeat(10)
const allowedPattern = '[ab]*a[ab]{90}c'.repeat(10)
const manySteps = (steps: number) => `a{0,${steps}}`

function mutationOfTwo(definitions: readonly object[]) {
  const one = 'defineAttributes(storeUuid: $store, definitions: $definitions, dryRun: true) { name }'
  const query = `mutation ($store: ID!, $definitions: [AttributeDefinitionInput!]!) { a: ${one} b: ${one} }`
  return (store: string) => graphql(query, { store, definitions })
}

/** Bodies of almost 10 MiB. */
const fullBody = (item: string) => `[${times(Math.floor(10_000_000 / (item.length + 1)), () => item).join(',')}]`
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

let provider: JwksServer | undefined

/**
 * The findings of a security test, as they were found and as large as the present bounds allow; then cases that random
 * attacks, or a reading of the bounds, have led to.
 */
export const attacks: Attack[] = [
  {
    name: 'import: slow pattern, long values',
    isLong: true,
    run: async (attacker) => {
      const { store } = attacker
      for (const pattern of [slowPattern, allowedPattern]) {
        await attacker.send(graphql(define, { store, definitions: [{ name: 'Slow', type: 'TEXT', pattern }] }))
      }
      const rows = (count: number, length: number) =>
        `sku,Slow\n${times(count, (i) => `P${i},${'ab'.repeat(length / 2)}\n`).join('')}`
      await attacker.job(importOf(attacker, rows(5, 60_000)))
      await attacker.job(importOf(attacker, rows(1_200, 250)))
    },
  },
  {
    name: 'two root fields compile patterns',
    run: async (attacker) => {
      const { store } = attacker
      const definitions = (pattern: string) => times(11, (i) => ({ name: `N${i}`, type: 'TEXT', pattern: pattern + i }))
      await attacker.send(mutationOfTwo(definitions(manySteps(1_000).repeat(590)))(store))
      await attacker.send(mutationOfTwo(definitions(manySteps(900)))(store))
      await attacker.send(graphql(define, { store, definitions: definitions(manySteps(900)).slice(0, 1) }))
      await attacker.send(put(store, [{ product_code: 'P1', N0: 'a'.repeat(20_000) }]))
    },
  },
  {
    name: 'CSV export of 100,000 names',
    isLong: true,
    prepare: (attacker) =>
      fill(attacker, 1_000, (i) => Object.fromEntries(times(100, (name) => [`own ${i} ${name}`, 'x']))),
    run: (attacker) => attacker.job(exportOf(attacker, 'CSV')),
  },
  {
    name: 'import of many columns',
    isLong: true,
    run: async (attacker) => {
      for (const columns of [20_000, 300_000, 4_990]) {
        const header = `sku,${times(columns, (i) => `c${i}`).join(',')}\n`
        const row = `P,${'1,'.repeat(columns - 1)}1\n`
        const rows = columns > 5_000 ? 1 : Math.floor(3_000_000 / row.length)
        await attacker.job(importOf(attacker, header + times(rows, (i) => `${i}${row}`).join('')))
      }
    },
  },
  {
    name: 'many jobs',
    isLong: true,
    prepare: (attacker) => fill(attacker, 1_000, () => ({ Text: 'x'.repeat(10_000) })),
    run: async (attacker) => {
      const replies = await attacker.send(...times(25, () => exportOf(attacker, 'CSV')))
      await attacker.endOfJobs(replies)
    },
  },
  {
    name: 'heavy requests whose client leaves',
    run: async (attacker) => {
      const items = times(10_000, (i) => ({ product_code: `P${i}`, Text: 'x'.repeat(400) }))
      await attacker.send(...times(6, () => put(attacker.store, items, { leaveAfterMs: 300 })))
      await attacker.send(put(attacker.store, items))
    },
  },
  {
    name: 'PUT of which every value is bad',
    prepare: async (attacker) => {
      const allowedValues = times(20, (i) => `${i} ${'x'.repeat(200)}`)
      const definitions = times(100, (i) => ({ name: `N${i}`, type: 'ENUM', allowedValues }))
      await attacker.send(graphql(define, { store: attacker.store, definitions }))
      await fill(attacker, 500, () => ({}))
    },
    run: (attacker) => {
      const bad = Object.fromEntries(times(100, (i) => [`N${i}`, `bad ${'y'.repeat(75)}`]))
      const good = { product_code: 'P499', Good: String(Math.random()) }
      return attacker.send(put(attacker.store, [...times(499, (i) => ({ product_code: `P${i}`, ...bad })), good]))
    },
  },
  {
    name: 'channel of 100 KB, filtering service',
    isLong: true,
    start: async ({ url }) => {
      const filter = await startProgram(['filter-service', '--port', '0'], { DATABASE_URL: url })
      return { env: { FILTER_URL: filter.url }, end: () => filter.end() }
    },
    run: async (attacker) => {
      const query = `query ($store: ID!, $channel: String!) {
        assetGroups(storeUuid: $store, channel: $channel) { totalGroups } }`
      const variables = { store: attacker.store, channel: 'x'.repeat(100_000) }
      for (let i = 0; i < 8; i++) await attacker.send(graphql(query, variables))
    },
  },
  {
    name: 'twelve bodies of 10 MB',
    run: async (attacker) => {
      const empty = `[${times(19_990, () => '{}').join(',')}]`
      const bodies = [
        fullBody('{}'),
        fullBody(`{"product_code":"P","v":${empty}}`),
        fullBody(`{"product_code":"P","v":${nested(9_000)}}`),
        fullBody(`{"product_code":"P","v":${nested(60)}}`),
      ]
      await attacker.send(...times(12, (i) => put(attacker.store, bodies[i % bodies.length])))
      for (const body of bodies) await attacker.send(put(attacker.store, body))
    },
  },
  {
    name: 'a null variable has its own cost',
    prepare: async (attacker) => {
      const assets = times(10_000, (i) => ({ parentCode: `P${i % 100}`, url: `https://cdn.example/${i}` }))
      await fill(attacker, 100, () => ({}))
      await attacker.send(graphql(addAssets, { store: attacker.store, assets }))
    },
    run: async (attacker) => {
      const query = `query ($store: ID!, $n: Int = 1) { store(storeUuid: $store) {
        products(first: 100) { edges { node { assetGroups { assets(first: $n) { url } } } } } } }`
      for (const more of [{ n: null }, {}, { n: null }, { n: 1 }, { n: 1_000_000 }]) {
        await attacker.send(graphql(query, { store: attacker.store, ...more }))
      }
    },
  },
  {
    name: 'reading with a token to write',
    run: async (attacker) => {
      const { store, writeToken: token } = attacker
      const query = `mutation ($store: ID!) { updateStore(storeUuid: $store, input: { storeName: "read" }) {
        products { edges { node { attributes } } } linkedStores { storeName } } }`
      await attacker.send(graphql(query, { store }, { token }))
    },
  },
  {
    name: 'claims of an administrator, with stores',
    isLong: true,
    start: async () => {
      provider = await startJwksServer()
      const { issuer, jwksUrl, close } = provider
      return { env: { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URL: jwksUrl }, end: close }
    },
    prepare: (attacker) => fill(attacker, 2_000, () => ({ Text: 'x'.repeat(1_000) })),
    run: async (attacker) => {
      const { store } = attacker
      const token = await provider?.sign({ scope: 'admin', stores: [store] })
      const one = 'products(first: 100) { edges { node { attributes assetGroups { assets { url } } } } }'
      const wide = (fields: number) =>
        `query ($store: ID!) { store(storeUuid: $store) { ${times(fields, (i) => `f${i}: ${one}`).join(' ')} } }`
      for (const fields of [1, 2, 60]) await attacker.send(graphql(wide(fields), { store }, token ? { token } : {}))
    },
  },
  {
    name: 'kept answers of idempotency keys',
    isLong: true,
    run: async (attacker) => {
      const items = times(10_000, (i) => ({ product_code: `${i} ${'x'.repeat(240)}` }))
      for (let i = 0; i < 30; i += 3) {
        const keyed = (n: number) => ({ headers: { 'idempotency-key': `${Math.random()} ${n}` } })
        await attacker.send(...times(3, (n) => put(attacker.store, items, keyed(n))))
      }
    },
  },
  {
    name: 'channels that close a literal',
    prepare: (attacker) => fill(attacker, 10, () => ({ Color: 'red' })),
    run: async (attacker) => {
      const ends = [' or true --', ' union all select * from product --', '; select pg_sleep(5) --']
      const channels = ["'", "\\'", "\\\\'", "''"].flatMap((quote) => ends.map((end) => `SMP${quote}${end}`))
      const replies = await attacker.send(...channels.map((channel) => exportOf(attacker, 'JSONL', channel)))
      await attacker.endOfJobs(replies)
    },
  },
  {
    name: 'mutations whose payload or field fails',
    run: async (attacker) => {
      const update = (name: string, fields: string) =>
        `updateStore(storeUuid: "${attacker.store}", input: { storeName: "${name}" }) { storeUuid ${fields} }`
      for (const fields of ['products(first: -1) { totalCount }', 'linkedStores(first: 0) { storeUuid }']) {
        await attacker.send(graphql(`mutation { ${update(`${Math.random()}`, fields)} }`))
      }
      await attacker.send(graphql(`mutation { ${update('', '')} }`))
    },
  },
  {
    name: 'listing of 15 MB, twenty at once',
    isLong: true,
    prepare: async (attacker) => {
      for (let page = 0; page < 2; page++) {
        const assets = times(3_700, (i) => ({
          parentCode: `P${i % 50}`,
          url: `https://cdn.example/${'u'.repeat(2_000)}${page}/${i}`,
        }))
        await attacker.send(graphql(addAssets, { store: attacker.store, assets }))
      }
    },
    run: (attacker) => together(attacker, 20, { path: `/v1/assets?store_uuid=${attacker.store}` }),
  },
  {
    name: 'products of 16 MB, twenty at once',
    isLong: true,
    prepare: (attacker) => fill(attacker, 4, () => Object.fromEntries(times(62, (i) => [`n${i}`, 'x'.repeat(65_000)]))),
    run: (attacker) => together(attacker, 20, { path: `/v1/products?store_uuid=${attacker.store}` }),
  },
  {
    name: 'GraphQL pages of 5 MB, forty at once',
    isLong: true,
    prepare: async (attacker) => {
      await fill(attacker, 100, () => ({ Text: 'x'.repeat(50_000) }))
      const url = `https://cdn.example/${'u'.repeat(1_000)}`
      const assets = times(4_000, (i) => ({ parentCode: `P${i % 50}`, url: `${url}/${i}` }))
      await attacker.send(graphql(addAssets, { store: attacker.store, assets }))
    },
    run: async (attacker) => {
      const ofStore = (fields: string) => graphql(`{ store(storeUuid: "${attacker.store}") { ${fields} } }`)
      await together(attacker, 40, ofStore('products(first: 100) { nodes { attributes } }'))
      await together(attacker, 40, ofStore('assetGroups(limit: 50) { groups { assets(first: 100) { url } } }'))
      const aliases = times(20, (i) => `f${i}: attributes`).join(' ')
      await together(attacker, 40, ofStore(`products(first: 4) { nodes { ${aliases} } }`))
    },
  },
  {
    name: 'pages of control characters',
    isLong: true,
    prepare: (attacker) =>
      fill(attacker, 100, (i) => ({ Text: '\u0001'.repeat(65_000), Long: '\u0002'.repeat(i < 90 ? 1 : 65_000) })),
    run: async (attacker) => {
      const page = `/v1/products?store_uuid=${attacker.store}`
      const query = (first: number) =>
        graphql(`{ store(storeUuid: "${attacker.store}") { products(first: ${first}) { nodes { attributes } } } }`)
      for (const limit of [2, 13, 40, 100]) {
        await together(attacker, 10, { path: `${page}&limit=${limit}` })
        await together(attacker, 10, query(limit))
        await attacker.send({ path: `${page}&limit=${limit}` })
        await attacker.send(query(limit))
      }
    },
  },
  {
    name: 'slow reads on all connections',
    isLong: true,
    prepare: (attacker) => fill(attacker, 60_000, () => ({})),
    run: async (attacker) => {
      const query = `query ($store: ID!) { store(storeUuid: $store) { ${times(19, (i) => `f${i}: products(filter: { search: "zz${i}" }) { totalCount }`).join(' ')} } }`
      await together(attacker, 60, graphql(query, { store: attacker.store }))
    },
  },
  {
    name: 'twenty root fields of 10,000 products',
    isLong: true,
    run: async (attacker) => {
      const field = 'upsertProducts(storeUuid: $store, products: $products)'
      const query = `mutation ($store: ID!, $products: [ProductPatch!]!) { ${times(20, (i) => `f${i}: ${field} { createdSkus }`).join(' ')} }`
      const products = times(10_000, (i) => ({ productCode: `P${i}`, attributes: { Text: 'x'.repeat(900) } }))
      await attacker.send(graphql(query, { store: attacker.store, products }, { hasSeveral: true }))
    },
  },
  {
    name: 'objects of 5,000 names, a hundred at once',
    isLong: true,
    run: async (attacker) => {
      const product = { product_code: 'P', ...Object.fromEntries(times(5_000, (i) => [`n${i}`, ''])) }
      await together(attacker, 100, put(attacker.store, [product]))
    },
  },
  {
    name: 'moves in a group of 100,000 assets',
    isLong: true,
    prepare: async (attacker) => {
      for (let page = 0; page < 10; page++) {
        const assets = times(10_000, (i) => ({
          parentCode: 'P',
          assetId: `${page * 10_000 + i}`,
          url: `https://cdn.example/${page}/${i}`,
        }))
        await attacker.send(graphql(addAssets, { store: attacker.store, assets }))
      }
    },
    run: async (attacker) => {
      const move = `mutation { moveAsset(storeUuid: "${attacker.store}", parentCode: "P", assetId: "5", position: 90000) { channel } }`
      await together(attacker, 20, graphql(move))
      await together(
        attacker,
        20,
        graphql(`{ store(storeUuid: "${attacker.store}") { assetGroups { groups { assets(first: 1) { url } } } } }`),
      )
    },
  },
  {
    name: 'facets at 50,000 undeclared products',
    isLong: true,
    prepare: (attacker) => fill(attacker, 50_000, (i) => ({ Color: `color ${i % 7_000}`, Size: `${i}` })),
    run: async (attacker) => {
      const { store } = attacker
      const query = `query ($store: ID!) { store(storeUuid: $store) {
        ${times(4, (i) => `f${i}: facets(names: ["Color", "Size"], search: "${i}") { distinct missing values { value } }`).join(' ')} } }`
      await together(attacker, 10, graphql(query, { store }))
    },
  },
  {
    name: '62 requirements of 1,000 steps',
    isLong: true,
    prepare: (attacker) => fill(attacker, 10_000, (i) => ({ Text: 'ab'.repeat(500 - (i % 50)) })),
    run: async (attacker) => {
      const { store } = attacker
      const query = `mutation ($store: ID!, $requirements: [ChannelRequirementInput!]!) {
        setChannelRequirements(storeUuid: $store, channel: "SMP", requirements: $requirements) { code } }`
      const requirements = times(62, (i) => ({
        code: `${i}`,
        kind: 'ATTRIBUTE',
        attribute: 'Text',
        pattern: '[ab]*a[ab]{12}',
      }))
      await attacker.send(graphql(query, { store, requirements }))
      const all = `query ($store: ID!) { store(storeUuid: $store) { readiness(channel: "SMP") { isCounting ready } } }`
      const one = `query ($store: ID!) { store(storeUuid: $store) {
        products(first: 100) { nodes { readiness(channel: "SMP") { ready missing { code } } } } } }`
      for (let isCounting = true, i = 0; isCounting && i < 100; i++) {
        const [reply] = await attacker.send(graphql(all, { store }))
        isCounting = reply?.text.includes('"isCounting":true') ?? false
        await together(attacker, 5, graphql(one, { store }))
      }
    },
  },
  {
    name: 'a revert of 100,000 values',
    isLong: true,
    prepare: (attacker) => fill(attacker, 10_000, () => Object.fromEntries(times(10, (i) => [`n${i}`, 'x']))),
    run: async (attacker) => {
      const { store } = attacker
      const query = `mutation ($store: ID!, $id: String!) { revertRequest(storeUuid: $store, requestId: $id) { requestId } }`
      const requestId = `changes all values ${Math.random()}`
      const attributes = Object.fromEntries(times(10, (i) => [`n${i}`, requestId]))
      const items = times(10_000, (i) => ({ product_code: `P${i}`, ...attributes }))
      await attacker.send(put(store, items, { headers: { 'x-request-id': requestId } }))
      await together(attacker, 3, graphql(query, { store, id: requestId }))
    },
  },
  {
    name: 'reverts that skip 100,000 values',
    isLong: true,
    prepare: async (attacker) => {
      const valuesOf = (value: string) => Object.fromEntries(times(10, (i) => [`n${i} ${'\u0001'.repeat(200)}`, value]))
      await fill(attacker, 10_000, () => valuesOf('x'))
      for (const requestId of ['first', 'second']) {
        for (let from = 0; from < 10_000; from += 500) {
          const items = times(500, (i) => ({ product_code: `P${from + i}`, ...valuesOf(requestId) }))
          await attacker.send(put(attacker.store, items, { headers: { 'x-request-id': requestId } }))
        }
      }
    },
    run: async (attacker) => {
      const path = `/v1/requests/first/revert?store_uuid=${attacker.store}`
      for (const policy of ['skip', 'fail']) {
        await together(attacker, 3, { method: 'POST', path: `${path}&if_changed_since=${policy}` })
      }
    },
  },
  {
    name: '8 filterable attributes, indexed in the background',
    isLong: true,
    prepare: (attacker) =>
      fill(attacker, 20_000, (i) => Object.fromEntries(times(8, (n) => [`n${n}`, `${i} ${'x'.repeat(200)}`]))),
    run: async (attacker) => {
      const { store } = attacker
      const definitions = (isIndexed: boolean) =>
        times(8, (i) => ({ name: `n${i}`, type: 'TEXT', filterable: isIndexed, searchable: isIndexed && i < 4 }))
      const conditions = times(8, (i) => ({ name: `n${i}`, contains: 'x', ne: `${i}` }))
      const query = `query ($store: ID!, $conditions: [AttributeFilter!]) { store(storeUuid: $store) {
        products(filter: { or: [{ attributes: $conditions }, { search: "9 x" }] }, first: 10,
          orderBy: { field: ATTRIBUTE, attribute: "n7" }) { totalCount nodes { productCode } } } }`
      await attacker.send(graphql(define, { store, definitions: definitions(true) }))
      await workEnds(attacker, 100, () => together(attacker, 5, graphql(query, { store, conditions })))
      await attacker.send(graphql(define, { store, definitions: definitions(false) }))
    },
  },
  {
    name: 'mutations whose payload has 8 MB, forty at once',
    isLong: true,
    prepare: (attacker) => fill(attacker, 100, () => ({ Text: 'x'.repeat(40_000), More: 'y'.repeat(40_000) })),
    run: async (attacker) => {
      const { store } = attacker
      const update = `updateStore(storeUuid: "${store}", input: { storeName: "read" }) { products { nodes { attributes } } }`
      await together(attacker, 40, graphql(`mutation { ${update} }`))
      const query = `mutation ($store: ID!, $definitions: [AttributeDefinitionInput!]!) {
        defineAttributes(storeUuid: $store, definitions: $definitions, dryRun: true) { violations { productCount } } }`
      const definitions = [{ name: 'Text', type: 'ENUM', allowedValues: ['z'] }]
      await together(attacker, 40, graphql(query, { store, definitions }))
    },
  },
  {
    name: 'series of 180,000 points, ten at once',
    isLong: true,
    prepare: (attacker) => fill(attacker, 100, () => ({ Text: 'x' })),
    run: async (attacker) => {
      const to = Date.now()
      const given = `from: ${to - 1_999 * 60_000}, to: ${to}, interval: "1m", maxPoints: 2000, by: [OPERATION, ACTOR]`
      const series = `series(storeUuids: ["${attacker.store}"], metric: CHANGES, ${given}) { value }`
      await together(attacker, 10, graphql(`{ ${times(9, (i) => `f${i}: ${series}`).join(' ')} }`))
    },
  },
  {
    name: 'the slowest reads of 200,000 products',
    isLong: true,
    prepare: async (attacker) => {
      const { store } = attacker
      const different = [5, 50, 500, 3_000, 100_000, 200_000, 1_000_000, 40]
      const valuesOf = (i: number) => different.map((count, n) => [`n${n}`, `${(i * 7_919) % count} value`])
      await fill(attacker, 200_000, (i) => Object.fromEntries(valuesOf(i)))
      const definitions = times(8, (i) => ({ name: `n${i}`, type: 'TEXT', filterable: true }))
      await attacker.send(graphql(define, { store, definitions }))
      await workEnds(attacker, 900)
    },
    run: async (attacker) => {
      const from = (...names: string[]) =>
        `filter: { attributes: [${names.map((name) => `{ name: "${name}", gte: "1" }`).join(' ')}] }`
      const reads = [
        `facets(names: ["n0", "n1", "n2", "n3"], ${from('n5')}) { distinct values { value } }`,
        `products(last: 100, orderBy: { field: UPDATED_AT, direction: DESC }, ${from('n4')}) { nodes { productCode } }`,
        `products(first: 1, ${from('n4', 'n5', 'n6')}) { totalCount }`,
      ].map((fields) => graphql(`{ store(storeUuid: "${attacker.store}") { ${fields} } }`))
      await attacker.send(...reads, ...reads, ...reads, ...reads, ...reads, ...reads, ...reads)
    },
  },
  {
    name: 'previews of an agent with 10,000 failures',
    isLong: true,
    start: async () => ({ env: { MCP: 'write' }, end: async () => {} }),
    prepare: async (attacker) => {
      const allowedValues = times(20, (i) => `${i} ${'漢'.repeat(190)}`)
      const definitions = ['A', 'B'].map((name) => ({ name, type: 'ENUM', allowedValues }))
      await attacker.send(graphql(define, { store: attacker.store, definitions }))
      await fill(attacker, 5_500, () => ({}))
    },
    run: async (attacker) => {
      const products = times(5_500, (i) => ({ productCode: `P${i}`, attributes: { A: 'a', B: 'b' } }))
      const params = { name: 'preview_upsert_products', arguments: { storeUuid: attacker.store, products } }
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const headers = { accept: 'application/json, text/event-stream' }
      await together(attacker, 10, { method: 'POST', path: '/mcp', headers, body })
    },
  },
]
