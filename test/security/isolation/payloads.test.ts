import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { ask } from '../../support/clients/operations.ts'
import { define, newStore, productOf, storeWithAssets, storeWithProducts } from '../../support/factories.ts'
import { keptLog } from '../../support/log.ts'
import { startTestGateway, useGateway } from '../../support/servers/gateway.ts'
import { newToken } from '../../support/tokens.ts'

const gateway = useGateway()

const run = async (query: string, token?: string) => {
  const { status, json } = await gateway.post(query, token ? { token } : {})
  return { status, ...json }
}

const nameOf = async (storeUuid: string) => (await ask(gateway, 'store', { storeUuid }, '{ storeName }')).storeName

it.each([
  'linkedStores(first: 0) { storeUuid }',
  'products(first: -1) { totalCount }',
  'products(first: 1, last: 1) { totalCount }',
  'products(after: "nonsense") { totalCount }',
  'assetGroups(assetFormat: "nonsense") { totalGroups }',
  '... on Store { ...Below } } } fragment Below on Store { attributeDefinitions(first: 0) { name',
])('a mutation whose payload fails changes nothing: %s', async (fields) => {
  const store = await newStore(gateway, { store_name: 'before' })
  const update = `mutation { updateStore(storeUuid: "${store}", input: { storeName: "after" }) { storeName ${fields} } }`
  for (const _ of ['interpreted', 'compiled']) {
    const { data, errors } = await run(update)
    expect([data, errors?.[0]?.extensions.code]).toEqual([null, 'invalid_request'])
    expect(await nameOf(store)).toBe('before')
  }
})

it('a mutation whose payload reads changes nothing if another of its writes fails', async () => {
  const store = await storeWithProducts(gateway, ['1'])
  await gateway.post(`mutation { updateStore(storeUuid: "${store}", input: { storeName: "before" }) { storeUuid } }`)
  const other = '00000000-0000-7000-8000-000000000000'
  const update = (fields: string) => `mutation {
    updateStore(storeUuid: "${store}", input: { storeName: "after" }) { storeUuid ${fields} }
    deleteProducts(storeUuid: "${store}", productCodes: ["1"]) { deletedCount }
    failing: updateStore(storeUuid: "${other}", input: {}) { storeUuid } }`
  for (const _ of ['interpreted', 'compiled']) {
    const { data, errors } = await run(update('products { totalCount }'))
    expect([data, errors]).toMatchObject([null, [{ path: ['failing'], extensions: { code: 'store_not_found' } }]])
    expect([await nameOf(store), await productOf(gateway, store, '1')]).toMatchObject(['before', { status: 'NEW' }])
  }
  // Without such a payload the fields are writes of their own.
  await run(update(''))
  expect([await nameOf(store), await productOf(gateway, store, '1')]).toEqual(['after', null])
})

it('a mutation whose payload cannot be read in time says so, and nothing of what it could not do after that', async () => {
  const { lines, log } = keptLog('error')
  await using slow = await startTestGateway({ database: gateway.database, log, connection: { lock_timeout: 500 } })
  const store = await newStore(slow)
  await using holder = await gateway.database.client()
  await holder.query('begin; lock table product in access exclusive mode')
  const update = `updateStore(storeUuid: "${store}", input: {}) { storeUuid product(productCode: "1") { status } attributeDefinitions { name } }`
  const { json } = await slow.post(`mutation { first: ${update} second: ${update} }`)
  expect(json.errors?.map(({ extensions }) => extensions.code)).toEqual(['unavailable'])
  expect(lines).toEqual([])
})

it('a job whose payload fails is not queued, and one whose payload reads is', async () => {
  const store = await storeWithProducts(gateway, ['1'])
  const start = (fields: string) => run(`mutation { startExport(storeUuid: "${store}") { jobId ${fields} } }`)
  const jobs = async () => (await sql`select from job where store_uuid = ${store}`.execute(gateway.database.db)).rows
  expect((await start('output(part: -1)')).data).toBeNull()
  expect(await jobs()).toHaveLength(0)
  expect((await start('output outputParts')).data).toMatchObject({ startExport: { output: null, outputParts: 0 } })
  const { secret } = await newToken(gateway, { scopes: ['READ', 'WRITE'], stores: [store] })
  const limited = await run(`mutation { startExport(storeUuid: "${store}") { outputParts } }`, secret)
  expect(limited.data).toMatchObject({ startExport: { outputParts: 0 } })
  expect(await jobs()).toHaveLength(2)
})

it('a mutation whose payload reads what it wrote is committed', async () => {
  const store = await newStore(gateway)
  const query = `mutation { updateStore(storeUuid: "${store}", input: { storeName: "after" }) {
    products { edges { node { productCode } } } linkedStores { storeUuid } attributeDefinitions { name } } }`
  expect((await run(query)).errors).toBeUndefined()
  expect(await nameOf(store)).toBe('after')
})

it('a token with only the scope write gets from a mutation its result, and nothing that is read for it', async () => {
  const store = await storeWithAssets(gateway, [['a', '1']])
  await define(gateway, store, [{ name: 'Color', type: 'TEXT' }])
  const { secret } = await newToken(gateway, { scopes: ['WRITE'] })
  const upsert = `upsertProducts(storeUuid: "${store}", products: [{ productCode: "1", status: "bad" }, { productCode: "2" }])`
  const allowed = await run(
    `mutation { ${upsert} { createdSkus more failedProducts { productCode failures { attribute reason } } }
      updateStore(storeUuid: "${store}", input: { storeName: "by write" }) { __typename storeUuid }
      deleteAssets(selectors: []) { errorInfo { reason } } }`,
    secret,
  )
  expect(allowed).toMatchObject({ status: 200, data: { upsertProducts: { createdSkus: ['2'] } } })
  const update = (fields: string) =>
    `mutation { updateStore(storeUuid: "${store}", input: { storeName: "forbidden" }) { storeUuid ${fields} } }`
  const group = `storeUuid: "${store}", parentCode: "1"`
  const forbidden = [
    update('region'),
    `mutation { defineAttributes(storeUuid: "${store}", definitions: []) { name } }`,
    `mutation { removeAttributeDefinitions(storeUuid: "${store}", names: []) { ... { type } } }`,
    `mutation { deleteJob(jobId: "${store}") { state } }`,
    update('products { totalCount }'),
    update('product(productCode: "2") { status }'),
    update('linkedStores { storeUuid }'),
    update('attributeDefinitions { name }'),
    update('productCounts { count }'),
    update('...F } } fragment F on Store { ... { assetGroups { totalGroups }'),
    `mutation { ...M } fragment M on Mutation { defineAttributes(storeUuid: "${store}", definitions: []) { violations { productCount } } }`,
    `mutation { moveAsset(${group}, assetId: "a", position: 1) { assets { url } } }`,
    `mutation { startExport(storeUuid: "${store}") { outputParts } }`,
    `mutation { startExport(storeUuid: "${store}") { output } }`,
  ]
  for (const query of forbidden) {
    const reply = await run(query, secret)
    expect([reply.status, reply.errors?.[0]?.message], query).toEqual([403, 'the token must have the scope read'])
  }
  expect(await nameOf(store)).toBe('by write')
  expect(await productOf(gateway, store, '2')).not.toBeNull()
})
