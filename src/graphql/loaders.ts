import { type AssetGroupQuery, listGroupsOfParents } from '../catalogue/asset-groups/asset-groups.ts'
import { type FilterService, findPage } from '../catalogue/asset-groups/list-groups.ts'
import {
  type AssetFilter,
  countAssets,
  findAssets,
  listAssets,
  listGroupsOfAssets,
} from '../catalogue/assets/list-assets.ts'
import { listDefinitions } from '../catalogue/attributes/attribute-definitions.ts'
import type { StoredDefinition } from '../catalogue/attributes/attribute-rules.ts'
import { findViolations } from '../catalogue/attributes/attribute-violations.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { type ChangeKey, changeName, findChanges } from '../catalogue/changes/find-changes.ts'
import {
  type ChangeFilter,
  type ChangePage,
  listChanges,
  listHistory,
  type PageRequest,
} from '../catalogue/changes/list-changes.ts'
import { findProductAt } from '../catalogue/changes/product-at.ts'
import { findReverts } from '../catalogue/changes/receipt.ts'
import { isBare, type KeysetPage } from '../catalogue/conditions.ts'
import { countStatuses, findProducts, type Product } from '../catalogue/products/find-products.ts'
import { countProducts } from '../catalogue/products/lists/count-products.ts'
import { countFacets, type FacetQuery } from '../catalogue/products/lists/facets.ts'
import { listProducts } from '../catalogue/products/lists/list-products.ts'
import { findProductColumns } from '../catalogue/products/product-columns.ts'
import type { ProductOrder } from '../catalogue/products/query/order.ts'
import type { ProductFilter } from '../catalogue/products/query/product-filter.ts'
import { isCostly, isCostlyToCount } from '../catalogue/products/query/source.ts'
import { findProductReadiness } from '../catalogue/readiness/product-readiness.ts'
import { findStoreReadiness } from '../catalogue/readiness/store-readiness.ts'
import { listStoresOfGroups } from '../catalogue/stores/list-stores.ts'
import { findStores } from '../catalogue/stores/stores.ts'
import { countJobs, type JobFilter, listJobs } from '../jobs/job.ts'
import { withCore } from '../request/context.ts'
import { batched, byField, byStore, ofStores, perArguments } from './batches.ts'

/** Of the filtering service, for pages of many stores. */
const callsAtOnce = 10

export type Loaders = ReturnType<typeof createLoaders>

/** The relations of one request. They are not cached between batches: the answer of a mutation shows its writes. */
export function createLoaders(catalogue: Catalogue, filterService: FilterService | undefined) {
  return {
    store: batched((uuids: readonly string[]) => findStores(catalogue, uuids)),
    storesOfGroup: perArguments((first: number) =>
      batched((groups: readonly string[]) => listStoresOfGroups(catalogue, groups, first)),
    ),
    attributeDefinitions: ofStores((uuid) => listDefinitions(catalogue, uuid)),
    attributeViolations: byStore(
      (uuid, definitions: readonly StoredDefinition[]) => withCore(() => findViolations(catalogue, uuid, definitions)),
      ({ name }) => name,
    ),
    productCounts: ofStores((uuid) => countStatuses(catalogue, uuid)),
    productColumns: ofStores((uuid) => findProductColumns(catalogue, uuid)),
    product: byField('productCode', async (uuid, codes) => {
      const products = await findProducts(catalogue, uuid, codes)
      return new Map(products.map((product) => [product.productCode, product]))
    }),
    productAt: perArguments((at: Date) =>
      byField('productCode', async (uuid, codes) => {
        const products = new Map<string, Product | null>()
        for (const code of codes) products.set(code, await findProductAt(catalogue, uuid, code, at))
        return products
      }),
    ),
    productReadiness: byField('productCode', (uuid, codes) => findProductReadiness(catalogue, uuid, codes)),
    storeReadiness: perArguments((channel: string) => ofStores((uuid) => findStoreReadiness(catalogue, uuid, channel))),
    change: perArguments((hasItems: boolean) =>
      byStore((uuid, keys: readonly ChangeKey[]) => findChanges(catalogue, uuid, keys, hasItems), changeName),
    ),
    asset: byField('assetId', (uuid, assetIds) => findAssets(catalogue, uuid, assetIds)),
    assets: perArguments(([filter, page]: [AssetFilter, KeysetPage]) =>
      ofStores((uuid) => listAssets(catalogue, uuid, filter, page)),
    ),
    assetCount: perArguments((filter: AssetFilter) => ofStores((uuid) => countAssets(catalogue, uuid, filter))),
    groupsOfAsset: perArguments((first: number) =>
      byField('assetId', (uuid, assetIds) => listGroupsOfAssets(catalogue, uuid, assetIds, first)),
    ),
    jobs: perArguments(([filter, page]: [JobFilter, KeysetPage]) =>
      ofStores((uuid) => listJobs(catalogue, uuid, filter, page)),
    ),
    jobCount: perArguments((filter: JobFilter) => ofStores((uuid) => countJobs(catalogue, uuid, filter))),
    products: perArguments(([filter, page, order]: [ProductFilter, KeysetPage, ProductOrder]) =>
      ofStores((uuid) => withCore(() => listProducts(catalogue, uuid, filter, page, order), isCostly(filter, order))),
    ),
    productCount: perArguments((filter: ProductFilter) =>
      ofStores((uuid) => withCore(() => countProducts(catalogue, uuid, filter), isCostlyToCount(filter))),
    ),
    facets: perArguments((query: FacetQuery) =>
      ofStores((uuid) => withCore(() => countFacets(catalogue, uuid, query))),
    ),
    assetGroupPage: perArguments((query: AssetGroupQuery) =>
      ofStores((uuid) => findPage(catalogue, uuid, query, filterService), filterService && callsAtOnce),
    ),
    changes: perArguments(([filter, page]: [ChangeFilter, PageRequest<boolean>]) =>
      ofStores((uuid) => withCore(() => listChanges(catalogue, uuid, filter, page), !isBare(filter))),
    ),
    history: perArguments((page: PageRequest<boolean>) =>
      byField('productCode', async (uuid, codes) => {
        const histories = new Map<string, ChangePage<boolean>>()
        for (const productCode of codes)
          histories.set(productCode, await listHistory(catalogue, uuid, { productCode }, page))
        return histories
      }),
    ),
    reverts: byField('requestId', (uuid, requestIds) => findReverts(catalogue, uuid, requestIds)),
    assetGroupsOfParent: perArguments((narrow: Parameters<typeof listGroupsOfParents>[3]) =>
      byField('productCode', async (uuid, codes) =>
        Map.groupBy(await listGroupsOfParents(catalogue, uuid, codes, narrow), (group) => group.parentCode),
      ),
    ),
  }
}
