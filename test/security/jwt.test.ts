import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { exportJWK, importJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { newStore } from '../support/factories.ts'
import { startTestGateway, type TestGateway } from '../support/servers/gateway.ts'
import { audience, type JwksServer, startJwksServer } from '../support/servers/jwks-server.ts'

const unusableKey = { kty: 'EC', crv: 'P-256', kid: 'unusable', x: 'AA', y: 'AA' }
let provider: JwksServer
let gateway: TestGateway
beforeAll(async () => {
  provider = await startJwksServer([unusableKey])
  gateway = await startTestGateway({ jwt: { issuer: provider.issuer, audience, jwksUrl: provider.jwksUrl } })
})
afterAll(async () => {
  await gateway.stop()
  await provider.close()
})

const statusOf = async (token: string, path = '/v1/nothing') => (await gateway.call(path, { token })).status
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

describe('JSON Web Tokens', () => {
  it('of the provider are accepted, with their scopes', async () => {
    expect(await statusOf(await provider.sign())).toBe(404)
    const put = { method: 'DELETE', body: [] }
    expect((await gateway.call('/v1/assets', { ...put, token: await provider.sign() })).status).toBe(403)
    const writer = await provider.sign({ scope: 'openid read write' })
    expect((await gateway.call('/v1/assets', { ...put, token: writer })).status).toBe(200)
    expect(await statusOf(await provider.sign({ scope: ['read'] }), '/v1/assets')).toBe(400)
  })

  it('are limited to the stores that they claim', async () => {
    const store = await newStore(gateway)
    const list = (token: string) => statusOf(token, `/v1/assets?store_uuid=${store}`)
    expect(await list(await provider.sign({ stores: [store.toUpperCase()] }))).toBe(200)
    expect(
      (
        await gateway.call('/v1/stores', {
          method: 'POST',
          body: {},
          token: await provider.sign({ scope: 'admin', stores: [store] }),
        })
      ).status,
    ).toBe(403)
    for (const stores of ['all', [1], null, {}])
      expect(await list(await provider.sign({ stores })), String(stores)).toBe(401)
  })

  it('share idempotency keys with later ones of the same subject and stores, and with no others', async () => {
    const [store, other] = [await newStore(gateway), await newStore(gateway)]
    const put = async (code: string, claims: object) => {
      const { text } = await gateway.call(`/v1/products?store_uuid=${store}`, {
        method: 'PUT',
        body: [{ product_code: code, Color: 'red' }],
        headers: { 'idempotency-key': 'k' },
        token: await provider.sign({ scope: 'write', ...claims }),
      })
      return text
    }
    expect(await put('1', { stores: [store], exp: inSeconds(60) })).toContain('"unavailable_skus":["1"]')
    expect(await put('2', { stores: [store], exp: inSeconds(90) })).toContain('idempotency_conflict')
    expect(await put('2', { stores: [store], sub: 'somebody else' })).toContain('"unavailable_skus":["2"]')
    expect(await put('1', { stores: [other] })).toContain('store_not_found')
  })

  it('are refused when anything about them is wrong', async () => {
    const good = await provider.sign()
    const [head = '', body = '', signature = ''] = good.split('.')
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const publicKey =
      ((await (await fetch(provider.jwksUrl)).json()) as { keys: Record<string, string>[] }).keys[0] ?? {}
    const hmac = createHmac('sha256', JSON.stringify(publicKey))
    const confused = `${encoded({ alg: 'HS256', kid: publicKey.kid })}.${body}`
    const bad: Record<string, string> = {
      'another issuer': await provider.sign({ iss: 'https://elsewhere.example' }),
      'another audience': await provider.sign({ aud: 'another-service' }),
      'no expiry': await provider.sign({ exp: undefined as never }),
      'no subject': await provider.sign({ sub: undefined as never }),
      'a subject that is a number': await provider.sign({ sub: 7 as never }),
      'a subject with NUL': await provider.sign({ sub: 'a\0b' }),
      'a subject with a lone surrogate': await provider.sign({ sub: 'a\ud800' }),
      'a subject of 256 characters': await provider.sign({ sub: 'a'.repeat(256) }),
      'another type': await provider.sign({}, { typ: 'logout+jwt' }),
      'no scope': await provider.sign({ scope: undefined }),
      'expired beyond the skew': await provider.sign({ exp: inSeconds(-10) }),
      'not yet good': await provider.sign({ nbf: inSeconds(60) }),
      'no algorithm': `${encoded({ alg: 'none' })}.${body}.`,
      'no algorithm, but a signature': `${encoded({ alg: 'none' })}.${body}.${signature}`,
      'the public key as a shared secret': `${confused}.${hmac.update(confused).digest('base64url')}`,
      'another payload': `${head}.${encoded({ ...JSON.parse(Buffer.from(body, 'base64url').toString()), scope: 'admin' })}.${signature}`,
      'another signature': `${head}.${body}.${signature.replace(/^.{4}/, 'AAAA')}`,
      'no signature': `${head}.${body}.`,
    }
    for (const [what, token] of Object.entries(bad)) expect(await statusOf(token), what).toBe(401)
    expect(await statusOf(good)).toBe(404)
    expect(await statusOf(await provider.sign({}, { typ: 'at+jwt' }))).toBe(404)
  })

  it('may be a few seconds late, as clocks differ', async () => {
    expect(await statusOf(await provider.sign({ exp: inSeconds(-2) }))).toBe(404)
    expect(await statusOf(await provider.sign({ nbf: inSeconds(2) }))).toBe(404)
  })

  it('are verified once for some seconds, however many requests have them', async () => {
    const verify = vi.spyOn(crypto.subtle, 'verify')
    onTestFinished(() => verify.mockRestore())
    const token = await provider.sign()
    for (let i = 0; i < 5; i++) expect(await statusOf(token)).toBe(404)
    expect(verify).toHaveBeenCalledTimes(1)
  })

  it('are refused when they have expired, also while they are trusted', async () => {
    const exp = inSeconds(0)
    const token = await provider.sign({ exp })
    expect(await statusOf(token)).toBe(404)
    for (; inSeconds(0) < exp + 5; await sleep(100)) await statusOf(token)
    expect(await statusOf(token)).toBe(401)
  })

  it('of a key that the provider has just begun to use are accepted, and unknown keys do not flood it', async () => {
    await sleep(5_200)
    await provider.rotate(true)
    expect(await statusOf(await provider.sign())).toBe(404)
    const asked = provider.asked()
    const unknown = await provider.sign({}, { kid: 'no-such-key' })
    for (let i = 0; i < 20; i++) expect(await statusOf(unknown)).toBe(401)
    expect(provider.asked() - asked).toBeLessThanOrEqual(1)
  })

  it('signed with a key that the header itself brings are refused', async () => {
    const stranger = await startJwksServer()
    const forged = await stranger.sign({ iss: provider.issuer })
    expect(await statusOf(forged)).toBe(401)
    const { publicKey, privateKey } = await crypto.subtle
      .generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
      .then(async (pair) => ({
        publicKey: await exportJWK(pair.publicKey),
        privateKey: await exportJWK(pair.privateKey),
      }))
    const header = { alg: 'ES256', jwk: publicKey, jku: stranger.jwksUrl, kid: 'mine' }
    const claims = { iss: provider.issuer, aud: audience, sub: 'x', scope: 'admin', exp: inSeconds(60) }
    const key = await importJWK(privateKey, 'ES256')
    expect(await statusOf(await new SignJWT(claims).setProtectedHeader(header).sign(key))).toBe(401)
    expect(stranger.asked()).toBe(0)
    await stranger.close()
  })

  it('of a key that cannot be used are refused, as the provider did answer', async () => {
    expect(await statusOf(await provider.sign({}, { kid: unusableKey.kid }))).toBe(401)
  })

  it('of an algorithm that is not allowed are refused, though a key of the provider signed them', async () => {
    const mixed = await startJwksServer()
    const jwt = { issuer: mixed.issuer, audience, jwksUrl: mixed.jwksUrl }
    const strict = await startTestGateway({ jwt: { ...jwt, algorithms: ['ES256'] } })
    const open = await startTestGateway({ jwt })
    const elliptic = await mixed.sign()
    await mixed.rotate(true, 'RS256')
    const rsa = await mixed.sign()
    const statuses = async (token: string) => [
      (await strict.call('/v1/nothing', { token })).status,
      (await open.call('/v1/nothing', { token })).status,
    ]
    expect([await statuses(elliptic), await statuses(rsa)]).toEqual([
      [404, 404],
      [401, 404],
    ])
    await Promise.all([strict.stop(), open.stop(), mixed.close()])
  })

  it('are 503, not 401, while their keys cannot be had', async () => {
    const gone = await startJwksServer()
    await using alone = await startTestGateway({ jwt: { issuer: gone.issuer, audience, jwksUrl: gone.jwksUrl } })
    const token = await gone.sign()
    await gone.close()
    const { status, headers } = await alone.call('/v1/nothing', { token })
    expect([status, headers['retry-after']]).toEqual([503, '1'])
  })

  it('need their issuer, audience and keys configured together', () => {
    const all = { JWT_ISSUER: 'i', JWT_AUDIENCE: 'a', JWT_JWKS_URL: 'https://keys.example/' }
    expect(readConfig(all).jwt).toEqual({ issuer: 'i', audience: 'a', jwksUrl: 'https://keys.example/' })
    expect(readConfig({ ...all, JWT_ALGORITHMS: 'ES256, RS256' }).jwt?.algorithms).toEqual(['ES256', 'RS256'])
    for (const JWT_ALGORITHMS of ['HS256', 'none', 'ES256,'])
      expect(() => readConfig({ ...all, JWT_ALGORITHMS })).toThrow(/JWT_ALGORITHMS/)
    for (const name of Object.keys(all)) expect(() => readConfig({ ...all, [name]: '' })).toThrow(/together/)
  })
})
