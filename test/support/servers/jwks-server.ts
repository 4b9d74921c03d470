import { createServer } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { listen } from './loopback.ts'

/** An OpenID provider as far as the gateway sees one: an issuer with keys. */
export interface JwksServer {
  issuer: string
  jwksUrl: string
  asked(): number
  /** Signs with the newest key. `header` and `claims` replace the usual ones. */
  sign(claims?: JWTPayload, header?: { alg?: string; kid?: string; typ?: string }): Promise<string>
  /** Publishes a new key, for ES256 unless another is given; the old ones are withdrawn unless kept. */
  rotate(keep?: boolean, alg?: string): Promise<void>
  close(): Promise<void>
}

export const audience = 'the-catalogue'

/** `others` are published, too. */
export async function startJwksServer(others: readonly JWK[] = []): Promise<JwksServer> {
  const keys: { alg: string; kid: string; privateKey: CryptoKey; publicKey: CryptoKey }[] = []
  let asked = 0
  let made = 0
  const rotate = async (keep = false, alg = 'ES256') => {
    if (!keep) keys.length = 0
    keys.push({ alg, kid: `key-${++made}`, ...(await generateKeyPair(alg, { extractable: true })) })
  }
  await rotate()
  const server = createServer(async (_request, response) => {
    asked++
    const published = keys.map(async ({ alg, kid, publicKey }) => ({ ...(await exportJWK(publicKey)), kid, alg }))
    const all = [...(await Promise.all(published)), ...others]
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: all }))
  })
  const issuer = `http://127.0.0.1:${await listen(server)}`
  return {
    issuer,
    jwksUrl: `${issuer}/keys`,
    asked: () => asked,
    sign: async (claims = {}, header = {}) => {
      const key = keys.at(-1)
      if (!key) throw new Error('there is no key')
      const now = Math.floor(Date.now() / 1000)
      const payload = { iss: issuer, aud: audience, sub: 'somebody', iat: now, exp: now + 60, scope: 'read', ...claims }
      return new SignJWT(payload).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey)
    },
    rotate,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
