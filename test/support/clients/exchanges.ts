import { appendFileSync } from 'node:fs'
import type { Call, Reply } from './http.ts'

/** A request under /v1 and what the gateway answered. */
export interface Exchange {
  method: string
  /** Below the version prefix, with its query. */
  target: string
  headers: Record<string, string>
  body?: string
  status: number
  answerHeaders: Record<string, string>
  answer: string
}

const maxBody = 1_000_000

/** Adds an exchange under /v1 to a file of JSON lines, for those who hold all of them against the document later. */
export function recordExchange(
  file: string,
  path: string,
  { method = 'GET', headers = {}, body }: Call,
  reply: Reply,
): void {
  if (!path.startsWith('/v1/') || path === '/v1/openapi.json' || body instanceof Uint8Array) return
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  if ((text?.length ?? 0) > maxBody) return
  const answerHeaders = Object.entries(reply.headers).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  const exchange: Exchange = {
    method,
    target: path.slice('/v1'.length),
    headers: { ...(text !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(text !== undefined && { body: text }),
    status: reply.status,
    answerHeaders: Object.fromEntries(answerHeaders),
    answer: reply.text,
  }
  appendFileSync(file, `${JSON.stringify(exchange)}\n`)
}
