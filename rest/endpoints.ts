import { z } from 'zod'
import { type Endpoint, endpoint } from './endpoint.ts'
import {
  CreateProductsDocument,
  CreateStoreDocument,
  DeleteAssetsDocument,
  ListAssetsDocument,
  ListProductsDocument,
  PlaceAssetsDocument,
  UnlinkAssetsDocument,
  UpdateProductsDocument,
} from './operations.generated.ts'
import {
  assetPlacements,
  assetSelectors,
  assetUnlinks,
  dryRun,
  newStore,
  oneOf,
  productPatches,
  productStatus,
  storeLink,
  storeUuid,
  text,
  wholeNumber,
} from './request/shapes.ts'
import {
  assetPage,
  createdProducts,
  createdStore,
  deletedAssets,
  placedAssets,
  productPage,
  unlinkedAssets,
  updatedProducts,
} from './response/data-shapes.ts'
import { assetGroup, errorInfo, failedProducts, listOf, productObject, productPatch } from './response/translate.ts'

/** The endpoints under /v1, one per entry (spec: Endpoints). */
export const endpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/assets',
    success: 'SUCCESS',
    about: {
      summary: 'List assets',
      description:
        'Lists a page of the asset groups of a store on one channel, ordered by parent code (by code point). A group is identified by parent code, channel and asset format (spec: GET /assets).',
      answer: assetPage,
    },
    document: ListAssetsDocument,
    takesBody: false,
    dependsOnFilter: true,
    isVersioned: true,
    shapes: ({ assetFormats }) => ({
      query: z.object({
        store_uuid: storeUuid,
        channel: text.default('SMP').describe('Channel to list. An unknown channel lists nothing.'),
        asset_format: oneOf(assetFormats).default('image').describe('Asset format to list.'),
        offset: wholeNumber(0).default(0).describe('Number of groups to skip. Past the end the page is empty.'),
        limit: wholeNumber(1, 50).default(50).describe('Page size in groups; values above 50 are clamped to 50.'),
      }),
    }),
    variables: (query) => ({
      storeUuid: query.store_uuid,
      channel: query.channel,
      assetFormat: query.asset_format,
      offset: query.offset,
      limit: query.limit,
    }),
    data: ({ assetGroups: page }) => ({
      total_groups: page.totalGroups,
      returned_groups: page.returnedGroups,
      assets: new Map(page.groups.map((group) => [group.parentCode, assetGroup(group)])),
    }),
  }),

  endpoint({
    method: 'PUT',
    path: '/products',
    success: 'success',
    about: {
      summary: 'Update products',
      description:
        'Merges attributes and statuses into existing products and creates none (spec: PUT /products). Each product is updated whole or not at all: an invalid attribute puts its product into `failed_products` and does not affect the other products. The request is one transaction.',
      answer: updatedProducts,
    },
    document: UpdateProductsDocument,
    takesBody: true,
    shapes: () => ({ query: z.object({ store_uuid: storeUuid, dry_run: dryRun }), body: productPatches }),
    variables: (query, body) => ({
      storeUuid: query.store_uuid,
      products: body.map(productPatch),
      dryRun: query.dry_run,
    }),
    data: ({ updateProducts: result }) => ({
      store_uuid: result.storeUuid,
      updated_skus: result.updatedSkus,
      unavailable_skus: result.unavailableSkus,
      failed_products: failedProducts(result.failedProducts),
    }),
  }),

  endpoint({
    method: 'POST',
    path: '/stores',
    success: 'success',
    about: {
      summary: 'Create a store',
      description: 'Creates a store, in a new group or in the group of `linked_store_id` (spec: POST /stores).',
      answer: createdStore,
    },
    document: CreateStoreDocument,
    takesBody: true,
    shapes: (enumerations) => ({ query: storeLink, body: newStore(enumerations) }),
    variables: (query, body) => ({
      input: {
        storeName: body.store_name,
        storeTaxonomy: body.store_taxonomy,
        region: body.region,
        channels: body.channels,
        defaultAutomation: body.default_automation,
        storeWebsite: body.store_website,
      },
      copyTaxonomy: query.copy_taxonomy,
      linkedStoreId: query.linked_store_id,
      dryRun: query.dry_run,
    }),
    data: ({ createStore: store }) => ({ store_uuid: store.storeUuid, store_group: store.storeGroup }),
  }),

  endpoint({
    method: 'DELETE',
    path: '/assets',
    success: 'SUCCESS',
    about: {
      summary: 'Delete assets',
      description:
        'Deletes assets with all their links (spec: DELETE /assets). An asset is deleted when it meets all conditions of an item (`channel`, `parent_code`, `asset_id`); an item without a condition fails with `selector_required`. The request needs a body with `Content-Length`.',
      answer: deletedAssets,
    },
    document: DeleteAssetsDocument,
    takesBody: true,
    shapes: () => ({ query: z.object({ dry_run: dryRun }), body: assetSelectors }),
    variables: (query, body) => ({
      dryRun: query.dry_run,
      selectors: body.map((item) => ({
        storeUuid: item.store_uuid,
        channel: item.channel,
        parentCode: item.parent_code,
        assetId: listOf(item.asset_id),
      })),
    }),
    data: ({ deleteAssets: result }) => ({
      deleted_count: result.deletedCount,
      failed: result.failed,
      error_info: errorInfo(result.errorInfo),
    }),
  }),

  endpoint({
    method: 'POST',
    path: '/assets/unlink',
    success: 'SUCCESS',
    about: {
      summary: 'Unlink assets',
      description:
        'Removes links between assets and a parent code on a channel, never the assets (spec: POST /assets/unlink). Without `asset_id` all assets of the parent code on the channel are unlinked. To delete assets use DELETE /assets.',
      answer: unlinkedAssets,
    },
    document: UnlinkAssetsDocument,
    takesBody: true,
    shapes: () => ({ query: z.object({ dry_run: dryRun }), body: assetUnlinks }),
    variables: (query, body) => ({
      dryRun: query.dry_run,
      links: body.map((item) => ({
        storeUuid: item.store_uuid,
        parentCode: item.parent_code,
        channel: item.channel,
        assetId: listOf(item.asset_id),
      })),
    }),
    data: ({ unlinkAssets: result }) => ({
      unlinked: result.unlinked,
      failed: result.failed,
      error_info: errorInfo(result.errorInfo),
    }),
  }),

  // Extensions: the specification presupposes products and assets; these create and list them (decisions: Beyond the spec).
  endpoint({
    method: 'POST',
    path: '/products',
    success: 'success',
    about: {
      summary: 'Create products',
      description:
        'Creates products and does not change existing ones. Keys such as `Image URL 1` become assets of the product on `channel`, in the order of their numbers. To change existing products use PUT /products.',
      answer: createdProducts,
      isExtension: true,
    },
    document: CreateProductsDocument,
    takesBody: true,
    shapes: ({ channels }) => ({
      query: z.object({
        store_uuid: storeUuid,
        channel: oneOf(channels).default('SMP').describe('Channel of the assets.'),
        dry_run: dryRun,
      }),
      body: productPatches,
    }),
    variables: (query, body) => ({
      storeUuid: query.store_uuid,
      channel: query.channel,
      products: body.map(productPatch),
      dryRun: query.dry_run,
    }),
    data: ({ createProducts: result }) => ({
      store_uuid: result.storeUuid,
      created_skus: result.createdSkus,
      existing_skus: result.existingSkus,
      failed_products: failedProducts(result.failedProducts),
    }),
  }),

  endpoint({
    method: 'GET',
    path: '/products',
    success: 'success',
    about: {
      summary: 'List products',
      description:
        'Lists a page of the products of a store with their attributes and assets, ordered by product code (by code point).',
      answer: productPage,
      isExtension: true,
    },
    document: ListProductsDocument,
    takesBody: false,
    repeatable: ['sku_codes'],
    shapes: () => ({
      query: z.object({
        store_uuid: storeUuid,
        sku_codes: text
          .optional()
          .describe('Only products with these codes. Repeat the parameter or separate codes by commas.'),
        status: productStatus.optional().describe('Only products with this status.'),
        offset: wholeNumber(0).default(0).describe('Number of products to skip. Past the end the page is empty.'),
        limit: wholeNumber(1, 100).default(100).describe('Page size in products; values above 100 are clamped to 100.'),
      }),
    }),
    variables: (query) => ({
      storeUuid: query.store_uuid,
      filter: { codes: query.sku_codes?.split(','), status: query.status && [query.status] },
      offset: query.offset,
      limit: query.limit,
    }),
    data: ({ productPage: page }) => ({
      store_uuid: page.storeUuid,
      total_products: page.totalProducts,
      returned_products: page.returnedProducts,
      products: new Map(page.products.map((product) => [product.productCode, productObject(product)])),
    }),
  }),

  endpoint({
    method: 'POST',
    path: '/assets',
    success: 'SUCCESS',
    about: {
      summary: 'Place assets',
      description:
        'Inserts assets at given positions of their groups; the assets from that position on move back by one, and a position past the end means the end. A URL that the store already has keeps its `asset_id`; a URL that the group already has moves.',
      answer: placedAssets,
      isExtension: true,
    },
    document: PlaceAssetsDocument,
    takesBody: true,
    shapes: ({ channels }) => ({
      query: z.object({
        store_uuid: storeUuid,
        channel: oneOf(channels).default('SMP').describe('Channel of the assets.'),
        dry_run: dryRun,
      }),
      body: assetPlacements,
    }),
    variables: (query, body) => ({
      storeUuid: query.store_uuid,
      channel: query.channel,
      groups: body.map((item) => ({ parentCode: item.parent_code, assetFormat: item.asset_type, assets: item.assets })),
      dryRun: query.dry_run,
    }),
    data: ({ placeAssets: result }) => ({
      created: result.created,
      updated: result.updated,
      failed: result.failed,
      error_info: errorInfo(result.errorInfo),
    }),
  }),
]
