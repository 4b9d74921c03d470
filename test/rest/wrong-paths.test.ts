import { expect, it } from 'vitest'
import { newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

it.each([
  ['PATCH', '/v1/products/A', '/v1/products/A takes GET, HEAD, OPTIONS; got PATCH, which /v1/products takes'],
  ['DELETE', '/v1/products/A', '/v1/products/A takes GET, HEAD, OPTIONS; got DELETE, which /v1/products takes'],
  ['DELETE', '/v1/changes', '/v1/changes takes GET, HEAD, OPTIONS; got DELETE'],
])('refuses %s %s with the path that takes the method, if there is one', async (method, path, details) => {
  const { status, json } = await gateway.call(path, { method })
  expect([status, json]).toMatchObject([405, { data: { error_info: [{ reason: 'method_not_allowed', details }] } }])
})

it.each([
  ['DELETE', '/v1/products', 'a list of product codes'],
  ['PATCH', '/v1/products', 'a list of products'],
  ['PUT', '/v1/products', 'a list of products'],
  ['POST', '/v1/assets', 'a list of objects'],
  ['POST', '/v1/stores', 'an object'],
])('refuses %s %s without a body, or with another one, with what the body must be', async (method, path, expected) => {
  const url = `${path}?store_uuid=${await newStore(gateway)}`
  const detailsOf = async (body: string) => {
    const { status, json } = await gateway.call(url, { method, body })
    return [status, (json as { data: { error_info: { details: string }[] } }).data.error_info[0]?.details]
  }
  expect(await detailsOf('')).toEqual([400, `body is required, and must be ${expected}`])
  expect(await detailsOf('1')).toEqual([400, `body must be ${expected}; got 1`])
})
