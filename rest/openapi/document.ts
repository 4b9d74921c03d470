import { memoized } from '../../src/lazy.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Enumerations } from '../request/shapes.ts'
import { headerComponents } from './headers.ts'
import { operationOf, tagOf } from './operation.ts'
import { responseComponents } from './responses.ts'
import { collectSchemas, type Json } from './schemas.ts'
import { webhookOperations } from './webhooks.ts'

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
    webhooks: webhookOperations(schemas),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: tokens } },
      parameters: headerComponents('request'),
      headers: headerComponents('answer'),
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
  const textOf = memoized((inForce: Enumerations) => JSON.stringify(openApiDocument(endpoints, inForce, version)))
  return () => textOf(enumerations())
}

const tokens = [
  'A token of this gateway. GET needs the scope `read`, every other method `write`; webhooks `webhook` and `read`; `admin` is everything. A token that is limited to stores has no access to other stores and cannot create stores.',
  'The gateway prints an admin token at its first start. `catalog token create --name my-app --scope read,write` creates another token; `--store` limits it to stores.',
].join('\n\n')

const info = {
  title: 'Catalogue gateway',
  description: [
    'Stores, products and product assets in PostgreSQL.',
    'Every answer has the same envelope: `status` and `data`. A success is HTTP 200 with `status.code` 0. An error has `status.code` -1 and one entry per fault in `data.error_info`, with a stable `reason` and a human-readable `details`.',
    'Each operation does what one GraphQL operation does, given in `x-graphql`. Operations with `x-extension` are extensions of the specification.',
  ].join('\n\n'),
  contact: { name: 'The operator of this gateway' },
  license: { name: 'MIT', identifier: 'MIT' },
}

const tags: Record<string, string> = {
  Assets: 'Images, videos and other assets, grouped by parent code, channel and asset format.',
  Products: 'Products of a store, with status and attributes.',
  Changes: 'The feed of changes of a store.',
  Imports: 'Imports of files in the background.',
  Events: 'Streams of changes.',
  Reports: 'Rows about several stores, for tables and charts.',
  Requests: 'Receipts of requests, and reverting them.',
  Webhooks: 'Receivers of the changes of a store.',
  Stores: 'Stores, which own products and assets.',
}
