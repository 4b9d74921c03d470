import { CatalogueError } from '../../errors.ts'
import { encodeEntries, entriesOf, noEntries } from '../asset-groups/asset-entries.ts'
import { type AssetGroup, listGroupsOfParents } from '../asset-groups/asset-groups.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { lockStore } from '../locks.ts'
import { writePlaces } from './place-assets.ts'

/**
 * Moves the named assets, in the given order, to a position from 1; past the end means the end. Returns the group.
 * Throws `store_not_found`, or `link_not_found` with every asset id that is not in the group. Three statements.
 */
export async function moveAssets(
  catalogue: WriteCatalogue,
  key: { storeUuid: string; channel: string; parentCode: string; assetFormat: string },
  assetIds: readonly string[],
  position = 1,
): Promise<AssetGroup> {
  const { channel, parentCode, assetFormat } = key
  const storeUuid = await lockStore(catalogue, key.storeUuid, { groups: [parentCode] })
  const [stored] = await listGroupsOfParents(catalogue, [{ storeUuid, productCode: parentCode }], key)
  const group = stored ?? { storeUuid, channel, parentCode, assetFormat, entries: noEntries }
  const byId = new Map(entriesOf(assetFormat, group.entries).map((entry) => [entry.assetId, entry]))
  const missing = assetIds.filter((assetId) => !byId.has(assetId))
  if (missing.length > 0) {
    const place = `the ${assetFormat} assets of ${JSON.stringify(parentCode)} on the channel ${JSON.stringify(channel)}`
    const field = 'assetId'
    const faults = missing.map((id) => ({ field, details: `the asset ${JSON.stringify(id)} is not among ${place}` }))
    throw new CatalogueError('link_not_found', faults)
  }
  const moved = new Set(assetIds)
  const order = [...byId.keys()].filter((assetId) => !moved.has(assetId))
  order.splice(position - 1, 0, ...moved)
  const assets = order.flatMap((assetId) => byId.get(assetId) ?? [])
  const places = assets.map(({ assetId, url }, i) => ({ parentCode, assetFormat, assetId, url, place: i + 1 }))
  await writePlaces(catalogue, storeUuid, channel, places)
  return { ...group, entries: encodeEntries(assetFormat, assets) }
}
