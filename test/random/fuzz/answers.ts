import { statusOfReason } from '../../support/clients/rest-client.ts'
import type { WireAnswer } from '../../support/clients/wire.ts'
import type { LogLine } from '../../support/log.ts'
import type { WireRequest } from './wire-request.ts'

/** Statuses from 429 on are those that no request of a fuzzer may cause, except that it makes too many webhooks. */
const statusOf = Object.fromEntries(
  Object.entries(statusOfReason).filter(([reason, status]) => status < 429 || reason === 'quota_exceeded'),
)

/** Why one item failed while the request went ahead; of a mutation of one thing, why it failed. */
const itemReasons = new Set([
  'asset_not_found',
  'link_not_found',
  'store_not_found',
  'product_not_found',
  'selector_required',
  'asset_conflict',
  'invalid_request',
])

/** What only the inside of the service knows: paths of its files, stacks, the words of PostgreSQL and where it is. */
const inside =
  /node_modules|\.[jt]s:\d+|\bat \w+ \(|\/work\/|\.s\.PGSQL|catalogue-test-|syntax error at or near|violates |relation "|invalid input syntax|stack size|Cannot read prop|is not a function|is not iterable|ECONN|jsonb/

const mutations = /^(add|create|define|delete|move|place|remove|reorder|unlink|update|upsert)[A-Z]/

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** What is wrong with the answer to a request, each in a sentence; nothing when all is as the decisions have it. */
export function problemsOf(request: WireRequest, answer: WireAnswer): string[] {
  const problems: string[] = []
  const expect = (holds: boolean, problem: string) => {
    if (!holds) problems.push(problem)
  }
  const { status, headers, text } = answer
  const id = headerText(headers['x-request-id'])
  const refused = wasRefusedByParser(answer)
  expect(status >= 200 && status < 500, `the status is ${status}`)
  expect(!inside.test(text), `the answer tells of the inside: ${inside.exec(text)?.[0]}`)
  expect(!refused || !request.isHttp, 'the parser refuses a good request')
  const expectedId = refused ? undefined : request.requestId
  expect(expectedId === undefined ? uuid.test(id) : id === expectedId, `the request id in the header is ${id}`)
  expect(!('x-injected' in headers), 'a header was injected')
  expect(status !== 401 || headers['www-authenticate'] === 'Bearer', '401 without WWW-Authenticate')
  expect(status !== 405 || /^[A-Z]+(, [A-Z]+)*$/.test(headers.allow ?? ''), `405 with Allow: ${headers.allow}`)

  if (status === 204) {
    expect(
      request.method === 'OPTIONS' && !!headers.allow && text === '',
      '204 to what is no OPTIONS, or without Allow',
    )
  } else if (status === 304) {
    expect(
      /^(GET|HEAD)$/.test(request.method) && !!headers.etag && text === '',
      '304 to what is no GET, or without ETag',
    )
  } else if (request.method === 'HEAD') {
    expect(text === '', 'HEAD has a body')
  } else if (!isAnsweredByGraphQL(request) || refused) {
    checkEnvelope(request, answer, id, expect)
  } else if (isNavigation(request) && status === 200) {
    expect(headers['content-type'] === 'text/html; charset=utf-8', 'GraphiQL is no HTML')
  } else checkGraphQL(request, answer, expect)
  return problems
}

type Expect = (holds: boolean, problem: string) => void

function checkEnvelope(request: WireRequest, { status, headers, text }: WireAnswer, id: string, expect: Expect): void {
  expect(headers['content-type'] === 'application/json; charset=utf-8', `the type is ${headers['content-type']}`)
  const envelope = parsed(text)
  if (/^\/(health|ready)(\?|$)/.test(pathOf(request)) && status === 200) {
    expect(/^\{"status":"ok"(,"version":"[\d.]+")?\}$/.test(text), `a probe says ${text}`)
    return
  }
  if (!isObject(envelope) || !isObject(envelope.status) || !isObject(envelope.data)) {
    expect(false, `no envelope: ${text.slice(0, 200)}`)
    return
  }
  const { code, message, request_id: requestId } = envelope.status
  expect(same(Object.keys(envelope), ['status', 'data']), `the envelope has ${Object.keys(envelope)}`)
  expect(same(Object.keys(envelope.status), ['code', 'message', 'request_id']), 'status is not as specified')
  expect(requestId === id, `the request id in the body is ${requestId}, in the header ${id}`)
  expect(code === (status === 200 ? 0 : -1), `the code is ${code} and the status ${status}`)
  if (code !== 0) {
    expect(message === 'ERROR' && same(Object.keys(envelope.data), ['error_info']), 'an error is not as specified')
    checkErrorInfo(status, envelope.data.error_info, expect)
  } else {
    const word = /\/assets/.test(pathOf(request)) ? 'SUCCESS' : 'success'
    expect(message === word, `the message is ${message}`)
    for (const entry of listOf(envelope.data.error_info)) {
      const isEmpty = isObject(entry) && Object.keys(entry).length === 0
      const isEntry = isObject(entry) && itemReasons.has(String(entry.reason)) && isText(entry.details)
      expect(isEmpty || isEntry, `an item's failure is ${JSON.stringify(entry)?.slice(0, 200)}`)
    }
  }
}

function checkErrorInfo(status: number, entries: unknown, expect: Expect): void {
  const [first] = listOf(entries)
  expect(isObject(first), 'error_info has no entry')
  for (const entry of listOf(entries)) {
    const good = isObject(entry) && String(entry.reason) in statusOf && isText(entry.details)
    expect(good, `an entry of error_info is ${JSON.stringify(entry)?.slice(0, 200)}`)
  }
  const reason = isObject(first) ? String(first.reason) : ''
  // What only the HTTP parser says has statuses of its own.
  const parserOnly = reason === 'invalid_request' && (status === 417 || status === 431 || status === 408)
  expect(statusOf[reason] === status || parserOnly, `the reason is ${reason} and the status ${status}`)
}

function checkGraphQL(request: WireRequest, { status, headers, text }: WireAnswer, expect: Expect): void {
  const type = /^application\/(graphql-response\+)?json; charset=utf-8$/.test(headers['content-type'] ?? '')
  expect(type, `the type is ${headers['content-type']}`)
  const result = parsed(text)
  if (!isObject(result) || !('data' in result || 'errors' in result)) {
    expect(false, `no result: ${status} ${text.slice(0, 200)}`)
    return
  }
  const written = isObject(result.data) ? Object.keys(result.data).filter((key) => mutations.test(key)) : []
  expect(request.method === 'POST' || written.length === 0, `${request.method} runs the mutation ${written}`)
  expect(!('errors' in result) || listOf(result.errors).length > 0, 'errors is empty')
  expect(status === 200 || 'errors' in result, `the status is ${status} without errors`)
  for (const error of listOf(result.errors)) {
    const extensions = isObject(error) && isObject(error.extensions) ? error.extensions : {}
    const code = String(extensions.code)
    expect(isObject(error) && isText(error.message), 'an error has no message')
    expect(
      code in statusOf || itemReasons.has(code),
      `the code of an error is ${code}: ${JSON.stringify(error).slice(0, 200)}`,
    )
    const known = Object.keys(extensions).every((key) => key === 'code' || key === 'errorInfo')
    expect(known, `an error has the extensions ${Object.keys(extensions)}`)
  }
}

/** The parser refuses before a response object exists: its answers have no date. */
function wasRefusedByParser({ headers }: WireAnswer): boolean {
  return !('date' in headers)
}

function isAnsweredByGraphQL(request: WireRequest): boolean {
  return /^\/graphql(\?|$)/.test(pathOf(request))
}

function isNavigation(request: WireRequest): boolean {
  const accept = request.headers.filter(([name]) => name === 'Accept').map(([, value]) => value)
  return request.method === 'GET' && accept.some((value) => value.includes('text/html'))
}

function pathOf({ target }: WireRequest): string {
  return target.replace(/^https?:\/\/[^/?]*/i, '')
}

/** A header's bytes as the text that they were made from. */
function headerText(latin1: string | undefined): string {
  const bytes = Buffer.from(latin1 ?? '', 'latin1')
  return bytes.toString().includes('\ufffd') ? bytes.toString('latin1') : bytes.toString()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function same(got: readonly string[], expected: readonly string[]): boolean {
  return got.join() === expected.join()
}

/** Whether a warning tells a fault: a request that only took long is logged, too. */
export function isFault({ msg, status }: LogLine): boolean {
  return msg !== 'request' || Number(status) >= 500
}
