import { expect, it } from 'vitest'
import { toHttpError } from '../../rest/translate.ts'
import { callRest } from '../support/clients/rest-client.ts'
import { newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()
const tooMany = Array.from({ length: 10_001 }, () => 'a')
const item = { parent_code: 'P', channel: 'SMP' }

it.each([
  ['DELETE /assets', { asset_id: tooMany }, 'asset_id'],
  ['POST /assets/unlink', { asset_id: tooMany }, 'asset_id'],
  ['PATCH /products', { product_code: 'A', attributes_to_remove: tooMany }, 'attributes_to_remove'],
])('an error of an item of %s has the names of REST', async (operation, body, field) => {
  const store = await newStore(gateway)
  const reply = await callRest(gateway, `${operation}?store_uuid=${store}`, [{ store_uuid: store, ...item, ...body }])
  const details = expect.stringMatching(`^item 0: ${field} must have`)
  expect(reply).toMatchObject({ status: 413, entries: [{ field, index: 0, details }] })
})

it('an error of a group of a request has the names of REST', () => {
  const fault = { reason: 'invalid_request', field: 'groups[1].assetFormat', index: 1 } as const
  const errorInfo = [{ ...fault, details: 'groups[1].assetFormat must be there' }]
  const error = toHttpError([{ message: '', extensions: { code: 'invalid_request', errorInfo } }])
  const details = 'item 1: asset_type must be there'
  expect(error).toMatchObject({ faults: [{ ...fault, field: 'asset_type', details }] })
})

it('an error of a parameter, or of a field of an object, has the names of REST', async () => {
  const body = { url: 'https://example.com/', filter: { types: tooMany } }
  const ofBody = await callRest(gateway, `POST /webhooks?store_uuid=${await newStore(gateway)}`, body)
  const ofQuery = await callRest(gateway, `GET /stores?search=${'a'.repeat(1_001)}`)
  const begins = (name: string) => expect.stringMatching(`^${name} must have`)
  expect([ofBody, ofQuery]).toMatchObject([
    { status: 413, entries: [{ field: 'filter.types', details: begins('filter.types') }] },
    { status: 400, entries: [{ field: 'search', details: begins('search') }] },
  ])
})

it('an error of an item of a repeatable parameter has the name of the parameter, and names the item', async () => {
  const store = await newStore(gateway)
  const refused = await Promise.all([
    callRest(gateway, `GET /products?store_uuid=${store}&sku_codes=A&sku_codes=%00`),
    callRest(gateway, `GET /products?store_uuid=${store}&sku_code=A,B&sku_code=%00`),
    callRest(gateway, 'GET /reports/status?store_uuids=%00'),
  ])
  const fault = (field: string, at: number) => {
    return { field, details: expect.stringMatching(`^${field}\\[${at}\\] must be a string without NUL`) }
  }
  expect(refused).toMatchObject([
    { status: 400, entries: [fault('sku_codes', 1)] },
    { status: 400, entries: [fault('sku_code', 1)] },
    { status: 400, entries: [fault('store_uuids', 0)] },
  ])
})

it('two bad values of a repeatable parameter are two errors', async () => {
  const refused = await callRest(
    gateway,
    `GET /products?store_uuid=${await newStore(gateway)}&sku_codes=%FF&sku_codes=%00`,
  )
  expect(refused).toMatchObject({
    status: 400,
    entries: [
      { field: 'sku_codes', details: 'sku_codes must be percent-encoded UTF-8' },
      { field: 'sku_codes', details: expect.stringMatching(/^sku_codes\[1\] must be a string without NUL/) },
    ],
  })
})
