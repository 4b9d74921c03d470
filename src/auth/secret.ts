import { createHmac, hash, pbkdf2Sync, randomBytes } from 'node:crypto'

/** A new token: a prefix by which scanners recognize a leaked secret, and 256 random bits. */
export function newSecret(): string {
  return `cat_${randomBytes(32).toString('base64url')}`
}

/** Whether the text has the form of a token of this service. Other texts need no lookup. */
export function isSecret(text: string): boolean {
  return /^cat_[\w-]{43}$/.test(text)
}

/** The hash that is stored of a token. A plain SHA-256 of 256 random bits cannot be inverted by search. */
export function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** A password for a login of PostgreSQL. */
export function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

/** The hash that PostgreSQL stores of a password. So no log of the server has the password. */
export function verifierOf(password: string): string {
  const salt = randomBytes(16)
  const iterations = 4096
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest()
  const storedKey = hash('sha256', keyed('Client Key'), 'base64')
  const serverKey = keyed('Server Key').toString('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
