import type { HttpResponse } from '../../request/exchange.ts'

type Body = NonNullable<HttpResponse['body']>

/** The number of bytes that a body has. */
export function byteLength(body: Body | undefined = ''): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.reduce((sum, { length }) => sum + length, 0)
}

/** The bytes of a body. */
export function piecesOf(body: Body): readonly Buffer[] {
  return typeof body === 'string' ? [Buffer.from(body)] : body
}
