import type { HttpResponse } from '../../src/request/exchange.ts'
import { type Answers, prefix } from '../endpoint.ts'
import type { CheckedRequest, RestServices } from '../services.ts'
import { enveloped, write } from './plain.ts'

/**
 * The answer of an endpoint that takes a file: as of a write, with the place of what it makes. The file is received
 * first. With an idempotency key its hash is the body that must be the same.
 */
export async function answerUpload(
  checked: CheckedRequest,
  { optionsOf, locationOf }: Answers & { kind: 'upload' },
  services: RestServices,
): Promise<HttpResponse> {
  const { query, idempotencyKey: key } = checked
  const upload = await services.receiveFile(checked, optionsOf(query))
  try {
    const idempotencyKey = key && { ...key, body: upload.digest }
    const { text, headers } = await write({ ...checked, idempotencyKey, upload }, services)
    // With a key they may be the data of the first request.
    const Location = prefix + locationOf(JSON.parse(text))
    return enveloped(checked, text, { ...headers, Location })
  } finally {
    await upload.discard()
  }
}
