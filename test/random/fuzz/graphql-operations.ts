import { endpoints } from '../../../rest/endpoints.ts'
import { graphqlExamples } from '../../../rest/openapi/operation.ts'
import { fallbackEnumerations } from '../../../src/catalogue/enumerations.ts'
import { documentOf } from '../../support/clients/operations.ts'
import { generateDocuments } from '../../support/generated-documents.ts'
import { type Fixture, ofFixture } from './fixture.ts'
import type { Json } from './json-text.ts'

export interface Operation {
  query: string
  variables: { [name: string]: Json }
}

/** Valid operations: those of REST, the other mutations, and what documents can have besides fields. */
export function operations(fixture: Fixture): Operation[] {
  const store = fixture.stores[0] ?? ''
  return [
    ...ofFixture(graphqlExamples(endpoints, fallbackEnumerations), fixture).map(({ document, variables }) => ({
      query: document,
      variables: variables as Operation['variables'],
    })),
    ...mutations(fixture).map(([field, variables]) => ({ query: documentOf(field, variables), variables })),
    ...syntax.map((query) => ({ query, variables: { s: store, filter: { search: 'k' } } })),
  ]
}

/** A query for each field of the schema. */
export function queries({ stores }: Fixture): Operation[] {
  return generateDocuments()
    .filter(({ operation }) => operation === 'query')
    .map((document) => ({ query: document.text(stores[0] ?? ''), variables: {} }))
}

function mutations({ stores, codes, assetIds }: Fixture): [field: string, variables: Operation['variables']][] {
  const [first = '', storeUuid = ''] = stores
  const [code = '', second = '', parentCode = ''] = codes
  const created = { productCode: 'SKU-x', status: null, attributes: { Since: '2026-11-21', 'A b': '' } }
  const known = { assetId: assetIds[0] ?? '', parentCode, url: 'https://example.com/0.jpg' }
  const pdf = { channel: 'channel_value_1', parentCode: second, assetFormat: 'pdf', url: 'https://example.com/1.pdf' }
  const definitions = [
    { name: 'Fit', type: 'ENUM', allowedValues: ['slim', 'wide'] },
    { name: 'Code', type: 'TEXT', maxLength: 5, pattern: '[a-z]+' },
  ]
  return [
    ['upsertProducts', { storeUuid, products: [created] }],
    ['addAssets', { storeUuid: first, assets: [known, pdf] }],
    ['defineAttributes', { storeUuid, definitions }],
    ['removeAttributeDefinitions', { storeUuid, names: ['unknown'] }],
    ['moveAsset', { storeUuid: first, parentCode, assetId: 'shared-2', position: 1 }],
    ['reorderAssets', { storeUuid: first, parentCode, assetIds: ['asset-2', 'shared-2'], channel: 'SMP' }],
    ['updateStore', { storeUuid, input: { storeName: 'Renamed', region: ['Asia'], storeWebsite: null } }],
    ['deleteProducts', { storeUuid, productCodes: [code, 'unknown'], dryRun: true }],
  ]
}

/** What documents can have besides fields: fragments, defaults, block strings and values of every kind. */
const syntax = [
  `query Deep($s: ID!, $filter: ProductFilter, $last: Int = 3) { store(storeUuid: $s) { ...Names
    products(last: $last, filter: $filter) { edges { node { productCode assetGroups(channel: "SMP") { parentCode } } } } } }
    fragment Names on Store { storeUuid storeName region channels }`,
  `{ __schema { queryType { name } types { name fields(includeDeprecated: true) { args { defaultValue } type { ...T } } } }
    __type(name: "Store") { name } } fragment T on __Type { kind name ofType { kind name ofType { kind name } } }`,
  `mutation ($s: ID!) { addAssets(storeUuid: $s, assets: [{ parentCode: """block "string" \\""" here""", url: "https://example.com/\\u00e4" }]) { added }
    updateProducts(storeUuid: $s, products: [{ productCode: "SKU-2", attributes: { Color: "x", n: 1, list: [1, 2.5e3, true, null, E], o: { a: $s } } }]) { updatedSkus } }`,
]
