import { serverAudits } from 'graphql-http'
import { expect, it } from 'vitest'
import { token, useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

/** The checks of the GraphQL over HTTP specification, with a token on each request. */
const audits = serverAudits({
  url: () => `${gateway.url}/graphql`,
  fetchFn: (url: string, init: RequestInit = {}) =>
    fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` } }),
})

for (const audit of audits) {
  it(`${audit.id} ${audit.name}`, async () => {
    const result = await audit.fn()
    expect(result.status, 'reason' in result ? result.reason : '').toBe('ok')
  })
}
