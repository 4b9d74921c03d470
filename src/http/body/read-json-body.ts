import type { IncomingMessage } from 'node:http'
import { HttpError } from '../../request/http-error.ts'
import { maxBodyBytes, readBody } from './read-body.ts'

interface Expected {
  maxBytes?: number
  mediaTypes?: readonly string[]
}

/** Reads a body, which must be declared as JSON. Throws `unsupported_media_type` and as `readBody` does. */
export async function readJsonBody(
  request: IncomingMessage,
  { maxBytes = maxBodyBytes, mediaTypes = ['application/json'] }: Expected = {},
): Promise<Buffer<ArrayBuffer>> {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers
  if (type !== undefined && !isUtf8(type, mediaTypes)) throw otherType(type)
  if (encoding !== undefined && encoding !== 'identity')
    throw unsupported(`not be compressed; got Content-Encoding: ${encoding}`)
  const body = await readBody(request, maxBytes)
  if (type === undefined && body.length > 0) throw otherType('no Content-Type')
  return body
}

const token = "[\\w!#$%&'*+.^`|~-]+"
/** RFC 9110, 8.3.1. No space can be matched in two ways, so that hostile headers take linear time. */
const contentType = new RegExp(
  `^(${token}/${token})\\s*(?:;\\s*(?:${token}\\s*=\\s*(?:${token}|"(?:[^"\\\\]|\\\\.)*")\\s*)?)*$`,
)

function isUtf8(type: string, mediaTypes: readonly string[]): boolean {
  const mediaType = contentType.exec(type)?.[1] ?? ''
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1] ?? 'utf-8'
  return mediaTypes.includes(mediaType.toLowerCase()) && /^utf-?8$/i.test(charset)
}

function otherType(got: string): HttpError {
  return unsupported(`be application/json in UTF-8; got ${got}`)
}

function unsupported(expected: string): HttpError {
  return new HttpError('unsupported_media_type', `body must ${expected}`)
}
