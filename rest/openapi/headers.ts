import type { Endpoint } from '../endpoint.ts'
import type { Json } from './schemas.ts'

/** The requests that take a header, or the answers that have it: by kind, or by the status of an error. */
type On = 'all' | 'reads' | 'writes' | 'asset listing' | 'pages' | 'files' | 401 | 429 | 503

interface Header {
  name: string
  in: 'request' | 'answer'
  on: readonly On[]
  description: string
  /** The name of the component, where it is not the header's name. */
  component?: string
  schema?: Json
  example?: string
}

const headers: readonly Header[] = [
  {
    name: 'X-Request-Id',
    in: 'request',
    on: ['all'],
    description:
      'Request id, returned in `status.request_id`. Default: a generated UUID, also when the value is empty or longer than 256 characters.',
  },
  {
    name: 'Idempotency-Key',
    in: 'request',
    on: ['writes'],
    description:
      'Makes a retry safe: the first successful answer for this key, token, method, path and query is stored for 24 hours and returned again. The same key with another body is refused with `idempotency_conflict`. At most 64 MiB of answers are stored for the stores of a token; then writes with a key are refused with `quota_exceeded`.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  {
    name: 'Prefer',
    in: 'request',
    on: ['writes'],
    component: 'PreferOfWrite',
    description:
      'Preferences (RFC 7240), separated by commas. `max-affected`: the maximum number of changes, counted as in the answer. A larger write is refused with `too_many_affected`. `return=minimal`: the answer omits the lists of products that succeeded.',
    example: 'max-affected=1000, return=minimal',
  },
  {
    name: 'Prefer',
    in: 'request',
    on: ['reads'],
    description:
      'With `stale-while`, from `0s` to `60s` (RFC 7240), the answer may come from a read replica and be at most that old. Default: the setting of the token, otherwise never stale.',
    example: 'stale-while=2s',
  },
  {
    name: 'X-Catalogue-After',
    in: 'request',
    on: ['reads'],
    description:
      '`X-Catalogue-Position` of a write that the answer must include: a replica that does not have the write within 50 ms is not used. `latest`: the primary answers, and waits up to 2 s until data that it derives in the background include all earlier writes.',
    example: '0/16B3748',
  },
  {
    name: 'If-None-Match',
    in: 'request',
    on: ['asset listing'],
    description: '`ETag` of a cached answer. If the answer is unchanged, the response is 304 without a body.',
  },
  { name: 'X-Request-Id', in: 'answer', on: ['all'], description: 'The same as `status.request_id`.' },
  {
    name: 'RateLimit',
    in: 'answer',
    on: ['all'],
    description:
      'Remaining requests of the token (`r`) and seconds until the limit resets (`t`). Absent without a rate limit.',
    example: '"default";r=57;t=41',
  },
  {
    name: 'RateLimit-Policy',
    in: 'answer',
    on: ['all'],
    description: 'Requests per token (`q`) and window in seconds (`w`). Absent without a rate limit.',
    example: '"default";q=60;w=60',
  },
  {
    name: 'ETag',
    in: 'answer',
    on: ['asset listing'],
    description: 'Entity tag of the answer without its request id. Absent with a filtering service.',
  },
  {
    name: 'Link',
    in: 'answer',
    on: ['writes'],
    description:
      'Receipt of the write, with the relation `describedby`. Absent for dry runs, stored answers, writes to several stores, and where no changes are recorded.',
    example: '</v1/requests/my-first?store_uuid=019aa000-0000-7000-8000-000000000001>; rel="describedby"',
  },
  {
    name: 'Link',
    in: 'answer',
    on: ['pages'],
    component: 'NextPage',
    description: 'The next page, with the relation `next`. Absent on the last page.',
    example: '</v1/products?store_uuid=019aa000-0000-7000-8000-000000000001&offset=100>; rel="next"',
  },
  {
    name: 'Location',
    in: 'answer',
    on: ['files'],
    description: 'Path of the import.',
    example: '/v1/imports/019aa000-0000-7000-8000-000000000009',
  },
  {
    name: 'Preference-Applied',
    in: 'answer',
    on: ['writes'],
    description: 'The preferences of `Prefer` that were applied. Absent for stored answers.',
    example: 'max-affected=1000, return=minimal',
  },
  {
    name: 'X-Catalogue-Position',
    in: 'answer',
    on: ['writes'],
    description: 'Position after the write, for `X-Catalogue-After` of later reads. Absent without read replicas.',
    example: '0/16B3748',
  },
  {
    name: 'Warning',
    in: 'answer',
    on: ['reads', 'writes'],
    description: 'The names of query parameters that the operation does not take and that were ignored.',
    example: '299 - "unknown query parameters are ignored: limt; expected some of limit, offset"',
  },
  {
    name: 'Retry-After',
    in: 'answer',
    on: [429, 503],
    description: 'Seconds to wait before a retry.',
    schema: { type: 'integer', minimum: 1 },
  },
  {
    name: 'WWW-Authenticate',
    in: 'answer',
    on: [401],
    description: 'Authentication scheme: `Bearer`.',
  },
]

const componentOf = ({ name, component = name.replaceAll('-', '') }: Header) => component

/** The components of one side, by name. Those of requests are parameters. */
export function headerComponents(side: Header['in']): Json {
  const own = headers.filter((header) => header.in === side)
  return Object.fromEntries(
    own.map((header) => {
      const { name, description, schema = { type: 'string' }, example } = header
      const parameter = side === 'request' && { name, in: 'header' }
      return [componentOf(header), { ...parameter, description, schema, ...(example !== undefined && { example }) }]
    }),
  )
}

/** What an endpoint is, for its headers. */
export function kindsOf({ isWrite, answers }: Endpoint): On[] {
  const kinds: On[] = [isWrite ? 'writes' : 'reads']
  if (answers.kind === 'listing') kinds.push('asset listing')
  if (answers.kind === 'table' && answers.totalOf) kinds.push('pages')
  if (answers.kind === 'upload') kinds.push('files')
  return kinds
}

/** References to the header parameters of requests of these kinds. */
export function headerParameters(kinds: readonly On[]): Json[] {
  return headersOn('request', kinds).map((header) => ({ $ref: `#/components/parameters/${componentOf(header)}` }))
}

/** References to the headers of answers of these kinds, by the header's name. */
export function answerHeaders(kinds: readonly (On | number)[]): Json {
  const own = headersOn('answer', kinds)
  return Object.fromEntries(own.map((header) => [header.name, { $ref: `#/components/headers/${componentOf(header)}` }]))
}

function headersOn(side: Header['in'], kinds: readonly (On | number)[]): Header[] {
  return headers.filter(({ in: own, on }) => own === side && on.some((kind) => kind === 'all' || kinds.includes(kind)))
}
