import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestGateway, type TestGateway, token } from '../support/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

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
