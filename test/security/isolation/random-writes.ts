import { graphql, put, type Request, times } from './attacker.ts'
import { importInput } from './random-files.ts'
import { bodyOfManyValues } from './random-json.ts'
import { aliased, bytesOf, definitions, items, patches, pattern, room, type Words } from './random-words.ts'

const groupOf = ({ store, code }: Words) => `storeUuid: "${store}", parentCode: ${JSON.stringify(code(0))}`
const assetIds = ({ size, text }: Words) => times(size(10_000), (i) => `${i} ${text(size(200))}`)

/** Random writes. */
export const writes: Record<string, (words: Words) => Request[]> = {
  put: (words) => [put(words.store, items(words))],
  post: (words) => [put(words.store, items(words), { method: 'POST' })],
  urls: ({ store, size, code }) => {
    const urls = times(size(2_000), (i) => [`Image URL ${i + 1}`, `https://cdn.example/${code(i)}`])
    const item = Object.fromEntries(urls)
    const body = times(room(bytesOf(item) + 300, size), (i) => ({ product_code: code(i), ...item }))
    return [put(store, body, { method: 'POST' })]
  },
  place: ({ store, size, code }) => {
    const urls = times(size(2_000), (i) => [`Image URL ${size(1_000_000)}`, `https://cdn.example/${i}`])
    const assets = Object.fromEntries(urls)
    const body = times(room(bytesOf(assets) + 300, size), (i) => ({ parent_code: code(i % size(10_000)), assets }))
    return [{ method: 'POST', path: `/v1/assets?store_uuid=${store}`, body }]
  },
  remove: (words) => {
    const { store, size, code, text, oneIn } = words
    const item = { store_uuid: store, channel: oneIn(2) ? text(size(5_000)) : 'SMP', asset_id: assetIds(words) }
    const body = times(room(bytesOf(item) + 300, size), (i) => ({ ...item, parent_code: code(i) }))
    const target = oneIn(2) ? { method: 'POST', path: '/v1/assets/unlink' } : { method: 'DELETE', path: '/v1/assets' }
    return [{ ...target, body }]
  },
  define: (words) => {
    const { store, oneIn } = words
    const selection = oneIn(3)
      ? '{ name pattern allowedValues violations { productCount examples { value reason } } }'
      : '{ name indexed }'
    const field = `defineAttributes(storeUuid: $store, definitions: $definitions, dryRun: $dryRun) ${selection}`
    const query = `mutation ($store: ID!, $definitions: [AttributeDefinitionInput!]!, $dryRun: Boolean) {
      ${oneIn(3) ? aliased(words, 20, () => field) : field} }`
    return [graphql(query, { store, definitions: definitions(words), dryRun: oneIn(4) })]
  },
  upsert: (words) => {
    const parts = (): string =>
      words.pick(['createdSkus', 'updatedSkus', 'failedProducts { productCode failures { attribute reason } }'])
    const selection = aliased(words, 40, parts)
    const one = (dryRun: boolean) =>
      `upsertProducts(storeUuid: $store, products: $products, dryRun: ${dryRun}) { ${selection} }`
    const fields = words.oneIn(3) ? aliased(words, 20, (i) => one(i % 2 === 1)) : one(false)
    const query = `mutation ($store: ID!, $products: [ProductPatch!]!) { ${fields} }`
    return [graphql(query, { store: words.store, products: patches(words) })]
  },
  assets: ({ store, size, code, text }) => {
    const url = `https://cdn.example/${'u'.repeat(size(2_000))}`
    const groups = size(10_000)
    const assets = times(room(url.length + 600, size), (i) => ({
      parentCode: code(i % groups),
      assetId: `${i} ${text(size(200))}`,
      url: `${url}${i}`,
    }))
    const query = `mutation ($store: ID!, $assets: [NewAsset!]!) {
      addAssets(storeUuid: $store, assets: $assets) { added linked failed errorInfo { details } } }`
    return [graphql(query, { store, assets })]
  },
  order: (words) => {
    const ids = assetIds(words)
    const group = groupOf(words)
    const position = words.size(2_000_000_000)
    return [
      graphql(`mutation ($ids: [String!]!) { reorderAssets(${group}, assetIds: $ids) { assets { url } } }`, { ids }),
      graphql(`mutation ($id: String!) { moveAsset(${group}, assetId: $id, position: ${position}) { channel } }`, {
        id: ids[0],
      }),
    ]
  },
  requirements: (words) => {
    const { store, size, names, text, pick, oneIn } = words
    const requirements = times(size(62), (i) => ({
      code: `${i} ${text(size(50))}`,
      kind: 'ATTRIBUTE',
      attribute: names[i % names.length],
      minimum: oneIn(2) ? size(1_000) : undefined,
      pattern: oneIn(2) ? pattern(words).slice(0, size(500)) : undefined,
      severity: pick(['REQUIRED', 'RECOMMENDED']),
      whenAttribute: oneIn(3) ? names[0] : undefined,
      whenValues: undefined,
    }))
    const query = `mutation ($store: ID!, $requirements: [ChannelRequirementInput!]!) {
      setChannelRequirements(storeUuid: $store, channel: "SMP", requirements: $requirements) { code } }`
    return [graphql(query, { store, requirements })]
  },
  revert: (words) => {
    const { store, random, pick, oneIn } = words
    const requestId = `random ${random.below(1_000_000_000)}`
    const query = `mutation ($store: ID!, $id: String!) {
      revertRequest(storeUuid: $store, requestId: $id, ifChangedSince: ${pick(['SKIP', 'OVERWRITE'])}, dryRun: ${oneIn(3)}) {
        more skipped { reason } } }`
    const revert = graphql(query, { store, id: requestId })
    const method = pick(['PUT', 'POST'])
    return [put(store, items(words), { method, headers: { 'x-request-id': requestId } }), revert, revert]
  },
  json: (words) => {
    const body = bodyOfManyValues(words)
    const query = `mutation ($store: ID!, $p: [ProductPatch!]!) { updateProducts(storeUuid: $store, products: $p) { more } }`
    const variables = `{"store":"${words.store}","p":${body.replaceAll('"product_code"', '"productCode"')}}`
    const operation = `{"query":"${query}","variables":${variables}}`
    return [words.oneIn(2) ? put(words.store, body) : { method: 'POST', path: '/graphql', body: operation }]
  },
  import: (words) => {
    const query = `mutation ($store: ID!, $input: ImportInput!) {
      job: startImport(storeUuid: $store, input: $input) { jobId } }`
    return [graphql(query, { store: words.store, input: importInput(words) })]
  },
  export: ({ store, pick, oneIn, text, size }) => {
    const channel = oneIn(3) ? text(size(1_000)) : 'SMP'
    const query = `mutation ($store: ID!, $format: FileFormat, $channel: String) {
      job: startExport(storeUuid: $store, format: $format, channel: $channel) { jobId } }`
    return [graphql(query, { store, channel, format: pick(['CSV', 'JSONL']) })]
  },
}
