import type { HttpResponse } from '../../src/request/exchange.ts'
import { type Answers, prefix } from '../endpoint.ts'
import type { RestServices } from '../services.ts'
import { answerWrite, type CheckedRequest } from './plain.ts'

/**
 * The answer of an endpoint that takes a file: as of a write, with the place of what it makes. The file is received
 * first. With an idempotency key its hash is the body that must be the same.
 */
export async function answerUpload<Caller>(
  checked: CheckedRequest<Caller>,
  { optionsOf, locationOf }: Answers & { kind: 'upload' },
  services: RestServices<Caller>,
): Promise<HttpResponse> {
  const { request, caller, query, idempotencyKey: key } = checked
  const { requestId } = request
  const upload = await services.receiveFile(optionsOf(query), { caller, requestId }, request.file())
  try {
    const idempotencyKey = key && { ...key, body: upload.digest }
    const answer = await answerWrite({ ...checked, idempotencyKey, upload }, services)
    const { data } = JSON.parse(String(answer.body)) as { data: Record<string, unknown> }
    return { ...answer, headers: { ...answer.headers, Location: prefix + locationOf(data) } }
  } finally {
    await upload.discard()
  }
}
