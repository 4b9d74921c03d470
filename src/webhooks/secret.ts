import { createHmac, randomBytes } from 'node:crypto'

/** For how long both secrets sign after a rotation. */
export const bothSecretsHours = 24

/** A secret of Standard Webhooks: a prefix and 256 random bits in base64. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** What is signed. */
interface Signed {
  id: string
  /** In seconds since 1970. */
  timestamp: number
  body: string
}

/** The header `webhook-signature`: a signature by each of the secrets. */
export function signatureOf({ id, timestamp, body }: Signed, secrets: readonly string[]): string {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return signatures.join(' ')
}
