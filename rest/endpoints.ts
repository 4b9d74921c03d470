import { z } from 'zod'
import { type Endpoint, endpoint } from './endpoint.ts'
import {
  CreateStoreDocument,
  DeleteAssetsDocument,
  type ItemFailureFragment,
  ListAssetsDocument,
  UnlinkAssetsDocument,
  UpdateProductsDocument,
} from './operations.ts'
import { assetSelectors, assetUnlinks, flag, newStore, oneOf, productPatches, text, wholeNumber } from './shapes.ts'

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
            assets: group.assets.map((asset) => ({ asset_id: asset.assetId, [asset.urlField]: asset.url })),
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
      failed_products: new Map(
        result.failedProducts.map(({ productCode, failures }) => [
          productCode,
          new Map(failures.map(({ attribute, reason }) => [attribute, reason])),
        ]),
      ),
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
]

/** A preview: the same answer, and nothing changed. */
const dryRun = flag.default(false)

const storeLink = z
  .object({
    dry_run: dryRun,
    copy_taxonomy: flag.default(false),
    linked_store_id: text.transform((value) => (value === 'null' ? undefined : value)).optional(),
  })
  .refine((query) => !query.copy_taxonomy || query.linked_store_id !== undefined, {
    path: ['linked_store_id'],
    error: 'must name the store to copy from when copy_taxonomy is true',
  })

/** A status that is no string goes among the attributes, where it becomes that product's failure like any other bad value. */
function productPatch({ product_code: productCode, ...rest }: { product_code: string; [name: string]: unknown }) {
  const { status, ...attributes } = rest
  return typeof status === 'string' ? { productCode, status, attributes } : { productCode, attributes: rest }
}

function listOf(value: string | string[] | null | undefined): string[] | undefined {
  return value == null ? undefined : [value].flat()
}

/** The spec's error_info of a success: an empty object stands where there is nothing to report. */
function errorInfo(failures: readonly ItemFailureFragment[]) {
  if (failures.length === 0) return [{}]
  return failures.map((failure) => ({
    reason: failure.reason,
    details: failure.details,
    index: failure.index ?? undefined,
    store_uuid: failure.storeUuid ?? undefined,
    channel: failure.channel ?? undefined,
    parent_code: failure.parentCode ?? undefined,
    asset_id: failure.assetId ?? undefined,
  }))
}
