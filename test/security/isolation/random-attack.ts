import { Random } from '../../support/random.ts'
import { type Attacker, graphql, put, type Request, times } from './attacker.ts'
import { bytesOf, definitions, items, mostBytes, patches, room, type Words, wordsOf } from './random-words.ts'
import type { Attack } from './two-tenants.ts'

/** The same field under many aliases, and in it a selection under many aliases. */
function aliased({ size }: Words, most: number, field: (i: number) => string): string {
  return times(size(most), (i) => `f${i}: ${field(i)}`).join(' ')
}

const newAssets = ({ size, code, text }: Words) => {
  const url = `https://cdn.example/${'u'.repeat(size(2_000))}`
  const groups = size(10_000)
  return times(room(url.length + 600, size), (i) => ({
    parentCode: code(i % groups),
    assetId: `${i} ${text(size(200))}`,
    url: `${url}${i}`,
  }))
}

const selections = [
  'totalCount edges { node { productCode attributes status } }',
  'edges { node { productCode assetGroups { channel assets(first: $n) { assetId url product: url } } } }',
  'edges { node { attributes assetGroups { product { assetGroups { assets { url } } } } } }',
  'edges { cursor node { productCode } } pageInfo { endCursor }',
]

const steps: Record<string, (words: Words) => Request[]> = {
  put: (words) => [put(words.store, items(words))],
  post: (words) => [{ ...put(words.store, items(words)), method: 'POST' }],
  urls: (words) => {
    const urls = times(words.size(2_000), (i) => [`Image URL ${i + 1}`, `https://cdn.example/${words.code(i)}`])
    const item = Object.fromEntries(urls)
    const body = times(room(bytesOf(item) + 300, words.size), (i) => ({ product_code: words.code(i), ...item }))
    return [{ ...put(words.store, body), method: 'POST' }]
  },
  place: ({ store, size, code }) => {
    const assets = Object.fromEntries(
      times(size(2_000), (i) => [`Image URL ${size(1_000_000)}`, `https://cdn.example/${i}`]),
    )
    const body = times(room(bytesOf(assets) + 300, size), (i) => ({ parent_code: code(i % size(10_000)), assets }))
    return [{ method: 'POST', path: `/v1/assets?store_uuid=${store}`, body }]
  },
  remove: ({ store, size, code, text, random }) => {
    const asset_id = times(size(10_000), (i) => `${i} ${text(size(200))}`)
    const item = { store_uuid: store, channel: random.below(2) ? 'SMP' : text(size(5_000)), asset_id }
    const body = times(room(bytesOf(item) + 300, size), (i) => ({ ...item, parent_code: code(i) }))
    const unlink = random.below(2) === 1
    return [{ method: unlink ? 'POST' : 'DELETE', path: unlink ? '/v1/assets/unlink' : '/v1/assets', body }]
  },
  define: (words) => {
    const field = 'defineAttributes(storeUuid: $store, definitions: $definitions, dryRun: $dryRun)'
    const selection = words.random.below(3)
      ? '{ name }'
      : '{ name pattern allowedValues violations { productCount examples { value reason } } }'
    const fields = words.random.below(3)
      ? `f: ${field} ${selection}`
      : aliased(words, 20, () => `${field} ${selection}`)
    const query = `mutation ($store: ID!, $definitions: [AttributeDefinitionInput!]!, $dryRun: Boolean) { ${fields} }`
    return [
      graphql(query, { store: words.store, definitions: definitions(words), dryRun: words.random.below(4) === 0 }),
    ]
  },
  upsert: (words) => {
    const selection = aliased(
      words,
      40,
      () =>
        ['createdSkus', 'updatedSkus', 'failedProducts { productCode failures { attribute reason } }'][
          words.random.below(3)
        ] ?? '',
    )
    const one = (dry: boolean) =>
      `upsertProducts(storeUuid: $store, products: $products, dryRun: ${dry}) { ${selection} }`
    const fields = words.random.below(3) ? `f: ${one(false)}` : aliased(words, 20, (i) => one(i % 2 === 1))
    return [
      graphql(`mutation ($store: ID!, $products: [ProductPatch!]!) { ${fields} }`, {
        store: words.store,
        products: patches(words),
      }),
    ]
  },
  assets: (words) => {
    const query = `mutation ($store: ID!, $assets: [NewAsset!]!) {
      addAssets(storeUuid: $store, assets: $assets) { added linked failed errorInfo { details } } }`
    return [graphql(query, { store: words.store, assets: newAssets(words) })]
  },
  order: ({ store, size, code, text }) => {
    const group = `storeUuid: "${store}", parentCode: ${JSON.stringify(code(0))}`
    const ids = times(size(10_000), (i) => `${i} ${text(size(200))}`)
    return [
      graphql(`mutation ($ids: [String!]!) { reorderAssets(${group}, assetIds: $ids) { assets { url } } }`, { ids }),
      graphql(
        `mutation ($id: String!) { moveAsset(${group}, assetId: $id, position: ${size(2_000_000_000)}) { channel } }`,
        { id: ids[0] },
      ),
    ]
  },
  read: (words) => {
    const { store, size, random, text, names } = words
    const filter = random.below(2)
      ? { search: text(size(100_000)), codes: times(size(10_000), words.code), codePrefix: text(size(300)) }
      : {}
    const selection = selections[random.below(selections.length)] ?? ''
    const field = `store(storeUuid: $store) { products(first: $first, filter: $filter) { ${selection} } productCounts { count } linkedStores { storeUuid } }`
    const fields = aliased(words, 20, () => field)
    const used = selection.includes('$n') ? ', $n: Int' : ''
    const query = `query ($store: ID!, $first: Int, $filter: ProductFilter${used}) { ${fields} }`
    const given = [{}, { n: null }, { n: size(1_000_000) }][random.below(3)]
    return [
      graphql(query, { store, first: size(100), filter, ...(used && given) }),
      graphql(
        `{ store(storeUuid: "${store}") { attributeDefinitions { name violations { productCount examples { value } } } } }`,
      ),
      { path: `/v1/products?store_uuid=${store}&sku_codes=${times(size(300), (i) => i).join(',')}&limit=${size(100)}` },
      {
        path: `/v1/assets?store_uuid=${store}&offset=${size(2_000_000_000)}&channel=${encodeURIComponent(names[0] ?? '')
          .slice(0, 900)
          .replace(/%.?$/, '')}`,
      },
    ]
  },
  json: ({ store, size, random }) => {
    const leaf = ['{}', '[]', '""', '0', '1e308', '"\\ud800"', '{"a":[]}', 'null'][random.below(8)] ?? '0'
    const depth = size(9_000)
    const members = size(19_990)
    const list = (most: number) =>
      `[${times(Math.min(members, Math.floor(most / (leaf.length + 1)) + 1), () => leaf).join(',')}]`
    const deep = '['.repeat(depth) + leaf + ']'.repeat(depth)
    const value = random.below(2) ? list(100_000) : random.below(2) ? deep : list(9_000_000)
    const keys = `{"product_code":"P",${times(size(19_000), (i) => `"k${random.below(2) ? i : 0}":${leaf}`).join(',')}}`
    const item = random.below(3) ? `{"product_code":"P","v":${value}}` : keys
    const body = `[${times(room(item.length, size, 20_000), () => item).join(',')}]`
    const variables = `{"query":"mutation ($store: ID!, $p: [ProductPatch!]!) { updateProducts(storeUuid: $store, products: $p) { more } }","variables":{"store":"${store}","p":${body.replaceAll('"product_code"', '"productCode"')}}}`
    return [random.below(2) ? put(store, body) : { method: 'POST', path: '/graphql', body: variables }]
  },
  import: (words) => {
    const { store, random, size, names, text, code } = words
    const columns = random.below(2) ? names : times(size(5_000), (i) => `c${i}`)
    const cell = text(size(random.below(2) ? 60_000 : 50))
    const quoted = `"${cell.replaceAll('"', '""')}"`
    const format = ['CSV', 'JSONL', 'JSON'][random.below(3)]
    const perRow = columns.length * (bytesOf(cell) + 20)
    const used = columns.slice(0, Math.max(1, Math.floor(columns.length * Math.min(1, mostBytes / 3 / perRow))))
    const rows = room(used.length * (bytesOf(cell) + 20) * 2 + 300, size, 200_000)
    const csvName = (name: string) => `"${name.replaceAll('"', '""')}"`
    const object = (i: number) =>
      JSON.stringify({ sku: code(i), ...Object.fromEntries(used.map((name) => [name, cell])) })
    const content =
      format === 'CSV'
        ? `sku,${used.map(csvName).join(',')}\n${times(rows, (i) => `${code(i)},${used.map(() => quoted).join(',')}\n`).join('')}`
        : format === 'JSONL'
          ? times(rows, object).join('\n')
          : `[${times(rows, object).join(',')}]`
    const input = {
      content,
      format,
      dryRun: random.below(3) === 0,
      map: random.below(3)
        ? undefined
        : used.slice(0, size(2_000)).map((column, i) => ({ column, attribute: `mapped ${i}` })),
      assets: random.below(3) ? undefined : used.slice(0, size(50)),
      assetSeparator: random.below(4) ? undefined : text(size(1_000)),
      assetBase: random.below(2) ? undefined : 'https://cdn.example/',
      preset: random.below(5) ? undefined : ['SHOPIFY', 'MAGENTO'][random.below(2)],
    }
    return [
      graphql(
        'mutation ($store: ID!, $input: ImportInput!) { job: startImport(storeUuid: $store, input: $input) { jobId } }',
        { store, input },
      ),
    ]
  },
  export: ({ store, random, text, size }) => {
    const channel = random.below(3) ? 'SMP' : text(size(1_000))
    const query =
      'mutation ($store: ID!, $format: FileFormat, $channel: String) { job: startExport(storeUuid: $store, format: $format, channel: $channel) { jobId } }'
    return [graphql(query, { store, channel, format: random.below(2) ? 'CSV' : 'JSONL' })]
  },
}

/** A sequence of requests of random sizes within the documented limits; the same for the same seed. */
export function randomAttack(seed: number): Attack {
  const random = new Random(seed)
  const kinds = Object.keys(steps)
  const chosen = times(2 + random.below(4), () => kinds[random.below(kinds.length)] ?? 'put')
  const run = async (attacker: Attacker) => {
    const words = wordsOf(random, attacker.store)
    for (const kind of chosen) {
      const copies = random.below(2) ? 1 : words.size(8)
      const leaveAfterMs = random.below(8) ? undefined : words.size(5_000)
      const keyed = random.below(5) === 0
      const requests = (steps[kind]?.(words) ?? []).map(
        (request): Request => ({
          ...request,
          body: typeof request.body === 'object' ? JSON.stringify(request.body) : request.body,
          ...(leaveAfterMs && { leaveAfterMs }),
          hasSeveral: /^define|^upsert/.test(kind),
        }),
      )
      for (const request of requests) {
        const { method = 'GET', path, body = '' } = request
        const what = `${kind}: ${copies} × ${method} ${path.slice(0, 20)} of ${String(body).length}: ${String(body).slice(0, 300)}`
        const headers = (i: number) =>
          keyed && path !== '/graphql' ? { headers: { 'idempotency-key': `${seed} ${i}` } } : {}
        const replies = await attacker.send(...times(copies, (i) => ({ ...request, what, ...headers(i) })))
        await attacker.endOfJobs(replies)
      }
    }
  }
  return { name: `${seed} ${chosen.join(', ')}`, run }
}
