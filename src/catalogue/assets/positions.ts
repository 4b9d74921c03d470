import { CatalogueError } from '../../errors.ts'

/** A URL to put at a position of a group; positions count from 1. */
export interface UrlPosition {
  parentCode: string
  assetFormat: string
  url: string
  position: number
}

/** An asset at its place in a group. Without a parent code: an asset of the store. */
export interface PlacedAsset {
  parentCode: string | null
  assetFormat: string
  assetId: string
  url: string
  place: number | null
  /** The former place; null for a new link. */
  was?: number | null
}

const maxPositions = 10_000

/**
 * Applies the positions one after the other. An asset that its group has is removed and inserted again. `current` has
 * the assets of each group in order; `newId` makes the id of an unknown URL. Returns all assets of the changed groups.
 * Throws `payload_too_large` for more than 10,000 URLs of a group: the time grows with their square.
 */
export function applyPositions(
  current: readonly PlacedAsset[],
  positions: readonly UrlPosition[],
  newId: () => string,
): { assets: PlacedAsset[]; created: number; moved: number } {
  const groups = Map.groupBy(current, ({ parentCode, assetFormat }) => keyOf(parentCode, assetFormat))
  const stored = current.filter(({ parentCode }) => parentCode === null)
  const ids = new Map(stored.map(({ url, assetFormat, assetId }) => [keyOf(url, assetFormat), assetId]))
  const idOf = (url: string, assetFormat: string) => {
    const id = ids.get(keyOf(url, assetFormat)) ?? newId()
    ids.set(keyOf(url, assetFormat), id)
    return id
  }
  const changed = new Set<PlacedAsset[]>()
  let created = 0
  let moved = 0
  const byGroup = Map.groupBy(positions, ({ parentCode, assetFormat }) => keyOf(parentCode, assetFormat))
  for (const [key, wanted] of byGroup) {
    if (wanted.length > maxPositions) {
      const details = `a request must place at most ${maxPositions} assets in a group; got ${wanted.length}`
      throw new CatalogueError('payload_too_large', details)
    }
    const group = [...(groups.get(key) ?? [])]
    // A map, as searching the group for each of 10,000 URLs would block the event loop. The first of equal URLs wins.
    const byUrl = new Map(group.toReversed().map((asset) => [asset.url, asset]))
    for (const { parentCode, assetFormat, url, position } of wanted) {
      const known = byUrl.get(url)
      const from = known ? group.indexOf(known) : -1
      if (known) group.splice(from, 1)
      const to = Math.min(position - 1, group.length)
      const asset = known ?? { parentCode, assetFormat, assetId: idOf(url, assetFormat), url, place: null }
      group.splice(to, 0, asset)
      byUrl.set(url, asset)
      if (!known) created++
      else if (from !== to) moved++
      if (from !== to) changed.add(group)
    }
  }
  const assets = [...changed].flatMap((group) =>
    group.map((asset, i) => ({ ...asset, was: asset.place, place: i + 1 })),
  )
  return { assets, created, moved }
}

function keyOf(name: string | null, assetFormat: string): string {
  return JSON.stringify([assetFormat, name])
}
