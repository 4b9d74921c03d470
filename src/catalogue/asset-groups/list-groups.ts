import { isUnavailable, shortageOf } from '../../database/unavailable.ts'
import { storeNotFound, unavailable } from '../../errors.ts'
import { hasAtMost } from '../../text.ts'
import { type Catalogue, requireVisible } from '../catalogue.ts'
import { findStores } from '../stores/stores.ts'
import { type AssetGroupPage, type AssetGroupQuery, listGroupsOfParents, pageGroups } from './asset-groups.ts'

/** The global configuration allows no longer name. */
const maxChannelLength = 64

/** Chooses the parent codes of a page, in order. Throws `downstream_unavailable`. */
export type FilterService = (
  storeUuid: string,
  query: AssetGroupQuery,
) => Promise<{ totalGroups: number; parentCodes: string[] }>

/** A page of one store's groups (spec: GET /assets). Throws `store_not_found` or `downstream_unavailable`. */
export async function listGroups(
  catalogue: Catalogue,
  storeUuid: string,
  query: AssetGroupQuery,
  filterService?: FilterService,
): Promise<AssetGroupPage> {
  const page = await findPage(catalogue, requireVisible(catalogue, storeUuid), query, filterService)
  if (!page) throw storeNotFound('storeUuid', storeUuid)
  return page
}

/**
 * A page, or undefined if there is no such store. Throws `downstream_unavailable`, also for the database: the failure
 * of a listing's source has a code of its own (spec: HTTP mapping for GET /assets).
 */
export async function findPage(...args: Parameters<typeof readPage>): Promise<AssetGroupPage | undefined> {
  try {
    return await readPage(...args)
  } catch (error) {
    throw isUnavailable(error) ? unavailable('downstream_unavailable', error, shortageOf(error)) : error
  }
}

/** The filtering service's codes without such a group are left out. */
async function readPage(
  catalogue: Catalogue,
  storeUuid: string,
  query: AssetGroupQuery,
  filterService: FilterService | undefined,
): Promise<AssetGroupPage | undefined> {
  // A longer name is no channel, and the filtering service may not accept it.
  if (!filterService || !hasAtMost(query.channel, maxChannelLength)) return pageGroups(catalogue, storeUuid, query)
  const stores = await findStores(catalogue, [storeUuid])
  if (!stores.has(storeUuid)) return undefined
  const { totalGroups, parentCodes } = await filterService(storeUuid, query)
  const groups = parentCodes.length === 0 ? [] : await listGroupsOfParents(catalogue, storeUuid, parentCodes, query)
  const byCode = new Map(groups.map((group) => [group.parentCode, group]))
  return { totalGroups, groups: parentCodes.flatMap((code) => byCode.get(code) ?? []), version: null }
}
