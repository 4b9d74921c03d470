import type { ErrorInfo } from '../response/envelope.ts'

const longest = 255

/** Reads the header `Idempotency-Key`, which Node decodes as latin1: the key, or its fault; undefined without one. */
export function readIdempotencyKey(header: string | undefined): { key: string } | { fault: ErrorInfo } | undefined {
  if (header === undefined) return undefined
  const key = new TextDecoder().decode(Uint8Array.from(header, (character) => character.charCodeAt(0)))
  const length = [...key].length
  if (length >= 1 && length <= longest) return { key: header }
  const details = `Idempotency-Key must have 1 to ${longest} characters; got ${length}`
  return { fault: { reason: 'invalid_request', details, field: 'Idempotency-Key' } }
}
