import type { Endpoint } from '../endpoint.ts'
import type { Enumerations } from '../shapes.ts'
import { type Example, keptExamples } from './examples.ts'
import { operationOf, tagOf } from './operation.ts'
import { responseComponents } from './responses.ts'
import { collectSchemas, type Json } from './schemas.ts'

/**
 * The OpenAPI 3.1 document of /v1: the table of endpoints with the enumerations in force, in the shapes that requests are checked against
 * and answers are tested against.
 */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  enumerations: Enumerations,
  examples: readonly Example[] = keptExamples,
): Json {
  const schemas = collectSchemas()
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const operation = operationOf(endpoint, { enumerations, examples, schemas })
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation }
  }
  const responses = responseComponents(schemas, examples)
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: '/v1', description: 'This gateway.' }],
    security: [{ bearer: [] }],
    tags: [...new Set(endpoints.map(tagOf))].map((name) => ({ name, description: tags[name] ?? name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An access token of the gateway.' } },
      parameters: { XRequestId: requestId, IdempotencyKey: idempotencyKey, IfNoneMatch: ifNoneMatch },
      headers,
      responses,
      schemas: Object.fromEntries(Object.entries(schemas.components).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

/** Makes the document's text, again whenever the enumerations in force are others. */
export function openApiText(endpoints: readonly Endpoint[], enumerations: () => Enumerations): () => string {
  let madeFor: Enumerations | undefined
  let text = ''
  return () => {
    const inForce = enumerations()
    if (inForce !== madeFor) text = JSON.stringify(openApiDocument(endpoints, inForce))
    madeFor = inForce
    return text
  }
}

const info = {
  title: 'Catalogue gateway',
  version: '1.0.0',
  description: [
    'Stores, products and product assets.',
    'Every answer wears one envelope, `status` and `data`. Success is HTTP 200 with `status.code` 0; every error has `status.code` -1 and an entry in `data.error_info` for each fault, with its `reason` and `details`.',
    'Each operation runs one GraphQL operation, which `x-graphql` names. Operations with `x-extension` go beyond the specification that the others follow.',
  ].join('\n\n'),
  contact: { name: 'The operator of this gateway' },
  license: { name: 'MIT', identifier: 'MIT' },
}

const tags: Record<string, string> = {
  Assets: 'Images, videos and other assets, in groups of a parent code, a channel and a format.',
  Products: 'Products of a store with their status and attributes.',
  Stores: 'What products and assets belong to.',
}

const requestId = {
  name: 'X-Request-Id',
  in: 'header',
  description:
    'Comes back in `status.request_id`; a UUID is made when it is left out, empty, or longer than 256 characters.',
  schema: { type: 'string' },
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Lets the request be repeated: the first success is kept for 24 hours, for this token, path and query, and sent again; with another body it is refused.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of an answer that the client has: 304 without a body when it is what would come.',
  schema: { type: 'string' },
}

const headers = {
  ETag: {
    description: 'Stands for the answer but its request id. There is none with a remote filtering service.',
    schema: { type: 'string' },
  },
  XRequestId: { description: 'The same as `status.request_id`.', schema: { type: 'string' } },
  RetryAfter: { description: 'When to try again, in seconds.', schema: { type: 'integer', minimum: 1 } },
  RateLimit: {
    description: 'What the token has left of its requests, and until when in seconds; absent where there is no limit.',
    schema: { type: 'string' },
    example: '"default";r=57;t=41',
  },
  RateLimitPolicy: {
    description: 'How many requests a token has in how many seconds; absent where there is no limit.',
    schema: { type: 'string' },
    example: '"default";q=60;w=60',
  },
  WwwAuthenticate: { description: 'How to authenticate: `Bearer`.', schema: { type: 'string' } },
}
