import type { RestRequest } from '../exchange.ts'
import { RestError } from '../response/rest-error.ts'

/** Reads the body of a request, which must be declared as JSON. Throws `unsupported_media_type` and others. */
export async function readBody(request: RestRequest): Promise<Uint8Array<ArrayBuffer>> {
  const type = request.header('content-type')
  if (type !== undefined && !isJson(type)) throw unsupported(type)
  const encoding = request.header('content-encoding')
  if (encoding !== undefined && encoding !== 'identity') throw unsupported(encoding)
  const bytes = await request.body()
  if (bytes === 'too large') throw new RestError('payload_too_large', 'body must have at most 10 MiB')
  if (type === undefined && bytes.length > 0) throw unsupported('no Content-Type')
  return bytes
}

function isJson(contentType: string): boolean {
  return /^application\/json\s*(;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i.test(contentType)
}

function unsupported(got: string): RestError {
  return new RestError('unsupported_media_type', `body must be application/json in UTF-8; got ${got}`)
}
