import { storeNotFound } from '../../errors.ts'
import { hasAtMost } from '../../text.ts'
import { type Catalogue, requireVisible } from '../catalogue.ts'
import { findStores } from '../stores/stores.ts'
import {
  type AssetGroupPage,
  type AssetGroupQuery,
  listGroupsOfParents,
  orDownstreamUnavailable,
  pageGroups,
} from './asset-groups.ts'

/** The global configuration allows no longer name. */
const maxChannelLength = 64

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
  const page = await findPage(catalogue, requireVisible(catalogue, storeUuid), query, filter)
  if (!page) throw storeNotFound('storeUuid', storeUuid)
  return page
}

/**
 * A page, or undefined if there is no such store. Leaves out the codes of the filter that have no group of the query.
 */
export async function findPage(
  catalogue: Catalogue,
  storeUuid: string,
  query: AssetGroupQuery,
  filter: Filter | undefined,
): Promise<AssetGroupPage | undefined> {
  // A longer name is no channel, and the filter may not accept it.
  if (!filter || !hasAtMost(query.channel, maxChannelLength)) return pageGroups(catalogue, storeUuid, query)
  const stores = await orDownstreamUnavailable(findStores(catalogue, [storeUuid]))
  if (!stores.has(storeUuid)) return undefined
  const { totalGroups, parentCodes } = await filter(storeUuid, query)
  const groups =
    parentCodes.length === 0
      ? []
      : await orDownstreamUnavailable(listGroupsOfParents(catalogue, storeUuid, parentCodes, query))
  const byCode = new Map(groups.map((group) => [group.parentCode, group]))
  return { totalGroups, groups: parentCodes.flatMap((code) => byCode.get(code) ?? []), version: null }
}
