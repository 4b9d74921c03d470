import { hash, randomBytes } from 'node:crypto'

/** A new token: 256 random bits behind a prefix that scanners of leaked secrets can know it by. */
export function newSecret(): string {
  return `cat_${randomBytes(32).toString('base64url')}`
}

/** Whether the text can be a token that was made here. What is not need not be looked up. */
export function isSecret(text: string): boolean {
  return /^cat_[\w-]{43}$/.test(text)
}

/** What is kept of a token. With 256 random bits behind it a plain SHA-256 cannot be searched. */
export function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
