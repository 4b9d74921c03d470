import { follow } from './follow.ts'
import type { components, operations } from './openapi.ts'
import { type CallOptions, type ClientOptions, send, sendForFile } from './send.ts'

type Name = keyof operations
/** An operation without parameters takes an empty query. */
type Query<N extends Name> = operations[N]['parameters'] extends { query?: never }
  ? Record<string, never>
  : NonNullable<operations[N]['parameters']['query']>
type DocumentedBody<N extends Name> = operations[N] extends {
  requestBody: { content: { 'application/json': infer B } }
}
  ? B
  : never
/** A status as the service writes it: a product with another fails. */
interface WithStatus {
  status?: components['schemas']['Product']['status']
  [attribute: string]: unknown
}
type Body<N extends Name> = DocumentedBody<N> &
  (N extends 'updateProducts' | 'patchProducts' | 'createProducts' ? readonly WithStatus[] : unknown)
type Answer<N extends Name> = operations[N] extends {
  responses: { 200: { content: { 'application/json': { data: infer D } } } }
}
  ? D
  : never
type Successes = 'updated_skus' | 'created_skus' | 'existing_skus'
/** The client never prefers the minimal answer, which alone has no codes that succeeded. */
type Data<N extends Name> = Answer<N> & { [Codes in Extract<keyof Answer<N>, Successes>]-?: string[] }

/** Products that existed are listed as left alone, or with `upsert` as updated. */
type Created = Omit<Data<'createProducts'>, 'updated_skus'>
type Upserted = Omit<Data<'createProducts'>, 'existing_skus'>
type CreationQuery = Omit<Query<'createProducts'>, 'upsert'>

/** A group of assets with the parent code that the listing has as its key. */
export type ListedGroup = components['schemas']['AssetGroup'] & { parent_code: string }

export type CatalogueClient = ReturnType<typeof createCatalogueClient>

const maxPageSize = 50

/**
 * A client of the gateway's REST API, typed by its OpenAPI document. Each function sends a request, again where it may
 * succeed later (writes under one idempotency key), and returns `data` of the answer. Throws a `CatalogueApiError`.
 */
export function createCatalogueClient(options: ClientOptions) {
  /** A request without a body. */
  const ask =
    <N extends Name>(method: 'GET' | 'POST' | 'DELETE', path: string) =>
    (query: Query<N>, call?: CallOptions) =>
      send<Data<N>>(options, { ...call, method, path, query })
  /** A read whose query can be left out. */
  const readAll =
    <N extends Name>(path: string) =>
    (query?: Query<N>, call?: CallOptions) =>
      send<Data<N>>(options, { ...call, method: 'GET', path, query })
  const write =
    <N extends Name>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string) =>
    (body: Body<N>, query?: Query<N>, call?: CallOptions) =>
      send<Data<N>>(options, { ...call, method, path, query, body })
  /** Like `write`, where the query cannot be left out. */
  const writeIn =
    <N extends Name>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string) =>
    (query: Query<N>, body: Body<N>, call?: CallOptions) =>
      send<Data<N>>(options, { ...call, method, path, query, body })

  const listAssets = ask<'listAssets'>('GET', '/assets')
  return {
    listAssets,
    /** Every group that matches. The next page is read when the groups of the last are used up; `limit` is its size. */
    async *allAssets(query: Query<'listAssets'>, call?: CallOptions): AsyncGenerator<ListedGroup> {
      const limit = Math.min(query.limit ?? maxPageSize, maxPageSize)
      for (let offset = query.offset ?? 0; ; offset += limit) {
        const page = await listAssets({ ...query, offset, limit }, call)
        for (const [code, group] of Object.entries(page.assets)) yield { ...group, parent_code: code }
        if (offset + limit >= page.total_groups) return
      }
    },
    updateProducts: writeIn<'updateProducts'>('PUT', '/products'),
    listStores: readAll<'listStores'>('/stores'),
    createStore: write<'createStore'>('POST', '/stores'),
    deleteAssets: write<'deleteAssets'>('DELETE', '/assets'),
    unlinkAssets: write<'unlinkAssets'>('POST', '/assets/unlink'),
    createProducts: (query: CreationQuery, body: Body<'createProducts'>, call?: CallOptions) =>
      send<Created>(options, { ...call, method: 'POST', path: '/products', query, body }),
    upsertProducts: (query: CreationQuery, body: Body<'createProducts'>, call?: CallOptions) =>
      send<Upserted>(options, { ...call, method: 'POST', path: '/products', query: { ...query, upsert: true }, body }),
    patchProducts: writeIn<'patchProducts'>('PATCH', '/products'),
    deleteProducts: writeIn<'deleteProducts'>('DELETE', '/products'),
    listProducts: ask<'listProducts'>('GET', '/products'),
    getProduct: (productCode: string, query: Query<'getProduct'>, call?: CallOptions) =>
      ask<'getProduct'>('GET', `/products/${encodeURIComponent(productCode)}`)(query, call),
    listChanges: ask<'listChanges'>('GET', '/changes'),
    /** Changes as they appear; see `GET /v1/events`. Ends with `signal`, or with an error that does not pass. */
    events: (query: Query<'followChanges'>, call?: CallOptions) =>
      follow(options, { ...call, method: 'GET', path: '/events', query }),
    getRequest: (requestId: string, query: Query<'getRequest'>, call?: CallOptions) =>
      ask<'getRequest'>('GET', `/requests/${encodeURIComponent(requestId)}`)(query, call),
    revertRequest: (requestId: string, query: Query<'revertRequest'>, call?: CallOptions) =>
      ask<'revertRequest'>('POST', `/requests/${encodeURIComponent(requestId)}/revert`)(query, call),
    /**
     * Imports a file in the background: poll `getImport`. A stream is sent once, and not again after a failure.
     */
    startImport: (
      query: Query<'startImport'>,
      file: Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
      call?: CallOptions,
    ) => send<Data<'startImport'>>(options, { ...call, method: 'POST', path: '/imports', query, file }),
    getImport: (jobId: string, call?: CallOptions) =>
      ask<'getImport'>('GET', `/imports/${encodeURIComponent(jobId)}`)({}, call),
    /** The failed rows of an import, as a file that can be corrected and imported. */
    importFailures: (jobId: string, call?: CallOptions): Promise<Response> =>
      sendForFile(options, { ...call, method: 'GET', path: `/imports/${encodeURIComponent(jobId)}/failures` }),
    statusReport: readAll<'statusReport'>('/reports/status'),
    coverageReport: readAll<'coverageReport'>('/reports/coverage'),
    changeReport: readAll<'changeReport'>('/reports/changes'),
    jobReport: readAll<'jobReport'>('/reports/jobs'),
    failureReport: readAll<'failureReport'>('/reports/failures'),
    listWebhooks: ask<'listWebhooks'>('GET', '/webhooks'),
    createWebhook: writeIn<'createWebhook'>('POST', '/webhooks'),
    getWebhook: (id: string, call?: CallOptions) => ask<'getWebhook'>('GET', webhookPath(id))({}, call),
    updateWebhook: (id: string, body: Body<'updateWebhook'>, query?: Query<'updateWebhook'>, call?: CallOptions) =>
      write<'updateWebhook'>('PATCH', webhookPath(id))(body, query, call),
    deleteWebhook: (id: string, call?: CallOptions) => ask<'deleteWebhook'>('DELETE', webhookPath(id))({}, call),
    rotateWebhookSecret: (id: string, call?: CallOptions) =>
      ask<'rotateWebhookSecret'>('POST', webhookPath(id, 'rotate'))({}, call),
    testWebhook: (id: string, call?: CallOptions) => ask<'testWebhook'>('POST', webhookPath(id, 'test'))({}, call),
    replayWebhook: (id: string, query: Query<'replayWebhook'>, call?: CallOptions) =>
      ask<'replayWebhook'>('POST', webhookPath(id, 'replay'))(query, call),
    retryWebhook: (id: string, call?: CallOptions) => ask<'retryWebhook'>('POST', webhookPath(id, 'retry'))({}, call),
    skipWebhookEvent: (id: string, call?: CallOptions) =>
      ask<'skipWebhookEvent'>('POST', webhookPath(id, 'skip'))({}, call),
    listWebhookDeliveries: (id: string, query?: Query<'listWebhookDeliveries'>, call?: CallOptions) =>
      readAll<'listWebhookDeliveries'>(webhookPath(id, 'deliveries'))(query, call),
    placeAssets: writeIn<'placeAssets'>('POST', '/assets'),
  }
}

function webhookPath(id: string, ...rest: string[]): string {
  return ['/webhooks', encodeURIComponent(id), ...rest].join('/')
}
