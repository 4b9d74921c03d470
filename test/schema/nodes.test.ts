import { expect, it } from 'vitest'
import { newStore, storeWithAssets } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

interface Found {
  store: {
    id: string
    product: { id: string; assetGroups: { id: string }[] }
    attributeDefinitions: { id: string }[]
    assets: { nodes: { id: string }[] }
    changes: { nodes: { id: string }[] }
  }
  createToken: { token: { id: string } }
  startExport: { id: string }
}

const data = async (document: string, variables: object) =>
  (await gateway.data(document, { ...variables })) as unknown as Found

/** Ids of one object of each type, by the type. */
async function idsOfEach(): Promise<Record<string, string>> {
  const store = await storeWithAssets(gateway, [['asset-1', 'é/:"A']])
  const write = `mutation ($store: ID!) {
    upsertProducts(storeUuid: $store, products: { productCode: "é/:\\"A" }) { createdSkus }
    defineAttributes(storeUuid: $store, definitions: { name: "Size", type: TEXT }) { name }
    startExport(storeUuid: $store) { id }
    createToken(input: { name: "one", scopes: [READ] }) { token { id } }
  }`
  const { startExport, createToken } = await data(write, { store })
  const read = `query ($store: ID!) {
    store(storeUuid: $store) {
      id product(productCode: "é/:\\"A") { id assetGroups { id } } attributeDefinitions { id } assets { nodes { id } }
      changes { nodes { id } }
    }
  }`
  // The feed has the changes once no transaction of the server is older.
  const isThere = async () => (await data(read, { store })).store.changes.nodes.length
  await expect.poll(isThere).toBeGreaterThan(0)
  const { store: found } = await data(read, { store })
  return {
    Store: found.id,
    Product: found.product.id,
    Asset: found.assets.nodes[0]?.id ?? '',
    AssetGroup: found.product.assetGroups[0]?.id ?? '',
    AttributeDefinition: found.attributeDefinitions[0]?.id ?? '',
    Job: startExport.id,
    Token: createToken.token.id,
    Change: found.changes.nodes[0]?.id ?? '',
  }
}

const nodesDocument = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }'

it('finds an object of each type by its id, alone and among others', async () => {
  const ids = await idsOfEach()
  const expected = Object.entries(ids).map(([__typename, id]) => ({ __typename, id }))
  expect(await gateway.data(nodesDocument, { ids: Object.values(ids) })).toEqual({ nodes: expected })
  for (const node of expected) {
    const document = 'query ($id: ID!) { node(id: $id) { __typename id } }'
    expect(await gateway.data(document, { id: node.id })).toEqual({ node })
  }
})

it('finds nothing by the id of what does not exist', async () => {
  const store = await newStore(gateway)
  const encoded = (text: string) => Buffer.from(text).toString('base64url')
  const ids = [
    `Store:${store.replace(/^./, 'f')}`,
    'Store:no-uuid',
    `Product:${JSON.stringify([store, 'none'])}`,
    `Product:${JSON.stringify([store])}`,
    `Product:${JSON.stringify([store, 1])}`,
    `Product:${JSON.stringify([store, '\0'])}`,
    `Product:${JSON.stringify([store.toUpperCase(), 'A'])}`,
    'Product:{',
    'Job:1',
    'Token:1',
    `Change:${JSON.stringify([store, '1', '1'])}`,
    `Change:${JSON.stringify([store, '-1', 'x'])}`,
  ].map(encoded)
  expect(await gateway.data(nodesDocument, { ids })).toEqual({ nodes: ids.map(() => null) })
})

it.each([
  '',
  'x',
  Buffer.from('Store:').toString('base64url'),
  Buffer.from('Query:1').toString('base64url'),
  Buffer.from('__proto__:1').toString('base64url'),
  `${Buffer.from('Store:1').toString('base64url')}=`,
])('refuses %j, which is no id', async (id) => {
  const { errors } = await gateway.graphql('query ($id: ID!) { node(id: $id) { id } }', { id })
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'invalid_request', errorInfo: [{ field: 'id' }] })
})

it('finds the other nodes where an id is none', async () => {
  const { Product = '', Store = '' } = await idsOfEach()
  const key = Buffer.from(Product, 'base64url').toString().slice('Product:'.length)
  const ids = ['abc', Product, '', key, `!${key}`, Store]
  expect(await gateway.data(nodesDocument, { ids })).toEqual({
    nodes: [null, { __typename: 'Product', id: Product }, null, null, null, { __typename: 'Store', id: Store }],
  })
})

it('refuses more than 100 ids', async () => {
  const ids = Array.from({ length: 101 }, () => Buffer.from('Store:1').toString('base64url'))
  const { errors } = await gateway.graphql(nodesDocument, { ids })
  expect(errors?.[0]?.extensions.code).toBe('invalid_request')
})

it('reads many nodes of a type by one statement', async () => {
  const { Product = '', Job = '' } = await idsOfEach()
  for (const ids of [Array(100).fill(Product), Array(100).fill(Job)]) {
    await gateway.data(nodesDocument, { ids })
    gateway.database.statements()
    await gateway.data(nodesDocument, { ids })
    expect(gateway.database.statements()).toBeLessThanOrEqual(2)
  }
})
