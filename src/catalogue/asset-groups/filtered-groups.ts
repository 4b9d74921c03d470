import { type Catalogue, visibleStores } from '../catalogue.ts'
import { requireStore } from '../stores/stores.ts'
import { type AssetGroupPage, type AssetGroupQuery, listGroupsOfParents } from './asset-groups.ts'
import { orDownstreamUnavailable } from './downstream-unavailable.ts'

/** The parent codes of one page in their order, and the number of all groups that match. */
export interface FilteredPage {
  totalGroups: number
  parentCodes: string[]
}

/** Chooses which parent codes a listing shows (decisions: Filtering service). Throws `downstream_unavailable`. */
export type Filter = (storeUuid: string, query: AssetGroupQuery) => Promise<FilteredPage>

/**
 * A page of one store's groups in the filter's order (spec: GET /assets). Throws `store_not_found` or
 * `downstream_unavailable`.
 */
export async function listFilteredGroups(
  catalogue: Catalogue,
  filter: Filter,
  storeUuid: string,
  query: AssetGroupQuery,
): Promise<AssetGroupPage> {
  const uuid = await orDownstreamUnavailable(requireStore(catalogue, storeUuid))
  const pages = await listFilteredGroupsOfStores(catalogue, filter, [uuid], query)
  return pages.get(uuid) ?? { totalGroups: 0, groups: [], version: null }
}

/**
 * The same page of each of the stores, which exist. The filter only chooses and orders: the groups are read from the
 * store, with the channel and format of the query, and codes without such a group are left out. One call per store, one
 * statement in all.
 */
export async function listFilteredGroupsOfStores(
  catalogue: Catalogue,
  filter: Filter,
  storeUuids: readonly string[],
  query: AssetGroupQuery,
): Promise<Map<string, AssetGroupPage>> {
  const chosen = await Promise.all(
    visibleStores(catalogue, storeUuids).map(async (storeUuid) => ({ storeUuid, ...(await filter(storeUuid, query)) })),
  )
  const keys = chosen.flatMap(({ storeUuid, parentCodes }) =>
    parentCodes.map((productCode) => ({ storeUuid, productCode })),
  )
  const groups = keys.length === 0 ? [] : await orDownstreamUnavailable(listGroupsOfParents(catalogue, keys, query))
  const byKey = new Map(groups.map((group) => [`${group.storeUuid}/${group.parentCode}`, group]))
  return new Map(
    chosen.map(({ storeUuid, totalGroups, parentCodes }) => [
      storeUuid,
      { totalGroups, groups: parentCodes.flatMap((code) => byKey.get(`${storeUuid}/${code}`) ?? []), version: null },
    ]),
  )
}
