import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Call } from '../support/clients/http.ts'
import { ask } from '../support/clients/operations.ts'
import { addAssets, storeWithAssets, unknownStore } from '../support/factories.ts'
import { startTestGateway, type TestGateway, useGateway } from '../support/servers/gateway.ts'

/** Two instances on one database: what one writes the other must show at once. */
const gateway = useGateway()
let other: TestGateway
let store: string
beforeAll(async () => {
  other = await startTestGateway({ database: gateway.database })
})
afterAll(async () => {
  await other.stop()
})
beforeEach(async () => {
  store = await storeWithAssets(gateway, ['a P', 'b Q', ['d', 'P', { channel: 'channel_value_1' }]])
})

const list = (options: Call = {}, query = '') => gateway.call(`/v1/assets?store_uuid=${store}${query}`, options)
const tagged = (tag: string, options: Call = {}) => list({ ...options, headers: { 'if-none-match': tag } })

async function currentTag(): Promise<string> {
  const { status, headers } = await list()
  expect(status).toBe(200)
  expect(headers.etag).toMatch(/^W\/"1-\d+"$/)
  return String(headers.etag)
}

it('answers 304 without a body to who has the page already', async () => {
  const tag = await currentTag()
  for (const known of [tag, tag.replace('W/', ''), `"x", ${tag}`, '*']) {
    const { status, text, headers } = await tagged(known, { headers: { 'x-request-id': 'mine' } })
    expect({ known, status, text, etag: headers.etag }).toEqual({ known, status: 304, text: '', etag: tag })
    expect(headers['content-type']).toBeUndefined()
  }
  const { status, headers } = await list({ method: 'HEAD', headers: { 'if-none-match': tag, 'x-request-id': 'mine' } })
  expect({ status, id: headers['x-request-id'] }).toEqual({ status: 304, id: 'mine' })
  expect((await tagged('W/"1-0"')).status).toBe(200)
  expect((await list()).headers['cache-control']).toBe('private, no-cache')
})

it('sends a page that was rendered before under the id of each request', async () => {
  const replies = await Promise.all(['one', 'two'].map((id) => list({ headers: { 'x-request-id': id } })))
  const again = await list({ headers: { 'x-request-id': 'three' } })
  const ids = [...replies, again].map(({ json }) => (json as { status: { request_id: string } }).status.request_id)
  expect(ids).toEqual(['one', 'two', 'three'])
  expect(again.text).toBe(replies[0]?.text.replace('"one"', '"three"'))
})

it('keeps pages of other offsets, limits, channels, formats and stores apart', async () => {
  const texts = []
  for (const query of ['', '&offset=1', '&limit=1', '&channel=channel_value_1', '&asset_format=pdf']) {
    for (let time = 0; time < 2; time++) texts.push((await list({ headers: { 'x-request-id': 'x' } }, query)).text)
  }
  expect(new Set(texts).size).toBe(5)
  const elsewhere = await gateway.call(`/v1/assets?store_uuid=${unknownStore()}`, { headers: { 'if-none-match': '*' } })
  expect(elsewhere.status).toBe(404)
})

it('demands a token and well-formed parameters from who has the page too', async () => {
  const tag = await currentTag()
  expect((await tagged(tag, { token: 'not-a-token-of-anybody' })).status).toBe(401)
  expect((await list({ headers: { 'if-none-match': tag } }, '&limit=0')).status).toBe(400)
})

it('shows each kind of write at once, on every instance', async () => {
  const link = { store_uuid: store, parent_code: 'P', channel: 'SMP' }
  const writes: (() => Promise<unknown>)[] = [
    () => addAssets(gateway, store, [['c', 'P']]),
    () =>
      gateway.call(`/v1/assets?store_uuid=${store}`, {
        method: 'POST',
        body: [{ parent_code: 'P', asset_type: 'image', assets: { 'Image URL 1': 'https://cdn.example/first' } }],
      }),
    () => ask(gateway, 'moveAsset', { storeUuid: store, parentCode: 'P', assetId: 'a', position: 3 }),
    () => gateway.call('/v1/assets/unlink', { method: 'POST', body: [{ ...link, asset_id: 'c' }] }),
    () => gateway.call('/v1/assets', { method: 'DELETE', body: [{ store_uuid: store, asset_id: 'b' }] }),
    () =>
      gateway.call(`/v1/products?store_uuid=${store}`, {
        method: 'POST',
        body: [{ product_code: 'R', 'Image URL 1': 'https://cdn.example/r' }],
      }),
  ]
  const seen = new Set<string>()
  const read = async (at: TestGateway) => {
    const { text } = await at.call(`/v1/assets?store_uuid=${store}`, { headers: { 'x-request-id': 'x' } })
    return text
  }
  seen.add(await read(other))
  for (const [i, write] of writes.entries()) {
    await write()
    const texts = [await read(other), await read(gateway)]
    expect(texts[0], `write ${i}`).toBe(texts[1])
    expect(seen.has(texts[0] ?? ''), `write ${i} shows`).toBe(false)
    seen.add(texts[0] ?? '')
  }
})

it('never shows a reader less than what was acknowledged before it began', async () => {
  let acknowledged = 0
  let writing = true
  const writer = async () => {
    for (let i = 0; i < 60; i++) {
      await addAssets(gateway, store, [[`new-${i}`, `new-${i}`]])
      acknowledged = i + 1
    }
    writing = false
  }
  const reader = async (at: TestGateway) => {
    while (writing) {
      const expected = acknowledged + 2
      const { json } = await at.call(`/v1/assets?store_uuid=${store}&limit=1`)
      const { data } = json as { data: { total_groups: number } }
      expect(data.total_groups).toBeGreaterThanOrEqual(expected)
    }
  }
  await Promise.all([writer(), reader(gateway), reader(other), reader(other)])
})

it('changes nothing of a page by a preview, nor by a write to another channel', async () => {
  const tag = await currentTag()
  await gateway.call('/v1/assets?dry_run=true', { method: 'DELETE', body: [{ store_uuid: store, asset_id: 'a' }] })
  await addAssets(gateway, store, [['z', 'P', { channel: 'channel_value_1' }]])
  expect((await tagged(tag)).status).toBe(304)
})
