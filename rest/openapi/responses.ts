import type { Endpoint } from '../endpoint.ts'
import { failure } from '../response/data-shapes.ts'
import { errorReasons, specialReasons } from '../response/status.ts'
import { tableFormats } from '../response/table.ts'
import examples from './examples.json' with { type: 'json' }
import type { Json, Schemas } from './schemas.ts'

/** A request and its answer. A test runs the request and compares the answer. */
export interface Example {
  name: string
  summary: string
  method: string
  path: string
  query: Record<string, string>
  body?: unknown
  status: number
  answer: unknown
}

type Shown = Pick<Example, 'name' | 'summary' | 'body' | 'answer'>

export const keptExamples: readonly Example[] = examples

export function content(schema: Json, examples: readonly Shown[], part: 'body' | 'answer'): Json {
  const named = Object.fromEntries(
    examples.map((example) => [example.name, { summary: example.summary, value: example[part] }]),
  )
  return { 'application/json': { schema, ...(examples.length > 0 && { examples: named }) } }
}

const headers = {
  'X-Request-Id': { $ref: '#/components/headers/XRequestId' },
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
}
const taggedHeaders = { ...headers, ETag: { $ref: '#/components/headers/ETag' } }
const writeHeaders = {
  ...headers,
  Link: { $ref: '#/components/headers/Link' },
  'Preference-Applied': { $ref: '#/components/headers/PreferenceApplied' },
  'X-Catalogue-Position': { $ref: '#/components/headers/XCataloguePosition' },
}
const retryAfter = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }

const extraHeaders: Record<number, Json> = {
  401: { 'WWW-Authenticate': { $ref: '#/components/headers/WwwAuthenticate' } },
  429: retryAfter,
  503: retryAfter,
}

/** The error answers of an endpoint: a map from HTTP status to a reference into the components. */
export function errorResponses({ takesBody, dependsOnFilter, extraReasons = [], namesStore }: Row): Json {
  const absent = [
    ...(takesBody ? [] : ['idempotency_conflict', 'too_many_affected', 'payload_too_large', 'unsupported_media_type']),
    ...(dependsOnFilter ? [] : ['downstream_unavailable']),
    ...(namesStore ? [] : ['store_not_found']),
    ...specialReasons.filter((reason) => !extraReasons.includes(reason)),
  ]
  const possible = errorReasons.filter(([reason, , answer]) => answer && !absent.includes(reason))
  return Object.fromEntries(
    possible.map(([, status, answer]) => [status, { $ref: `#/components/responses/${answer}` }]),
  )
}

type Row = Pick<Endpoint, 'takesBody' | 'dependsOnFilter' | 'extraReasons'> & { namesStore: boolean }

/** Not recorded: no request provokes it. */
const unexpectedError = {
  name: 'unexpected-error',
  summary: 'An unexpected error',
  status: 500,
  answer: {
    status: { code: -1, message: 'ERROR', request_id: 'example-unexpected-error' },
    data: { error_info: [{ reason: 'internal_error', details: 'internal error; it has been logged' }] },
  },
}

/** The components that `errorResponses` refers to: one answer per status, with its reason and examples. */
export function responseComponents(schemas: Schemas): Json {
  const schema = schemas.named('Error', failure)
  const documented = errorReasons.filter(([, , answer]) => answer)
  return Object.fromEntries(
    documented.map(([reason, status, answer, meaning]) => {
      const ofReason = `"error_info":[{"reason":"${reason}"`
      const examples = [...keptExamples, unexpectedError].filter(
        (example) => example.status === status && JSON.stringify(example.answer).includes(ofReason),
      )
      const description = `\`${reason}\`: ${meaning}`
      return [
        answer,
        { description, headers: { ...headers, ...extraHeaders[status] }, content: content(schema, examples, 'answer') },
      ]
    }),
  )
}

export const notModified: Json = {
  description: 'The answer is unchanged since the given `ETag`.',
  headers: taggedHeaders,
}

const nextHeader = { Link: { $ref: '#/components/headers/NextPage' } }
/** What `Accept` may ask for instead of the envelope. */
const tableContent = Object.fromEntries(tableFormats.map((format) => [format, { schema: { type: 'string' } }]))

export function successResponse(
  schema: Json,
  examples: readonly Example[],
  { takesBody, isAssetListing, table }: Endpoint,
  data: Json,
): Json {
  const members = Object.entries(data).map(([name, member]) => `- \`${name}\`: ${(member as Json).description}`)
  const readHeaders = isAssetListing ? taggedHeaders : headers
  return {
    description: `\`data\` has:\n\n${members.join('\n')}`,
    headers: { ...(takesBody ? writeHeaders : readHeaders), ...(table?.totalOf && nextHeader) },
    content: { ...content(schema, examples, 'answer'), ...(table && tableContent) },
  }
}
