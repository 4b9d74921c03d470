import type { HttpResponse } from '../../src/request/exchange.ts'
import { prefix } from '../endpoint.ts'
import type { CheckedRequest, RestServices } from '../services.ts'
import { enveloped, write } from './plain.ts'

/**
 * The answer of an import: as of a write, with its place. The file is received first. With an idempotency key its hash
 * is the body that must be the same.
 */
export async function answerUpload(checked: CheckedRequest, services: RestServices): Promise<HttpResponse> {
  const { idempotencyKey: key } = checked
  const upload = await services.receiveFile(checked)
  try {
    const idempotencyKey = key && { ...key, body: upload.digest }
    const { text, headers } = await write({ ...checked, idempotencyKey, upload }, services)
    // With a key they may be the data of the first request.
    return enveloped(checked, text, { ...headers, Location: `${prefix}/imports/${JSON.parse(text).job_id}` })
  } finally {
    await upload.discard()
  }
}
