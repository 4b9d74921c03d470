import type { Fixture } from './fixture.ts'
import type { Json } from './json-text.ts'

export interface Operation {
  query: string
  variables: { [name: string]: Json }
}

/** An operation of every kind that the API has, each valid. */
export function operations({ stores, codes, assetIds }: Fixture): Operation[] {
  const [s = '', other = ''] = stores
  const [code = '', second = '', third = ''] = codes
  return [
    {
      query: `query ($first: Int, $after: String, $filter: StoreFilter) { stores(first: $first, after: $after, filter: $filter) {
        totalCount pageInfo { hasNextPage endCursor } edges { cursor node { storeUuid storeName linkedStores { storeUuid } } } } }`,
      variables: {
        first: 2,
        after: null,
        filter: { search: 'u', region: null, channel: 'SMP', storeTaxonomy: 'catalog', storeGroup: null },
      },
    },
    {
      query: `query Deep($s: ID!, $filter: ProductFilter, $last: Int = 3) { store(storeUuid: $s) { ...Names createdAt productCounts { status count }
        attributeDefinitions { name type allowedValues } product(productCode: "SKU-1") { attributes }
        products(last: $last, filter: $filter) { totalCount edges { node { productCode status attributes updatedAt
          assetGroups(channel: "SMP") { parentCode product { productCode } assets { assetId url position urlField } } } } } } }
        fragment Names on Store { storeUuid storeName region channels }`,
      variables: {
        s,
        filter: { status: ['NEW', 'UNDER_REVIEW'], codes: [code, second], codePrefix: 'SKU', search: 'k' },
        last: 2,
      },
    },
    {
      query: `query ($s: ID!, $channel: String, $format: String = "image", $offset: Int, $limit: Int) {
        assetGroups(storeUuid: $s, channel: $channel, assetFormat: $format, offset: $offset, limit: $limit) { totalGroups returnedGroups
          groups { parentCode channel assetType storeUuid assets { assetId url } } }
        enumerations { channels assetFormats storeTaxonomies regions defaultAutomations } }`,
      variables: { s, channel: 'SMP', format: 'image', offset: 0, limit: 2 },
    },
    {
      query: `{ __schema { queryType { name } types { name kind fields(includeDeprecated: true) { name args { name defaultValue } type { ...T } } } }
        __type(name: "Store") { name } } fragment T on __Type { kind name ofType { kind name ofType { kind name } } }`,
      variables: {},
    },
    {
      query: `mutation ($s: ID!, $products: [ProductPatch!]!) { updateProducts(storeUuid: $s, products: $products) {
        storeUuid updatedSkus unavailableSkus failedProducts { productCode failures { attribute reason } } } }`,
      variables: {
        s,
        products: [
          { productCode: code, status: 'active', attributes: { Color: 'Red', Size: '1', Fit: 'wide' } },
          { productCode: '__proto__', attributes: { constructor: 'x' } },
        ],
      },
    },
    {
      query: `mutation ($s: ID!, $products: [ProductPatch!]!) { upsertProducts(storeUuid: $s, products: $products) {
        createdSkus updatedSkus failedProducts { productCode failures { attribute reason } } } }`,
      variables: {
        s: other,
        products: [{ productCode: 'SKU-x', status: null, attributes: { Since: '2026-11-21', 'A b': '' } }],
      },
    },
    {
      query: `mutation ($s: ID!, $assets: [NewAsset!]!) { addAssets(storeUuid: $s, assets: $assets) {
        added linked assetIds failed errorInfo { reason details index storeUuid channel parentCode assetId } } }`,
      variables: {
        s,
        assets: [
          { assetId: assetIds[0] ?? '', parentCode: code, url: 'https://example.com/0.jpg' },
          { channel: 'channel_value_1', parentCode: second, assetFormat: 'pdf', url: 'https://example.com/new.pdf' },
        ],
      },
    },
    {
      query: `mutation ($selectors: [AssetSelector!]!) { deleteAssets(selectors: $selectors) { deletedCount failed errorInfo { reason details } } }`,
      variables: {
        selectors: [
          { storeUuid: other, assetId: ['unknown', assetIds[2] ?? ''] },
          { storeUuid: other, channel: 'SMP', parentCode: second },
          { storeUuid: other },
        ],
      },
    },
    {
      query: `mutation ($links: [AssetUnlink!]!) { unlinkAssets(links: $links) { unlinked failed errorInfo { reason details } } }`,
      variables: { links: [{ storeUuid: other, parentCode: code, channel: 'SMP', assetId: [assetIds[0] ?? ''] }] },
    },
    {
      query: `mutation ($input: CreateStoreInput!, $linked: ID, $copy: Boolean) {
        createStore(input: $input, linkedStoreId: $linked, copyTaxonomy: $copy) { storeUuid storeGroup storeWebsite } }`,
      variables: {
        input: {
          storeName: 'By GraphQL',
          storeTaxonomy: 'catalog',
          region: ['Asia'],
          channels: ['SMP'],
          defaultAutomation: [],
          storeWebsite: 'https://example.com',
        },
        linked: s,
        copy: true,
      },
    },
    {
      query: `mutation ($s: ID!, $d: [AttributeDefinitionInput!]!) { defineAttributes(storeUuid: $s, definitions: $d) { name type pattern maxLength } }`,
      variables: {
        s: other,
        d: [
          { name: 'Fit', type: 'ENUM', allowedValues: ['slim', 'wide'] },
          { name: 'Code', type: 'TEXT', maxLength: 5, pattern: '[a-z]+' },
        ],
      },
    },
    {
      query: `mutation ($s: ID!) { addAssets(storeUuid: $s, assets: [{ parentCode: """block "string" \\""" here""", url: "https://example.com/\\u00e4" }]) { added }
        updateProducts(storeUuid: $s, products: [{ productCode: "SKU-2", attributes: { Color: "x", n: 1, list: [1, 2.5e3, true, null, E], o: { a: $s } } }]) { updatedSkus } }`,
      variables: { s },
    },
    {
      query: `query ($s: ID!, $filter: ProductFilter, $offset: Int, $limit: Int) { productPage(storeUuid: $s, filter: $filter, offset: $offset, limit: $limit) {
        totalProducts products { productCode attributes } } store(storeUuid: $s) { attributeDefinitions { name violations { productCount examples { value reason } } } } }`,
      variables: { s, filter: { codes: [code] }, offset: 1, limit: 3 },
    },
    {
      query: `mutation ($s: ID!, $p: [ProductPatch!]!, $channel: String, $dry: Boolean) { createProducts(storeUuid: $s, products: $p, channel: $channel, dryRun: $dry) {
        createdSkus existingSkus failedProducts { productCode failures { attribute reason } } } }`,
      variables: {
        s,
        channel: 'SMP',
        dry: false,
        p: [{ productCode: 'SKU-new', attributes: { Color: 'Red', 'Image URL 1': 'https://example.com/new.jpg' } }],
      },
    },
    {
      query: `mutation ($s: ID!, $groups: [AssetPlacement!]!) { placeAssets(storeUuid: $s, groups: $groups) { created updated failed errorInfo { reason details field } } }`,
      variables: {
        s,
        groups: [
          { parentCode: code, assetFormat: 'image', assets: { 'Image URL 1': 'https://example.com/first.jpg' } },
        ],
      },
    },
    {
      query: `mutation ($s: ID!, $code: String!, $id: String!, $to: Int!, $ids: [String!]!) {
        moveAsset(storeUuid: $s, parentCode: $code, assetId: $id, position: $to) { assets { assetId position } }
        reorderAssets(storeUuid: $s, parentCode: $code, assetIds: $ids, channel: "SMP", assetFormat: "image") { assets { assetId } } }`,
      variables: { s, code: third, id: 'shared-2', to: 1, ids: ['asset-2', 'shared-2'] },
    },
    {
      query: `mutation ($s: ID!, $input: UpdateStoreInput!, $codes: [String!]!, $names: [String!]!) {
        updateStore(storeUuid: $s, input: $input) { storeName region storeWebsite }
        deleteProducts(storeUuid: $s, productCodes: $codes, dryRun: true) { __typename }
        removeAttributeDefinitions(storeUuid: $s, names: $names) { name } }`,
      variables: {
        s: other,
        input: { storeName: 'Renamed', region: ['Asia'], storeWebsite: null, storeTaxonomy: 'brand' },
        codes: [code, 'unknown'],
        names: ['unknown'],
      },
    },
  ]
}
