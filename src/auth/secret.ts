import { hash, randomBytes } from 'node:crypto'

/** A new token: a prefix by which scanners recognize a leaked secret, and 256 random bits. */
export function newSecret(): string {
  return `cat_${randomBytes(32).toString('base64url')}`
}

/** Whether the text has the form of a token of this service. Other texts need no lookup. */
export function isSecret(text: string): boolean {
  return /^cat_[\w-]{43}$/.test(text)
}

/** What is stored of a token. Of 256 random bits a plain SHA-256 cannot be inverted by search. */
export function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
