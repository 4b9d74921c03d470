import { graphql, type Request, times } from './attacker.ts'
import { aliased, type Words } from './random-words.ts'

const selections: [string, ...string[]] = [
  'totalCount edges { node { productCode attributes status } }',
  'edges { node { productCode assetGroups { channel assets(first: $n) { assetId url product: url } } } }',
  'edges { node { attributes assetGroups { product { assetGroups { assets { url } } } } } }',
  'edges { cursor node { productCode readiness(channel: "SMP") { missing { code } } } } pageInfo { endCursor }',
  'nodes { productCode changes(first: 20) { nodes { items(first: 20) { nodes { before after } } } } }',
]

const inStore = (fields: string, declared = '') =>
  `query ($store: ID!${declared}) { store(storeUuid: $store) { ${fields} } }`

/** A condition of `AttributeFilter`. */
const conditions: [operator: string, build: (words: Words) => object][] = [
  ['eq', ({ text, size }) => ({ eq: text(size(65_535)) })],
  ['ne', ({ text, size }) => ({ ne: text(size(1_000)) })],
  ['contains', ({ text, size }) => ({ contains: text(size(1_000)) })],
  ['startsWith', ({ text, size }) => ({ startsWith: text(size(1_000)) })],
  ['between', ({ text, size }) => ({ gt: text(size(100)), lte: `${text(size(100))}z` })],
  ['in', ({ text, size }) => ({ in: times(size(1_000), (i) => `${i} ${text(size(200))}`) })],
  ['exists', ({ oneIn }) => ({ exists: oneIn(2) })],
]

/** A part of `ProductFilter`; `depth` is how many levels may follow. */
const filters: [kind: string, build: (words: Words, depth: number) => object][] = [
  ['search', ({ text, size }) => ({ search: text(size(100_000)) })],
  ['codes', ({ code, text, size }) => ({ codes: times(size(10_000), code), codePrefix: text(size(300)) })],
  ['status', ({ oneIn }) => ({ status: ['NEW'], [oneIn(2) ? 'hasAssets' : 'missingAssets']: { channel: 'SMP' } })],
  ['readiness', ({ oneIn }) => ({ [oneIn(2) ? 'readyOn' : 'blockedOn']: 'SMP' })],
  ['attributes', (words) => ({ attributes: times(words.size(10), () => condition(words)) })],
  ['and', (words, depth) => ({ and: times(words.size(8), () => filterOf(words, depth - 1)) })],
  ['or', (words, depth) => ({ or: times(words.size(8), () => filterOf(words, depth - 1)) })],
  ['not', (words, depth) => ({ not: filterOf(words, depth - 1) })],
]
const nesting = 3

function condition(words: Words): object {
  const [, build] = words.random.some(conditions, 1)[0] ?? []
  return { name: words.names[words.random.below(words.names.length)], ...build?.(words) }
}

function filterOf(words: Words, depth = nesting): object {
  const [, build] = words.random.some(depth > 0 ? filters : filters.slice(0, -nesting), 1)[0] ?? []
  return build?.(words, depth) ?? {}
}

function orderOf({ names, pick }: Words): object {
  const field = pick(['ATTRIBUTE', 'ATTRIBUTE', 'CODE', 'STATUS', 'UPDATED_AT'])
  return { field, direction: pick(['ASC', 'DESC']), ...(field === 'ATTRIBUTE' && { attribute: names[0] }) }
}

const rows: [string, ...string[]] = [
  'statusRows(storeUuids: $stores, limit: 10000) { count }',
  'coverageRows(storeUuids: $stores, limit: 10000) { groups }',
  'jobRows(storeUuids: $stores, limit: 10000) { rows error }',
  'failureRows(storeUuids: $stores, limit: 10000) { reason }',
  'changeRows(storeUuids: $stores, limit: 10000) { items }',
  'options(of: ATTRIBUTES, storeUuids: $stores) { value }',
  'series(storeUuids: $stores, metric: CHANGES, from: $from, to: $to, interval: "1m", maxPoints: 2000, by: [OPERATION, ACTOR]) { value }',
  'series(storeUuids: $stores, metric: PRODUCTS, from: $from, to: $to, by: [STORE, STATUS]) { value }',
  'series(storeUuids: $stores, metric: GROUPS, from: $from, to: $to, by: [CHANNEL, FORMAT]) { value }',
]

/** Random reads. */
export const reads: Record<string, (words: Words) => Request[]> = {
  read: (words) => {
    const { store, size, names, pick, oneIn } = words
    const selection = pick(selections)
    const field = `products(first: $first, filter: $filter) { ${selection} } productCounts { count } linkedStores { storeUuid }`
    const fields = oneIn(2) ? aliased(words, 20, () => `store(storeUuid: $store) { ${field} }`) : ''
    const declared = `$store: ID!, $first: Int, $filter: ProductFilter${selection.includes('$n') ? ', $n: Int' : ''}`
    const n = selection.includes('$n') && pick<object>([{}, { n: null }, { n: size(1_000_000) }])
    const query = `query (${declared}) { ${fields || `store(storeUuid: $store) { ${field} }`} }`
    const channel = encodeURIComponent(names[0] ?? '')
      .slice(0, 900)
      .replace(/%.?$/, '')
    return [
      graphql(query, { store, first: size(100), filter: oneIn(2) ? filterOf(words) : {}, ...n }),
      graphql(inStore('attributeDefinitions { name violations { productCount examples { value } } }'), { store }),
      { path: `/v1/products?store_uuid=${store}&sku_codes=${times(size(300), (i) => i).join(',')}` },
      { path: `/v1/products?store_uuid=${store}&limit=${size(100)}&offset=${size(10_000)}` },
      { path: `/v1/assets?store_uuid=${store}&offset=${size(2_000_000_000)}&channel=${channel}` },
    ]
  },
  filter: (words) => {
    const one = (i: number) =>
      `f${i}: products(first: $first, filter: $filter${i}, orderBy: $order) { totalCount nodes { productCode } }`
    const count = words.size(10)
    const declared = `, $first: Int, $order: ProductOrder, ${times(count, (i) => `$filter${i}: ProductFilter`).join(', ')}`
    const given = Object.fromEntries(times(count, (i) => [`filter${i}`, filterOf(words)]))
    const variables = { store: words.store, first: words.size(100), order: orderOf(words), ...given }
    return [graphql(inStore(times(count, one).join(' '), declared), variables)]
  },
  facets: (words) => {
    const { store, size, names, text, oneIn } = words
    const field =
      'facets(names: $names, first: $first, filter: $filter, search: $search) { distinct missing values { value count } }'
    const declared = ', $names: [String!]!, $first: Int, $filter: ProductFilter, $search: String'
    const search = oneIn(2) ? text(size(1_000)) : null
    const variables = { store, names: names.slice(0, size(8)), first: size(100), filter: filterOf(words), search }
    return [
      graphql(
        inStore(
          aliased(words, 20, () => field),
          declared,
        ),
        variables,
      ),
    ]
  },
  rows: (words) => {
    const { store, size, pick } = words
    const from = Date.now() - size(400 * 86_400_000)
    const used = aliased(words, 20, () => pick(rows))
    const declared = ['$stores: [ID!]', ...(used.includes('$from') ? ['$from: Instant!', '$to: Instant!'] : [])]
    const given = used.includes('$from') && { from, to: Date.now() }
    return [graphql(`query (${declared.join(', ')}) { ${used} }`, { stores: [store], ...given })]
  },
  changes: (words) => {
    const { store, size, code, text, oneIn } = words
    const filter = oneIn(2) ? { productCode: code(0) } : { actor: text(size(1_000)) }
    const field =
      'changes(first: $first, filter: $filter) { next nodes { codes items(first: $items) { nodes { before after } } } }'
    const declared = ', $first: Int, $items: Int, $filter: ChangeFilter'
    const variables = { store, first: size(100), items: size(100), filter: oneIn(3) ? filter : null }
    const readiness =
      'readiness(channel: "SMP") { total gaps(first: 100) { nodes { attributes } } history(from: "2026-01-01T00:00:00Z") { ready } }'
    return [
      graphql(
        inStore(
          aliased(words, 10, () => field),
          declared,
        ),
        variables,
      ),
      graphql(inStore(aliased(words, 10, () => readiness)), { store }),
    ]
  },
  agent: (words) => {
    const { store: storeUuid, size, code, text, names, pick } = words
    const products = times(Math.max(1, size(100)), (i) => ({
      productCode: code(i),
      attributes: { [names[0] ?? '']: text(size(3_000)) },
    }))
    const [name, more] = pick<[string, object]>([
      ['find_products', { filter: filterOf(words), first: size(100) }],
      ['list_assets', { limit: size(100), channel: text(size(1_000)) }],
      ['readiness', { first: size(100) }],
      ['changes', { first: size(100) }],
      ['preview_upsert_products', { products }],
    ])
    const params = { name, arguments: { storeUuid, ...more } }
    const headers = { accept: 'application/json, text/event-stream' }
    return [{ method: 'POST', path: '/mcp', headers, body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } }]
  },
}
