import { type Endpoint, memoizeLast } from '../endpoint.ts'
import type { Enumerations } from '../request/shapes.ts'
import { operationOf, tagOf } from './operation.ts'
import { responseComponents } from './responses.ts'
import { collectSchemas, type Json } from './schemas.ts'

/** The OpenAPI 3.1 document of /v1. Its schemas are the shapes that validate requests and, in tests, answers. */
export function openApiDocument(endpoints: readonly Endpoint[], enumerations: Enumerations, version: string): Json {
  const schemas = collectSchemas()
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const operation = operationOf(endpoint, enumerations, schemas)
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation }
  }
  const responses = responseComponents(schemas)
  return {
    openapi: '3.1.1',
    info: { ...info, version },
    servers: [{ url: '/v1', description: 'This gateway.' }],
    security: [{ bearer: [] }],
    tags: [...new Set(endpoints.map(tagOf))].map((name) => ({ name, description: tags[name] ?? name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: tokens } },
      parameters,
      headers,
      responses,
      schemas: Object.fromEntries(Object.entries(schemas.components).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

export function openApiText(
  endpoints: readonly Endpoint[],
  enumerations: () => Enumerations,
  version: string,
): () => string {
  const textOf = memoizeLast((inForce) => JSON.stringify(openApiDocument(endpoints, inForce, version)))
  return () => textOf(enumerations())
}

const tokens = [
  'A token of this gateway. GET needs the scope `read`, every other method `write`; `admin` is everything. A token that is limited to stores sees no other store, and creates none.',
  'The first start of the gateway printed an admin token. `catalog token create --name my-app --scope read,write` makes another one, with `--store` for single stores.',
].join('\n\n')

const info = {
  title: 'Catalogue gateway',
  description: [
    'Stores, products and product assets in PostgreSQL.',
    'Every answer has the same envelope: `status` and `data`. A success is HTTP 200 with `status.code` 0. An error has `status.code` -1 and one entry per fault in `data.error_info`, with a stable `reason` and a human-readable `details`.',
    'Each operation runs one GraphQL operation, given in `x-graphql`. Operations with `x-extension` are extensions of the specification.',
  ].join('\n\n'),
  contact: { name: 'The operator of this gateway' },
  license: { name: 'MIT', identifier: 'MIT' },
}

const tags: Record<string, string> = {
  Assets: 'Images, videos and other assets, grouped by parent code, channel and asset format.',
  Products: 'Products of a store, with status and attributes.',
  Changes: 'The feed of changes of a store.',
  Reports: 'Rows about several stores, for tables and charts.',
  Requests: 'What requests have changed.',
  Stores: 'Stores, which own products and assets.',
}

const parameters = {
  XRequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'Request id, returned in `status.request_id`. Default: a generated UUID, also when the value is empty or longer than 256 characters.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a retry safe: the first successful answer for this key, token, method, path and query is stored for 24 hours and returned again, up to 64 MiB of answers for the stores of a token (`quota_exceeded`). The same key with another body is refused with `idempotency_conflict`.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: '`ETag` of a cached answer. If the answer is unchanged, the response is 304 without a body.',
    schema: { type: 'string' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      'With `stale-while`, from `0s` to `60s` (RFC 7240), the answer may come from a read replica and be so old. Default: that of the token, else never stale.',
    schema: { type: 'string' },
    example: 'stale-while=2s',
  },
  PreferOfWrite: {
    name: 'Prefer',
    in: 'header',
    description:
      'Preferences (RFC 7240), separated by commas. `max-affected`: what the write may change at most, counted as its answer counts it; if it were more, the write is refused with `too_many_affected`. `return=minimal`: the answer leaves out the lists of products that succeeded.',
    schema: { type: 'string' },
    example: 'max-affected=1000, return=minimal',
  },
  XCatalogueAfter: {
    name: 'X-Catalogue-After',
    in: 'header',
    description:
      '`X-Catalogue-Position` of a write that the answer must include: a replica that has not replayed it within 50 ms is not used.',
    schema: { type: 'string' },
    example: '0/16B3748',
  },
}

const headers = {
  ETag: {
    description: 'Entity tag of the answer without its request id. Absent with a remote filtering service.',
    schema: { type: 'string' },
  },
  XRequestId: { description: 'The same as `status.request_id`.', schema: { type: 'string' } },
  Link: {
    description:
      'Receipt of the write, with the relation `describedby`. Absent for dry runs, stored answers, writes to several stores, and where no changes are recorded.',
    schema: { type: 'string' },
    example: '</v1/requests/my-first?store_uuid=019aa000-0000-7000-8000-000000000001>; rel="describedby"',
  },
  NextPage: {
    description: 'The next page, with the relation `next`. Absent on the last page.',
    schema: { type: 'string' },
    example: '</v1/products?store_uuid=019aa000-0000-7000-8000-000000000001&offset=100>; rel="next"',
  },
  PreferenceApplied: {
    description: 'The preferences of `Prefer` that were applied. Absent for stored answers.',
    schema: { type: 'string' },
    example: 'max-affected=1000, return=minimal',
  },
  XCataloguePosition: {
    description: 'Position after the write, for `X-Catalogue-After` of later reads. Absent without read replicas.',
    schema: { type: 'string' },
    example: '0/16B3748',
  },
  RetryAfter: { description: 'Seconds to wait before a retry.', schema: { type: 'integer', minimum: 1 } },
  RateLimit: {
    description:
      'Remaining requests of the token (`r`) and seconds until the limit resets (`t`). Absent without a rate limit.',
    schema: { type: 'string' },
    example: '"default";r=57;t=41',
  },
  RateLimitPolicy: {
    description: 'Requests per token (`q`) and window in seconds (`w`). Absent without a rate limit.',
    schema: { type: 'string' },
    example: '"default";q=60;w=60',
  },
  WwwAuthenticate: { description: 'Authentication scheme: `Bearer`.', schema: { type: 'string' } },
}
