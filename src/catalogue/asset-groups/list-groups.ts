import { storeNotFound } from '../../errors.ts'
import { hasAtMost } from '../../text.ts'
import { type Catalogue, requireVisible } from '../catalogue.ts'
import { findStores } from '../stores/stores.ts'
import {
  type AssetGroupPage,
  type AssetGroupQuery,
  listGroupsOfParents,
  listGroupsOfStores,
  orDownstreamUnavailable,
} from './asset-groups.ts'

/** As the global configuration has it. */
const longestChannel = 64

/** Chooses the parent codes of a page, in order. Throws `downstream_unavailable`. */
export type Filter = (
  storeUuid: string,
  query: AssetGroupQuery,
) => Promise<{ totalGroups: number; parentCodes: string[] }>

/** A page of one store's groups (spec: GET /assets). Throws `store_not_found` or `downstream_unavailable`. */
export async function listGroups(
  catalogue: Catalogue,
  storeUuid: string,
  query: AssetGroupQuery,
  filter?: Filter,
): Promise<AssetGroupPage> {
  const uuid = requireVisible(catalogue, storeUuid)
  const page = (await listPages(catalogue, [uuid], query, filter)).get(uuid)
  if (!page) throw storeNotFound('storeUuid', storeUuid)
  return page
}

/**
 * The same page of each store that exists, by store. A filter, called once per store, only chooses and orders: codes
 * without a group of the query are left out.
 */
export async function listPages(
  catalogue: Catalogue,
  storeUuids: readonly string[],
  query: AssetGroupQuery,
  filter: Filter | undefined,
): Promise<Map<string, AssetGroupPage>> {
  // No channel has a longer name, and the filter need not take one.
  if (!filter || !hasAtMost(query.channel, longestChannel)) return listGroupsOfStores(catalogue, storeUuids, query)
  const stores = await orDownstreamUnavailable(findStores(catalogue, storeUuids))
  const chosen = await Promise.all(
    [...stores.keys()].map(async (storeUuid) => ({ storeUuid, ...(await filter(storeUuid, query)) })),
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
