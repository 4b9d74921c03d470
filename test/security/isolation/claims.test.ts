import { afterAll, beforeAll, expect, it } from 'vitest'
import { newStore } from '../../support/factories.ts'
import { startTestGateway, type TestGateway } from '../../support/servers/gateway.ts'
import { audience, type JwksServer, startJwksServer } from '../../support/servers/jwks-server.ts'

let provider: JwksServer
let gateway: TestGateway
beforeAll(async () => {
  provider = await startJwksServer()
  const jwt = { issuer: provider.issuer, audience, jwksUrl: provider.jwksUrl }
  gateway = await startTestGateway({ jwt, more: { rateLimit: 1_000, introspection: 'admin' } })
})
afterAll(async () => {
  await gateway.stop()
  await provider.close()
})

const post = async (token: string, query: string) => {
  const { status, headers, text } = await gateway.call('/graphql', { method: 'POST', token, body: { query } })
  return { status, limit: headers.ratelimit, cost: /"limit":(\d+)/.exec(text)?.[1] }
}

it('admin with stores has no limits of an administrator', async () => {
  const limited = await provider.sign({ scope: 'admin', stores: [await newStore(gateway)] })
  const administrator = await provider.sign({ scope: 'admin' })
  const query = '{ stores { totalCount } }'
  expect(await post(administrator, query)).toEqual({ status: 200, limit: undefined, cost: '1000000' })
  expect(await post(limited, query)).toEqual({ status: 200, limit: expect.stringContaining('r=999'), cost: '250000' })
  const introspection = '{ __schema { queryType { name } } }'
  expect((await post(administrator, introspection)).status).toBe(200)
  expect((await post(limited, introspection)).status).toBe(403)
})
