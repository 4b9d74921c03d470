import type { Item } from '../support/clients/client.ts'

/**
 * A request that becomes an example of the reference. `{store}`, `{asset}` and `{import}` are the first ones that
 * answers name.
 */
export interface Step {
  name: string
  summary: string
  method: string
  path: string
  query?: Record<string, string>
  body?: unknown
  /** Sent as it is, instead of the body as JSON. */
  raw?: string
  headers?: Record<string, string>
  /** Instead of an administrator's: none, or one that may only read. */
  token?: null | 'read'
  /** How often it is asked; the last answer is the example. */
  times?: number
  /** What the service is without when this is asked. */
  without?: 'database'
}

const newStore = {
  store_name: 'Northern Lights',
  store_taxonomy: 'catalog',
  region: ['Europe', 'Global'],
  channels: ['SMP'],
  default_automation: ['image_type', 'background_removal'],
  store_website: 'https://northern.example.com',
}
const keyed = { 'idempotency-key': 'example-key' }
const inStore = { store_uuid: '{store}' }
const url = (code: string, name: string) => `https://cdn.example.com/${code}/${name}.jpg`

const creation: Step[] = [
  { ...step('a-store', 'A store in a new group', 'POST /stores', {}, newStore), headers: keyed },
  step(
    'a-linked-store',
    'A store that joins the group of another store and copies its attribute definitions',
    'POST /stores',
    { copy_taxonomy: 'true', linked_store_id: '{store}' },
    { ...newStore, store_name: 'Northern Lights Outlet', store_website: null },
  ),
  step('products-with-images', 'Two products, one with images', 'POST /products', inStore, [
    {
      product_code: '1002',
      Category: 'Lamps',
      'Image URL 1': url('1002', 'front'),
      'Image URL 2': url('1002', 'back'),
    },
    { product_code: '1003', status: 'draft', Category: 'Lamps' },
  ]),
  step('one-refused', 'An existing product and an invalid one', 'POST /products', inStore, [
    { product_code: '1002', Color: 'Red' },
    { product_code: '1004', Color: 7 },
  ]),
  step('images-at-places', 'An image at the first position of a group, and an invalid URL', 'POST /assets', inStore, [
    {
      parent_code: '1003',
      asset_type: 'image',
      assets: { 'Image URL 1': url('1003', 'front'), 'Image URL 2': 'no URL' },
    },
  ]),
]

const use: Step[] = [
  step('a-page', 'The first page of groups', 'GET /assets', { ...inStore, limit: '2' }),
  step('an-empty-page', 'An offset past the end: no groups, and the true total', 'GET /assets', {
    ...inStore,
    offset: '100',
  }),
  step('updated-and-not', 'A product that is updated, an invalid one and an unknown one', 'PUT /products', inStore, [
    { product_code: '1002', status: 'active', Color: 'Blue' },
    { product_code: '1003', status: 'sold', Color: 'Red' },
    { product_code: '9999', Color: 'Red' },
  ]),
  step('products-by-code', 'Products by code', 'GET /products', { ...inStore, sku_codes: '1002,1003' }),
  step('a-product', 'A product', 'GET /products/1002', inStore),
  step('stores-by-name', 'Stores by name', 'GET /stores', { search: 'northern', limit: '1' }),
  step('first-changes', 'The first changes of a store', 'GET /changes', { ...inStore, limit: '2' }),
  step('a-stream', 'What follows the first changes', 'GET /events', {
    ...inStore,
    types: 'product.updated',
    after: '{cursor}',
  }),
  step('a-receipt', 'What a request changed', 'GET /requests/example-updated-and-not', inStore),
  step('a-link-removed', 'An asset removed from a group; the asset is kept', 'POST /assets/unlink', {}, [
    { store_uuid: '{store}', parent_code: '1002', channel: 'SMP', asset_id: '{asset}' },
  ]),
  step('a-revert', 'The asset linked again, at its place', 'POST /requests/example-a-link-removed/revert', inStore),
  step('a-link-not-found', 'An unknown asset', 'POST /assets/unlink', {}, [
    { store_uuid: '{store}', parent_code: '1002', channel: 'SMP', asset_id: ['no-such-asset'] },
  ]),
  step('assets-of-a-product', 'All assets of a parent code', 'DELETE /assets', {}, [
    { store_uuid: '{store}', parent_code: '1003' },
  ]),
  step('products-by-status', 'Products by status', 'GET /reports/status', { store_uuids: '{store}' }),
  step('groups-by-channel', 'Asset groups by channel', 'GET /reports/coverage', { store_uuids: '{store}' }),
  step('last-changes', 'The last changes of a store', 'GET /reports/changes', { store_uuids: '{store}', limit: '2' }),
  step('no-jobs', 'A store without imports and exports', 'GET /reports/jobs', { store_uuids: '{store}' }),
  step('nothing-refused', 'A store without imports', 'GET /reports/failures', { store_uuids: '{store}' }),
  step('nothing-narrowed', 'An item without conditions is refused', 'DELETE /assets', {}, [{ store_uuid: '{store}' }]),
  step(
    'created-or-merged',
    'A new product, and an image appended to an existing one',
    'POST /products',
    { ...inStore, upsert: 'true' },
    [
      { product_code: '1004', Category: 'Lamps' },
      { product_code: '1003', 'Image URL 1': url('1003', 'side') },
    ],
  ),
  step('attributes-removed', 'An attribute that is removed', 'PATCH /products', inStore, [
    { product_code: '1002', Category: 'Desk lamps', attributes_to_remove: ['Color'] },
  ]),
  step('products-deleted', 'A product that is deleted, and an unknown one', 'DELETE /products', inStore, [
    '1004',
    '9999',
  ]),
  {
    ...step('an-import', 'A file of two products', 'POST /imports', inStore),
    raw: 'sku,status,Color\n1005,active,Red\n1006,sold,Blue\n',
    headers: { 'content-type': 'text/csv' },
  },
  step('an-ended-import', 'An import of which a row failed', 'GET /imports/{import}'),
  step('failed-rows', 'The row that failed', 'GET /imports/{import}/failures'),
  step('a-webhook', 'A webhook for two types of events', 'POST /webhooks', inStore, {
    url: 'https://hooks.example.com/catalogue',
    filter: { types: ['definition.created', 'definition.deleted'] },
  }),
  step('webhooks-of-a-store', 'The webhooks of a store', 'GET /webhooks', inStore),
  step('a-webhook-by-id', 'A webhook', 'GET /webhooks/{webhook}'),
  step('no-deliveries', 'A webhook without deliveries', 'GET /webhooks/{webhook}/deliveries'),
  step(
    'a-filter-replaced',
    'Another filter',
    'PATCH /webhooks/{webhook}',
    {},
    { filter: { code_prefix: 'no such code' } },
  ),
  step('a-secret-rotated', 'A new secret', 'POST /webhooks/{webhook}/rotate'),
  step('a-retry', 'An attempt that is made now', 'POST /webhooks/{webhook}/retry'),
  step('a-skip', 'A skipped delivery', 'POST /webhooks/{webhook}/skip'),
  step('a-replay', 'Changes since a time, again', 'POST /webhooks/{webhook}/replay', {
    from: '2026-11-21T10:00:00Z',
    dry_run: 'true',
  }),
  step('a-test', 'A ping', 'POST /webhooks/{webhook}/test', { dry_run: 'true' }),
  step('a-webhook-deleted', 'A webhook deleted', 'DELETE /webhooks/{webhook}'),
]

const refusals: Step[] = [
  step('two-faults', 'Two faults, each with its own entry', 'GET /assets', { limit: '0' }),
  step('a-bad-item', 'A fault in an item of a list', 'PUT /products', inStore, [
    { product_code: '1002' },
    { Color: 'Red' },
  ]),
  { ...step('unreadable-json', 'A body that is not JSON', 'POST /stores'), raw: '{"store_name": ' },
  { ...step('no-token', 'A request without a token', 'GET /assets', inStore), token: null },
  step('unknown-store', 'An unknown store', 'GET /assets', { store_uuid: '00000000-0000-7000-8000-000000000000' }),
  {
    ...step(
      'key-used-before',
      'An idempotency key that was used with another body',
      'POST /stores',
      {},
      { ...newStore, store_name: 'Southern Lights' },
    ),
    headers: keyed,
  },
  step(
    'too-many-items',
    'Too many items',
    'DELETE /assets',
    {},
    Array.from({ length: 10_001 }, () => ({})),
  ),
  step(
    'reverted-already',
    'A request that is reverted already',
    'POST /requests/example-a-link-removed/revert',
    inStore,
  ),
  step('no-receipt', 'A request that changed nothing', 'GET /requests/unknown', inStore),
  step('no-webhook', 'An unknown webhook', 'GET /webhooks/00000000-0000-7000-8000-000000000000'),
  step('a-private-receiver', 'A receiver without https', 'POST /webhooks', inStore, { url: 'http://10.0.0.1/hook' }),
  step('no-product', 'A code without a product', 'GET /products/9999', inStore),
  step('cursor-of-another', 'A cursor of another database', 'GET /changes', { ...inStore, after: 'MS0xLTAwMDAwMDAw' }),
  { ...step('read-only-token', 'A write with a read-only token', 'POST /stores', {}, newStore), token: 'read' },
  {
    ...step('a-keyed-store', 'A write with an idempotency key', 'POST /stores', {}, newStore),
    headers: { 'idempotency-key': 'store-17' },
  },
  {
    ...step(
      'key-of-another',
      'Another request with the same idempotency key',
      'POST /stores',
      {},
      { ...newStore, store_name: 'Southern Lights' },
    ),
    headers: { 'idempotency-key': 'store-17' },
  },
  {
    ...step('too-many-affected', 'A write of more than it may change', 'POST /stores', {}, newStore),
    headers: { prefer: 'max-affected=0' },
  },
  {
    ...step('not-json', 'A body of another media type', 'POST /stores'),
    raw: 'store_name=x',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  },
  { ...step('too-many-requests', 'A token over its rate limit', 'GET /assets', inStore), token: 'read', times: 4 },
  {
    ...step('listing-unreachable', 'A listing while its filtering service is unreachable', 'GET /assets', inStore),
    without: 'database',
  },
  {
    ...step('database-unreachable', 'Another request while the database is unreachable', 'GET /products', inStore),
    without: 'database',
  },
]

export const scenario: readonly Step[] = [...creation, ...use, ...refusals]

function step(
  name: string,
  summary: string,
  endpoint: string,
  query: Record<string, string> = {},
  body?: Item | Item[] | string[],
): Step {
  const [method = '', path = ''] = endpoint.split(' ')
  return { name, summary, method, path, query, body }
}
