import { z } from 'zod'
import {
  assetPage,
  createdProducts,
  createdStore,
  deletedAssets,
  placedAssets,
  productPage,
  unlinkedAssets,
  updatedProducts,
} from './answers.ts'
import { type Endpoint, endpoint } from './endpoint.ts'
import { JsonText } from './envelope.ts'
import {
  AssetsVersionDocument,
  CreateProductsDocument,
  CreateStoreDocument,
  DeleteAssetsDocument,
  ListAssetsDocument,
  ListProductsDocument,
  PlaceAssetsDocument,
  UnlinkAssetsDocument,
  UpdateProductsDocument,
} from './operations.ts'
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
} from './shapes.ts'
import { errorInfo, failedProducts, listOf, productObject, productPatch } from './translate.ts'

/** What is served under /v1: an endpoint a row (spec: Endpoints). */
export const endpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/assets',
    success: 'SUCCESS',
    about: {
      summary: 'List assets',
      description:
        'Pages through the asset groups of a store on a channel, in the order of their parent codes by code point. A group is a parent code, a channel and an asset format together.',
      answer: assetPage,
    },
    document: ListAssetsDocument,
    takesBody: false,
    dependsOnFilter: true,
    version: {
      document: AssetsVersionDocument,
      of: ({ assetGroupsVersion }) => assetGroupsVersion ?? null,
      ofAnswer: ({ assetGroups }) => assetGroups.version ?? null,
    },
    shapes: ({ assetFormats }) => ({
      query: z.object({
        store_uuid: storeUuid,
        channel: text.default('SMP').describe('A channel; one that is unknown lists nothing.'),
        asset_format: oneOf(assetFormats).default('image').describe('The format of the groups.'),
        offset: wholeNumber(0).default(0).describe('How many groups to pass over.'),
        limit: wholeNumber(1, 50).default(50).describe('Groups in the answer; more than 50 count as 50.'),
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
      assets: new JsonText(page.restAssets.json),
    }),
  }),

  endpoint({
    method: 'PUT',
    path: '/products',
    success: 'success',
    about: {
      summary: 'Update products',
      description:
        'Merges attributes and statuses into existing products. Each product is updated whole or not at all, and the others go ahead; what was refused is in `failed_products`. All of it is one transaction.',
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
      description: 'Creates a store, in a group of its own or in that of `linked_store_id`.',
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
        'Removes assets with all their links. `channel`, `parent_code` and `asset_id` narrow the choice together, and one of them must be given. The request needs its body, framed by `Content-Length`.',
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
        'Removes links between assets and a parent code on a channel, never the assets. Without `asset_id` all assets of the group are unlinked.',
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

  // The specification's operations presuppose products and assets; these bring them in and out (decisions: Beyond the spec).
  endpoint({
    method: 'POST',
    path: '/products',
    success: 'success',
    about: {
      summary: 'Create products',
      description:
        'Creates products; one that exists is left as it is. Keys such as `Image URL 1` become assets of the product, in the order of their numbers.',
      answer: createdProducts,
      isExtension: true,
    },
    document: CreateProductsDocument,
    takesBody: true,
    shapes: ({ channels }) => ({
      query: z.object({
        store_uuid: storeUuid,
        channel: oneOf(channels).default('SMP').describe('The channel of the assets.'),
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
        'Pages through the products of a store with their assets by channel, in the order of their codes by code point.',
      answer: productPage,
      isExtension: true,
    },
    document: ListProductsDocument,
    takesBody: false,
    repeatable: ['sku_codes'],
    shapes: () => ({
      query: z.object({
        store_uuid: storeUuid,
        sku_codes: text.optional().describe('Only these codes: repeated, or separated by commas.'),
        status: productStatus.optional().describe('Only products of this status.'),
        offset: wholeNumber(0).default(0).describe('How many products to pass over.'),
        limit: wholeNumber(1, 100).default(100).describe('Products in the answer; more than 100 count as 100.'),
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
        'Puts assets at places of their groups; what stands there moves back. A URL that the group has already moves.',
      answer: placedAssets,
      isExtension: true,
    },
    document: PlaceAssetsDocument,
    takesBody: true,
    shapes: ({ channels }) => ({
      query: z.object({
        store_uuid: storeUuid,
        channel: oneOf(channels).default('SMP').describe('The channel of the assets.'),
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
