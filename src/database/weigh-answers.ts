import type { Socket } from 'node:net'
import type pg from 'pg'
import { mayGoElsewhere, spend, tooMuchHere } from '../allowance.ts'
import { invalidRequest } from '../errors.ts'
import { type RequestScope, requestScope } from '../request-scope.ts'

const mebibyte = 1024 * 1024
/** No answer to a caller is longer than 64 MiB; PostgreSQL writes JSON with more spaces. */
const mostBytes = 80 * mebibyte
/** What a request that can be answered elsewhere may take in before it is. */
const mostBytesHere = 16 * mebibyte

/** `json` and `jsonb` (PostgreSQL: pg_type). */
const jsonTypes = [114, 3802]

/** What `pg` knows of a session and its types do not say. */
type Session = pg.PoolClient & { connection: { stream: Socket } }

/**
 * Weighs what PostgreSQL answers to requests: JSON is taken from their allowance before it is parsed, and an answer that nobody could be sent ends with its
 * connection, before it fills the memory. What belongs to no request (imports, exports) bounds itself.
 */
export function weighAnswers(client: pg.PoolClient): void {
  const { stream } = (client as Session).connection
  const send = client.query.bind(client) as (...query: unknown[]) => unknown
  let scope: RequestScope | undefined
  let received = 0
  const weighed = (...query: unknown[]) => {
    scope = requestScope.getStore()
    received = 0
    return send(...query)
  }
  client.query = weighed as typeof client.query
  const parse = (json: string) => {
    spend(json.length, 'objects', scope)
    return JSON.parse(json) as unknown
  }
  for (const type of jsonTypes) client.setTypeParser(type, parse)
  stream.on('data', ({ length }) => {
    received += length
    if (!scope || received <= (mayGoElsewhere(scope) ? mostBytesHere : mostBytes)) return
    stream.destroy(mayGoElsewhere(scope) ? tooMuchHere(scope) : tooLong())
  })
}

function tooLong() {
  const details = `what a request reads may have ${mostBytes} bytes; this is more: ask for a smaller page`
  return invalidRequest([{ details }])
}
