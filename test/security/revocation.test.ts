import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthentication } from '../../src/auth/authentication.ts'
import type { TokenTrust } from '../../src/auth/token-cache.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { newToken, revoke } from '../support/tokens.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

const never = 1_000_000_000
type Connection = TestGateway['database']['connection']

/** Each of the three ways by which an instance hears that a token was taken back, the other two shut. */
const ways: [name: string, connection: (own: Connection) => Connection | undefined, trust: TokenTrust][] = [
  ['listening', (own) => own, { trustedMs: never, pollMs: never }],
  ['asking for all cached tokens', () => undefined, { trustedMs: never, pollMs: 200 }],
  ['asking while nobody can listen', (own) => ({ ...own, port: 1 }), { trustedMs: never, pollMs: 200 }],
  ['the end of trust', () => undefined, { trustedMs: 500, pollMs: never }],
]

describe.each(ways)('by %s', (_name, connectionOf, trust) => {
  it('a token is refused once it is revoked, and was not asked for with every request', async () => {
    const { db, connection } = gateway.database
    const instance = createAuthentication({
      ...{ db, connection: connectionOf(connection), bootstrapToken: undefined, jwt: undefined, trust },
      onError: () => {},
    })
    try {
      const { tokenId, secret } = await newToken(gateway, { scopes: ['READ'] })
      const isGood = async () => (await instance.authenticate(`Bearer ${secret}`)) !== undefined
      expect(await isGood()).toBe(true)
      // Whoever begins to listen forgets all: that must not be what is seen here.
      await sleep(1_000)
      expect(await isGood()).toBe(true)
      await revoke(gateway, tokenId)
      const began = Date.now()
      while (await isGood()) {
        if (Date.now() - began > 5_000) throw new Error('the token is still good')
        await sleep(50)
      }
    } finally {
      await instance.close()
    }
  })
})
