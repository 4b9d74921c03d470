import { heavyJson, isHeavyJson } from '../../rest/heavy-json.ts'
import { requestScope } from '../request-scope.ts'
import type { Answer } from './respond.ts'

/** A GraphQL request that has passed the edge. */
export interface GraphQLRequest {
  method: string
  search: string
  /** The media types that the caller accepts, of those that an answer can have. */
  accept: string
  contentType: string | undefined
  /** The body of a POST. */
  body: Uint8Array<ArrayBuffer> | undefined
}

/** GraphQL over HTTP by WHATWG requests, and the short way of ordinary requests. */
export interface GraphQLServices {
  /** Whether more may be spent on the request than on this thread: it is refused here, or not answered. */
  isHeavy: boolean
  /** Answers a POST if that can be done at once, with what is wrong with it or with what runs it; undefined, now or then, leaves it to `fetch`. */
  shortcut(request: { body: Uint8Array; accept: string }): Answer | (() => Promise<Answer | undefined>) | undefined
  /** Runs what asks the database, when it is the request's turn to. */
  whenItsTurn(run: () => Promise<Answer | undefined>): Promise<Answer | undefined>
  fetch(url: string, init: RequestInit): Promise<Response>
}

/** Answers a GraphQL request; `too costly` when it turned out to cost more than may be spent on this thread: then nothing was run. */
export async function answerGraphQL(
  { method, search, accept, contentType, body }: GraphQLRequest,
  { isHeavy, shortcut, whenItsTurn, fetch }: GraphQLServices,
): Promise<Answer | 'too costly'> {
  const scope = requestScope.getStore()
  const init: RequestInit = { method, headers: { accept, ...(contentType && { 'content-type': contentType }) } }
  if (body) {
    if (isHeavyJson(body)) return tooHeavy
    if (contentType === undefined) return body.length === 0 ? noBody : notJson
    const quick = search === '' ? shortcut({ body, accept }) : undefined
    const answer = typeof quick === 'function' ? await whenItsTurn(quick) : quick
    if (answer) return answer
    if (isHeavy || scope?.isCostly) return 'too costly'
    init.body = body
  }
  const answered = await fetch(`http://gateway/graphql?${search}`, init)
  if (scope?.isCostly) return 'too costly'
  return { status: answered.status, headers: kept(answered.headers), body: await answered.text() }
}

/** Of the headers of a GraphQL answer those that say something here; its length is counted anew. */
function kept(headers: Headers): Record<string, string> {
  const allow = headers.get('allow')
  return {
    'Content-Type': headers.get('content-type') ?? 'application/json; charset=utf-8',
    ...(allow && { Allow: allow }),
  }
}

/** A refusal in the form of GraphQL. */
export function refusal(status: number, code: string, message: string, headers: Record<string, string> = {}): Answer {
  return Object.freeze({ status, headers, body: JSON.stringify({ errors: [{ message, extensions: { code } }] }) })
}

export const notJson = refusal(415, 'unsupported_media_type', 'the body must be application/json')
const noBody = refusal(400, 'invalid_request', 'the body is required: a JSON object with a query')
const tooHeavy = refusal(413, 'payload_too_large', `the body ${heavyJson}`)
