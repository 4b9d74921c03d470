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
  text,
  wholeNumber,
} from './shapes.ts'
import { assetEntry, errorInfo, failedProducts, listOf, productObject, productPatch } from './translate.ts'

/** What is served under /v1: an endpoint a row (spec: Endpoints). */
export const endpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/assets',
    success: 'SUCCESS',
    document: ListAssetsDocument,
    takesBody: false,
    dependsOnFilter: true,
    shapes: ({ assetFormats }) => ({
      query: z.object({
        store_uuid: text,
        channel: text.default('SMP'),
        asset_format: oneOf(assetFormats).default('image'),
        offset: wholeNumber(0).default(0),
        limit: wholeNumber(1, 50).default(50),
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
      assets: new Map(
        page.groups.map((group) => [
          group.parentCode,
          {
            channel: group.channel,
            asset_type: group.assetType,
            store_uuid: group.storeUuid,
            assets: group.assets.map(assetEntry),
          },
        ]),
      ),
    }),
  }),

  endpoint({
    method: 'PUT',
    path: '/products',
    success: 'success',
    document: UpdateProductsDocument,
    takesBody: true,
    shapes: () => ({ query: z.object({ store_uuid: text, dry_run: dryRun }), body: productPatches }),
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
    document: CreateProductsDocument,
    takesBody: true,
    shapes: ({ channels }) => ({
      query: z.object({ store_uuid: text, channel: oneOf(channels).default('SMP'), dry_run: dryRun }),
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
    document: ListProductsDocument,
    takesBody: false,
    repeatable: ['sku_codes'],
    shapes: () => ({
      query: z.object({
        store_uuid: text,
        sku_codes: text.optional(),
        status: productStatus.optional(),
        offset: wholeNumber(0).default(0),
        limit: wholeNumber(1, 100).default(100),
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
    document: PlaceAssetsDocument,
    takesBody: true,
    shapes: ({ channels }) => ({
      query: z.object({ store_uuid: text, channel: oneOf(channels).default('SMP'), dry_run: dryRun }),
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
