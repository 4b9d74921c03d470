import { describe, expect, it } from 'vitest'
import { outcomeOf } from '../support/clients/rest-client.ts'
import { startTestGateway, useGateway } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'

describe.each([
  ['memory', false],
  ['PostgreSQL', true],
])('the limit of requests, counted in %s', (_where, isRateLimitShared) => {
  const gateway = useGateway({ more: { rateLimit: 5, isRateLimitShared } })

  it('lets a token make so many requests a minute, and then says when to come again', async () => {
    const { secret: token } = await newToken(gateway, { scopes: ['READ'] })
    for (let left = 4; left >= 0; left--) {
      const { status, headers } = await gateway.call('/v1/assets', { token })
      expect(status).toBe(400)
      expect(headers['ratelimit-policy']).toBe('"default";q=5;w=60')
      expect(headers.ratelimit).toMatch(new RegExp(`^"default";r=${left};t=(60|5\\d)$`))
    }
    const reply = await gateway.call('/v1/assets', { token })
    expect(outcomeOf(reply)).toMatchObject({ reason: 'rate_limited' })
    expect(reply.status).toBe(429)
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(50)
    const graphql = await gateway.post('{ __typename }', { token })
    expect([graphql.status, graphql.headers.ratelimit]).toEqual([429, expect.stringMatching(/^"default";r=0/)])
    expect(graphql.json.errors).toMatchObject([{ extensions: { code: 'rate_limited' } }])
  })

  it('counts each token by itself, and administrators not at all', async () => {
    const { secret: token } = await newToken(gateway, { scopes: ['READ'] })
    for (let i = 0; i < 7; i++) expect((await gateway.call('/v1/assets')).status).toBe(400)
    const { status, headers } = await gateway.call('/v1/assets', { token })
    expect([status, headers.ratelimit]).toEqual([400, expect.stringContaining('r=4')])
    expect((await gateway.call('/v1/assets')).headers.ratelimit).toBeUndefined()
  })
})

it('instances on one database count together', async () => {
  const more = { rateLimit: 5, isRateLimitShared: true }
  await using gateway = await startTestGateway({ more })
  await using other = await startTestGateway({ database: gateway.database, more })
  const { secret: token } = await newToken(gateway, { scopes: ['READ'] })
  const statuses = []
  for (const instance of [gateway, other, gateway, other, gateway, other])
    statuses.push((await instance.call('/v1/assets', { token })).status)
  expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
})
