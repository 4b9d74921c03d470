import { expect, it } from 'vitest'
import { endpoints } from '../../rest/endpoints.ts'
import { readRequest } from '../../rest/request/read-request.ts'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import type { RequestHeaders } from '../../src/request/exchange.ts'

const formats = { ...fallbackEnumerations, assetFormats: ['image', 'audio'] }
const store = 'store_uuid=00000000-0000-4000-8000-000000000001'

function read(search: string, { enumerations = formats, headers = {} as RequestHeaders, path = '/v1/assets' } = {}) {
  const endpoint = endpoints.find((row) => row.path === '/assets' && row.method === 'GET')
  if (!endpoint) throw new Error('there is no endpoint')
  const unread = () => Promise.reject(new Error('a read has no body'))
  const request = { method: 'GET', path, search, headers, values: {}, caller: () => 'a', requestId: '1', body: unread }
  return readRequest(request, endpoint, enumerations, undefined)
}

it('reads the same query to the same variables, which no request can change', () => {
  const first = read(`${store}&limit=5`)
  const second = read(`${store}&limit=5`)
  expect(second).toEqual(first)
  expect(second.variables).toBe(first.variables)
  expect(() => Object.assign(second.variables, { limit: 6 })).toThrow(TypeError)
})

it('reads another query, one of other enumerations, and the headers of each request anew', () => {
  read(`${store}&asset_format=audio`)
  expect(read(`${store}&asset_format=image`).variables).toMatchObject({ assetFormat: 'image' })
  const enumerations = { ...formats, assetFormats: ['image'] }
  expect(() => read(`${store}&asset_format=audio`, { enumerations })).toThrow('invalid_request')
  const stale = (prefer: string) => read(`${store}&asset_format=audio`, { headers: { prefer } })
  expect(stale('stale-while=2s').staleness).toMatchObject({ maxMs: 2_000 })
  expect(() => stale('stale-while=2')).toThrow('invalid_request')
})

it('refuses a query with faults each time, and does not keep long ones', () => {
  for (const _ of [1, 2]) expect(() => read(`${store}&limit=0`)).toThrow('invalid_request')
  const long = `${store}&note=${'a'.repeat(500)}`
  expect(read(long)).toEqual(read(long))
  expect(read(long).variables).not.toBe(read(long).variables)
})
