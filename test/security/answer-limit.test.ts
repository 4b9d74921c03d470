import { afterAll, beforeAll, expect, it } from 'vitest'
import { storeWithAssets } from '../support/factories.ts'
import { type GraphQLReply, startTestGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let store: string
beforeAll(async () => {
  gateway = await startTestGateway({ more: { mostAnswerBytes: 10_000 } })
  const assets = Array.from({ length: 200 }, (_, i): [string, string] => [
    `asset-${i}`,
    i < 190 ? 'LONG' : `SHORT-${i}`,
  ])
  store = await storeWithAssets(gateway, assets)
})
afterAll(() => gateway.stop())

it('a read whose answer would be too long is refused through both doors, and says what to do', async () => {
  const listing = await gateway.call(`/v1/assets?store_uuid=${store}`)
  expect([listing.status, listing.text]).toEqual([400, expect.stringMatching(/10000 bytes.*smaller page/)])
  expect(listing.json).toMatchObject({ status: { code: -1 }, data: { error_info: [{ reason: 'invalid_request' }] } })
  expect((await gateway.call(`/v1/assets?store_uuid=${store}&offset=1`)).status).toBe(200)
  const query = `{ assetGroups(storeUuid: "${store}") { groups { assets { assetId url } } } }`
  const reply = await gateway.call('/graphql', { method: 'POST', body: { query } })
  expect(reply.status).toBe(400)
  expect((reply.json as GraphQLReply).errors?.[0]).toMatchObject({
    message: expect.stringMatching(/smaller page/),
    extensions: { code: 'invalid_request' },
  })
})

it('what was written is told, however long it is', async () => {
  const selectors = Array.from({ length: 300 }, (_, i) => ({ storeUuid: store, assetId: [`nothing-${i}`] }))
  const query = 'mutation ($s: [AssetSelector!]!) { deleteAssets(selectors: $s) { failed errorInfo { details } } }'
  const reply = await gateway.call('/graphql', { method: 'POST', body: { query, variables: { s: selectors } } })
  expect(reply.text.length).toBeGreaterThan(10_000)
  expect(reply.json).toMatchObject({ data: { deleteAssets: { failed: 300 } } })
})
