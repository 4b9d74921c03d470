import { storeNotFound } from '../errors.ts'
import { type AssetGroupPage, type AssetGroupQuery, listGroupsOfParents } from './asset-groups.ts'
import { fromSource } from './from-source.ts'
import { findStores } from './stores.ts'
import { type View, visibleStore, visibleStores } from './viewer.ts'

/** The parent codes of one page, in the order to show, and how many groups match in all. */
export interface FilteredPage {
  totalGroups: number
  parentCodes: string[]
}

/** Chooses which parent codes a listing shows (decisions: Filtering service). Throws `downstream_unavailable`. */
export type Filter = (storeUuid: string, query: AssetGroupQuery) => Promise<FilteredPage>

/** The page of one store's groups as the filter has it (spec: GET /assets). Throws `store_not_found` or `downstream_unavailable`. */
export async function listFilteredGroups(
  db: View,
  filter: Filter,
  storeUuid: string,
  query: AssetGroupQuery,
): Promise<AssetGroupPage> {
  const uuid = visibleStore(db, storeUuid)
  const exists = uuid !== undefined && (await fromSource(findStores(db, [uuid]))).has(uuid)
  if (!exists) throw storeNotFound('storeUuid', storeUuid)
  const pages = await listFilteredGroupsOfStores(db, filter, [uuid], query)
  return pages.get(uuid) ?? { totalGroups: 0, groups: [], version: null }
}

/**
 * The same page of each of the stores, which exist. The filter's answer only chooses and orders: the groups are read from the store, of the
 * channel and format that were asked for, and a code that has no such group there is not shown. One call a store, one statement for all.
 */
export async function listFilteredGroupsOfStores(
  db: View,
  filter: Filter,
  storeUuids: readonly string[],
  query: AssetGroupQuery,
): Promise<Map<string, AssetGroupPage>> {
  const chosen = await Promise.all(
    visibleStores(db, storeUuids).map(async (storeUuid) => ({ storeUuid, ...(await filter(storeUuid, query)) })),
  )
  const keys = chosen.flatMap(({ storeUuid, parentCodes }) =>
    parentCodes.map((productCode) => ({ storeUuid, productCode })),
  )
  const groups = keys.length === 0 ? [] : await fromSource(listGroupsOfParents(db, keys, query))
  const byKey = new Map(groups.map((group) => [`${group.storeUuid}/${group.parentCode}`, group]))
  return new Map(
    chosen.map(({ storeUuid, totalGroups, parentCodes }) => [
      storeUuid,
      { totalGroups, groups: parentCodes.flatMap((code) => byKey.get(`${storeUuid}/${code}`) ?? []), version: null },
    ]),
  )
}
