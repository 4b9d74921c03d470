import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createAuthentication } from '../../src/auth/authentication.ts'
import { useGateway } from '../support/servers/gateway.ts'
import { newToken, revoke } from '../support/tokens.ts'

const gateway = useGateway()

it('a token is refused once it is revoked and no longer trusted, and is not looked up with every request', async () => {
  const { db } = gateway.database
  const authenticate = createAuthentication({ db, bootstrapToken: undefined, jwt: undefined, trustMs: 500 })
  const { tokenId, secret } = await newToken(gateway, { scopes: ['READ'] })
  const isValid = async () => (await authenticate(`Bearer ${secret}`)) !== undefined
  expect(await isValid()).toBe(true)
  // Long enough for a second lookup, so that the first one of a token is not a special case.
  await sleep(1_000)
  expect(await isValid()).toBe(true)
  gateway.database.statements()
  await revoke(gateway, tokenId)
  await expect.poll(isValid, { interval: 5 }).toBe(false)
  expect(gateway.database.statements()).toBeLessThan(10)
})

it('many requests with one token share one lookup', async () => {
  const { db } = gateway.database
  const authenticate = createAuthentication({ db, bootstrapToken: undefined, jwt: undefined })
  const { secret } = await newToken(gateway, { scopes: ['READ'] })
  gateway.database.statements()
  const callers = await Promise.all(Array.from({ length: 50 }, () => authenticate(`Bearer ${secret}`)))
  expect(new Set(callers.map((caller) => caller?.tokenId)).size).toBe(1)
  expect(gateway.database.statements()).toBeLessThan(5)
})
