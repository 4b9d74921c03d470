import { inContext } from '../../src/request/context.ts'
import type { HttpResponse } from '../../src/request/exchange.ts'
import type { Answers } from '../endpoint.ts'
import type { CheckedRequest, RestServices } from '../services.ts'

/** The answer of an endpoint whose answer is a file: its parts, each read when the client has taken those before. */
export async function answerFile(
  checked: CheckedRequest,
  { typeOf, partOf }: Answers & { kind: 'file' },
  services: RestServices,
): Promise<HttpResponse> {
  const read = (part: number) => services.read(checked, { ...checked.variables, part })
  const first = await read(0)
  async function* parts() {
    let text = partOf(first)
    for (let part = 1; text !== null; part++) {
      yield Buffer.from(text, 'base64')
      text = partOf(await read(part))
    }
  }
  return { status: 200, headers: { 'Content-Type': typeOf(first) }, parts: inContext(parts()) }
}
