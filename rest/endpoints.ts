import { z } from 'zod'
import { chosenColumns, type ProductColumns, productColumns } from '../src/request/csv/csv-options.ts'
import { type Endpoint, endpoint, found, foundStore } from './endpoint.ts'
import { events } from './events.ts'
import { imports } from './imports.ts'
import type { ChangeFragment, RevertPolicy } from './operations.generated.ts'
import * as operations from './operations.generated.ts'
import { reports } from './reports.ts'
import * as input from './request/shapes.ts'
import * as output from './response/data-shapes.ts'
import * as results from './results.generated.ts'
import {
  camelCase,
  productObject,
  productPatch,
  productRemoval,
  restObject,
  withErrorInfo,
  withFailedProducts,
  withMore,
} from './translate.ts'
import { webhooks } from './webhooks.ts'

/** The endpoints under /v1, one per entry (spec: Endpoints). */
export const endpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/assets',
    summary: 'List assets',
    description:
      'Lists a page of the asset groups of a store on one channel, ordered by parent code (by code point). A group is identified by parent code, channel and asset format (spec: GET /assets).',
    isOfSpec: true,
    dataShape: results.ListAssets.omit({ groups: true }).extend({
      assets: z
        .record(z.string(), output.assetGroupShape)
        .describe('Map from parent code to group, ordered by parent code (by code point).'),
    }),
    // For access and the name: the stored listing answers.
    document: operations.ListAssetsDocument,
    answers: { kind: 'listing' },
    shapes: ({ assetFormats }) => ({
      query: z.object({
        store_uuid: input.storeUuid,
        channel: input.text.default('SMP').describe('Channel to list. An unknown channel lists nothing.'),
        asset_format: input.oneOf(assetFormats).default('image').describe('Asset format to list.'),
        ...input.page('groups', 50),
      }),
    }),
    variables: camelCase,
  }),

  endpoint({
    method: 'PUT',
    path: '/products',
    summary: 'Update products',
    description:
      'Merges attributes and statuses into existing products and creates none (spec: PUT /products). Each product is updated whole or not at all: an invalid attribute puts its product into `failed_products` and does not affect the other products. The request is one transaction.',
    isOfSpec: true,
    dataShape: output.writtenShape(results.UpdateProducts),
    document: operations.UpdateProductsDocument,
    shapes: () => ({ query: input.storeWrite, body: input.productPatches }),
    variables: (query, _, products) => ({ ...camelCase(query), products: products.map(productPatch) }),
    toData: ({ updateProducts: result }) => withFailedProducts(result),
  }),

  endpoint({
    method: 'POST',
    path: '/stores',
    summary: 'Create a store',
    description: 'Creates a store, in a new group or in the group of `linked_store_id` (spec: POST /stores).',
    isOfSpec: true,
    dataShape: results.CreateStore,
    document: operations.CreateStoreDocument,
    shapes: (enumerations) => ({ query: input.storeLink, body: input.newStore(enumerations) }),
    variables: (query, body) => ({ ...camelCase(query), input: camelCase(body) }),
    toData: ({ createStore: store }) => store,
  }),

  endpoint({
    method: 'DELETE',
    path: '/assets',
    summary: 'Delete assets',
    description:
      'Deletes assets with all their links (spec: DELETE /assets). An asset is deleted when it meets all conditions of an item (`channel`, `parent_code`, `asset_id`); an item without a condition fails with `selector_required`. The request needs a body with `Content-Length`.',
    isOfSpec: true,
    dataShape: output.writtenShape(results.DeleteAssets),
    document: operations.DeleteAssetsDocument,
    shapes: () => ({
      query: z.object({ dry_run: input.dryRun }),
      body: input.listOf({
        store_uuid: input.storeUuid,
        channel: input.text.nullish().describe('Only assets linked on this channel.'),
        parent_code: input.text.nullish().describe('Only assets linked to this parent code.'),
        asset_id: input.assetIds,
      }),
    }),
    variables: (query, body) => ({ ...camelCase(query), selectors: body.map(camelCase) }),
    toData: ({ deleteAssets: result }) => withErrorInfo(result),
  }),

  endpoint({
    method: 'POST',
    path: '/assets/unlink',
    summary: 'Unlink assets',
    description:
      'Removes links between assets and a parent code on a channel, never the assets (spec: POST /assets/unlink). Without `asset_id` all assets of the parent code on the channel are unlinked. To delete assets use DELETE /assets.',
    isOfSpec: true,
    dataShape: output.writtenShape(results.UnlinkAssets),
    document: operations.UnlinkAssetsDocument,
    shapes: () => ({
      query: z.object({ dry_run: input.dryRun }),
      body: input.listOf({
        store_uuid: input.storeUuid,
        parent_code: input.text.describe('Parent code of the links.'),
        channel: input.text.describe('Channel of the links.'),
        asset_id: input.assetIds,
      }),
    }),
    variables: (query, body) => ({ ...camelCase(query), links: body.map(camelCase) }),
    toData: ({ unlinkAssets: result }) => withErrorInfo(result),
  }),

  // Extensions: the specification presupposes products and assets; these create and list them.
  endpoint({
    method: 'POST',
    path: '/products',
    summary: 'Create products',
    description:
      'Creates products and, with `upsert=true`, merges into existing ones, as PUT /products does; without it these are not changed. Keys such as `Image URL 1`, with one URL each, become assets of the product on `channel`, at the end of its groups, in the order of their numbers; `SMP: Image URL 1` names its channel.',
    dataShape: output.writtenShape(
      results.CreateProducts.extend({
        existing_skus: z
          .array(z.string())
          .describe('Without `upsert`: codes of products that existed before; they are not changed.'),
        updated_skus: z
          .array(z.string())
          .describe('With `upsert=true`: codes of products that existed before, changed or not.'),
      }),
    ),
    document: operations.CreateProductsDocument,
    shapes: ({ channels }) => ({
      query: writeOnChannel(channels).extend({
        upsert: input.flag.default(false).describe('Whether to merge into products that exist.'),
      }),
      body: input.productPatches,
    }),
    variables: (query, _, products) => ({ ...camelCase(query), products: products.map(productPatch) }),
    toData: ({ createProducts, upsertProducts }) => {
      if (upsertProducts) return withFailedProducts(upsertProducts)
      return createProducts && withFailedProducts(createProducts)
    },
  }),

  endpoint({
    method: 'PATCH',
    path: '/products',
    summary: 'Update products and remove attributes',
    description:
      'Like PUT /products, and also removes the attributes in `attributes_to_remove` (which cannot be the name of an attribute here).',
    dataShape: output.writtenShape(results.PatchProducts),
    document: operations.PatchProductsDocument,
    shapes: () => ({ query: input.storeWrite, body: input.productRemovals }),
    variables: (query, _, products) => ({ ...camelCase(query), products: products.map(productRemoval) }),
    toData: ({ updateProducts: result }) => withFailedProducts(result),
  }),

  endpoint({
    method: 'DELETE',
    path: '/products',
    summary: 'Delete products',
    description:
      'Deletes products of a store. Their asset groups are kept, because a parent code need not be the code of a product; delete those with DELETE /assets. The request needs a body with `Content-Length`.',
    dataShape: output.writtenShape(results.DeleteProducts),
    document: operations.DeleteProductsDocument,
    shapes: () => ({ query: input.storeWrite, body: input.productCodes }),
    variables: (query, productCodes) => ({ ...camelCase(query), productCodes }),
    toData: ({ deleteProducts: result }) => withErrorInfo(result),
  }),

  endpoint({
    method: 'GET',
    path: '/products',
    summary: 'List products',
    description:
      'Lists a page of the products of a store with their attributes and assets, ordered by product code (by code point).',
    dataShape: results.ListProducts.omit({ columns: true }).extend({
      products: z
        .record(z.string(), output.productShape)
        .describe('Map from SKU code to product, ordered by code (by code point).'),
    }),
    document: operations.ListProductsDocument,
    lists: ['sku_codes', 'sku_code', 'columns'],
    answers: {
      kind: 'table',
      columnsOf: (data, { columns }) =>
        columns ? chosenColumns(String(columns)) : productColumns((data as { columns: ProductColumns }).columns),
      numbersOf: (data) => (data as { columns: ProductColumns }).columns.numbers,
      csvVariables: ({ columns, decimal }) => ({ withColumns: columns === undefined || decimal === 'comma' }),
      rowsOf: (data) => [...(data as { products: Map<string, Map<string, unknown>> }).products.values()],
      totalOf: (data) => (data as { total_products: number }).total_products,
    },
    shapes: () => ({
      query: z.object({
        store_uuid: input.storeUuid,
        sku_codes: input.commaList
          .optional()
          .describe('Only products with these codes. Repeat the parameter or separate codes by commas.'),
        sku_code: z
          .array(input.text)
          .optional()
          .describe(
            'Only products with these codes and those of `sku_codes`. Each value is one code, commas included.',
          ),
        status: input.productStatus.optional().describe('Only products with this status.'),
        ...input.page('products', 100),
        columns: z
          .array(input.text)
          .transform((lines) => lines.join(','))
          .optional()
          .describe(
            'CSV: the columns, in this order, as a line of CSV: `product_code,"SMP: Image URL 1"`. Default: `product_code`, `status`, all attributes of the store by code point, and columns such as `SMP: Image URL 1` up to its largest group: the same on each page. Required if these are more than 2,000. Repeat the parameter or separate names by commas.',
          ),
        decimal: input
          .oneOf(['point', 'comma'])
          .optional()
          .describe(
            'CSV: decimal separator of NUMBER attributes. Default: a point. With a comma, a text such as `12,5` on the page is an error.',
          ),
        ...input.csvForm,
      }),
    }),
    variables: ({ store_uuid, sku_codes, sku_code, status, offset, limit }) => ({
      ...{ storeUuid: store_uuid, offset, limit, withColumns: false },
      codes: (sku_codes ?? sku_code) && [...(sku_codes ?? []), ...(sku_code ?? [])],
      status: status && [status],
    }),
    toData: ({ productPage: { products, columns, ...page } }) => ({
      ...page,
      ...(columns && { columns }),
      products: new Map(products.map((product) => [product.product_code, productObject(product)])),
    }),
  }),

  endpoint({
    method: 'GET',
    path: '/products/{product_code}',
    summary: 'Get a product',
    description:
      'A product with its attributes and assets. With `at`, its status and attributes at that time, within the retention of changes; its assets are the present ones.',
    extraReasons: ['product_not_found', 'changes_disabled'],
    dataShape: results.GetProduct.extend({ product: output.productShape.describe('The product.') }),
    document: operations.GetProductDocument,
    shapes: () => ({
      query: z.object({
        product_code: input.text.describe('SKU code, case-sensitive.'),
        store_uuid: input.storeUuid,
        at: input.time.optional().describe('Time, to the millisecond. Default: now.'),
      }),
    }),
    variables: camelCase,
    toData: ({ store }) => {
      const { product, ...rest } = foundStore(store)
      const details = 'the store has, or had then, no product of this code'
      return { ...rest, product: productObject(found(product, 'product_not_found', 'product_code', details)) }
    },
  }),

  endpoint({
    method: 'GET',
    path: '/stores',
    summary: 'List stores',
    description: 'Lists a page of the stores that the token has access to, in the order of their creation.',
    dataShape: results.ListStores.extend({ stores: z.array(output.storeShape).describe('Stores of this page.') }),
    document: operations.ListStoresDocument,
    shapes: () => ({
      query: z.object({
        search: input.text.optional().describe('Only stores whose name contains this text, case-insensitive.'),
        ...input.page('stores', 100),
      }),
    }),
    variables: camelCase,
    toData: ({ storePage }) => storePage,
  }),
  endpoint({
    method: 'POST',
    path: '/assets',
    summary: 'Place assets',
    description:
      'Inserts assets at given positions of their groups; the assets from that position on move back by one, and a position past the end means the end. A URL that the store already has keeps its `asset_id`; a URL that the group already has moves.',
    dataShape: output.writtenShape(results.PlaceAssets),
    document: operations.PlaceAssetsDocument,
    shapes: ({ channels }) => ({
      query: writeOnChannel(channels),
      body: input.listOf({
        parent_code: input.text.describe(
          'Parent code of the group: 1 to 255 characters. A product of this code need not exist.',
        ),
        asset_type: input.text.nullish().describe('Asset format of the group. Default: `image`.'),
        assets: input.urlFields,
      }),
    }),
    variables: (query, body) => ({
      ...camelCase(query),
      groups: body.map(({ asset_type, ...group }) => ({ ...camelCase(group), assetFormat: asset_type })),
    }),
    toData: ({ placeAssets: result }) => withErrorInfo(result),
  }),

  endpoint({
    method: 'GET',
    path: '/changes',
    summary: 'List changes',
    description:
      'The feed of changes of a store, deletions included, in a stable order: asking again with `next` as `after` returns each change exactly once. Long transactions delay the feed: a change appears when all writing transactions that began earlier have ended. A page may be shorter than `limit` although more follow.',
    extraReasons: ['cursor_expired', 'changes_disabled'],
    dataShape: z.object({
      changes: z.array(results.Change).describe('Changes after the cursor, in order.'),
      next: z.string().describe('Cursor of the next page, also when this one is empty.'),
      more: z.boolean().describe('Whether more changes are available now.'),
    }),
    document: operations.ListChangesDocument,
    shapes: () => ({
      query: z.object({
        store_uuid: input.storeUuid,
        after: input.text
          .optional()
          .describe(
            'Cursor: only changes after it. Default: from the oldest that is kept. `latest`: none, only the cursor.',
          ),
        limit: input.pageSize('changes', 100),
        product_code: input.text.optional().describe('Only changes of this product and of the links of its assets.'),
      }),
    }),
    variables: camelCase,
    toData: ({ store }) => {
      const feed = foundStore(store).changes
      const { changes, more } = changesOf(feed)
      return { changes, next: feed.next, more }
    },
  }),

  endpoint({
    method: 'GET',
    path: '/requests/{request_id}',
    summary: 'Get the receipt of a request',
    description:
      'What the request changed in a store. The header `Link` of a write names its receipt. Requests that were sent with the same `X-Request-Id` have one receipt.',
    extraReasons: ['request_not_found', 'changes_disabled'],
    dataShape: results.GetRequest.omit({ revertedBy: true }).extend({
      changes: z.array(results.Change).describe('The first 100 changes of the request, the oldest first.'),
      more: z.boolean().describe('Whether the receipt is truncated.'),
      reverted_by: z.string().optional().describe('Id of the last request that reverted it.'),
    }),
    document: operations.GetRequestDocument,
    shapes: () => ({
      query: z.object({
        request_id: input.text.describe('Id of the request: `status.request_id` of its answer.'),
        store_uuid: input.storeUuid,
      }),
    }),
    variables: camelCase,
    toData: ({ request }) => {
      const details = 'nothing was changed under this id, or it is no longer recorded'
      const { changes, revertedBy, ...rest } = found(request, 'request_not_found', 'request_id', details)
      return {
        ...restObject(rest),
        ...changesOf(changes),
        ...(revertedBy && { reverted_by: revertedBy.request_id }),
      }
    },
  }),

  endpoint({
    method: 'POST',
    path: '/requests/{request_id}/revert',
    summary: 'Revert a request',
    description:
      'Restores the values that a request changed, in one transaction. If later requests changed a value, it is skipped or overwritten, or the revert fails. A revert can be reverted by its own request id. At most 100,000 values, links and rows. The request has no body.',
    isLong: true,
    extraReasons: ['request_not_found', 'not_revertible'],
    dataShape: output.writtenShape(results.RevertRequest),
    document: operations.RevertRequestDocument,
    shapes: () => ({
      query: z.object({
        request_id: input.text.describe('Id of the request to revert.'),
        store_uuid: input.storeUuid,
        if_changed_since: input
          .oneOf(['skip', 'fail', 'overwrite'])
          .default('skip')
          .describe('What to do with values changed by later requests.'),
        dry_run: input.dryRun,
      }),
    }),
    variables: ({ if_changed_since, ...query }) => ({
      ...camelCase(query),
      ifChangedSince: if_changed_since.toUpperCase() as RevertPolicy,
    }),
    toData: ({ revertRequest: result }) => restObject(withMore(result)),
  }),
  ...imports,
  events,
  ...reports,
  ...webhooks,
]

function writeOnChannel(channels: readonly string[]) {
  const channel = input.oneOf(channels).default('SMP').describe('Channel of the assets.')
  return z.object({ store_uuid: input.storeUuid, channel, dry_run: input.dryRun })
}

interface ChangeConnection {
  edges: { node: ChangeFragment }[]
  pageInfo: { more: boolean }
}

function changesOf({ edges, pageInfo }: ChangeConnection) {
  return { changes: edges.map(({ node }) => restObject(node)), more: pageInfo.more }
}
