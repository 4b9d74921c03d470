import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoints } from '../../rest/endpoints.ts'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()
let storeUuid: string

beforeAll(async () => {
  storeUuid = await newStore(gateway)
})

/** The parameters of each GET that are texts. */
const parameters = endpoints
  .filter(({ method }) => method === 'GET')
  .flatMap(({ method, path, shapes }) => {
    const { query } = shapes(fallbackEnumerations)
    const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
    const names = Object.keys(properties).filter((name) => !path.includes(`{${name}}`))
    return names.map((name) => ({ method, path, name, needsStore: required.includes('store_uuid') }))
  })

describe('a query parameter', () => {
  it.each(parameters)('is refused with its name if it is no usable text: $method $path $name', async (parameter) => {
    const { path, name, needsStore } = parameter
    const store = needsStore && name !== 'store_uuid' ? `store_uuid=${storeUuid}&` : ''
    const { status, text } = await gateway.call(`/v1${path.replace(/\{\w+\}/g, 'A')}?${store}${name}=%00`)
    expect(status, text).toBe(400)
    expect(text).toContain(name)
  })
})
