import { CatalogueError } from '../../errors.ts'

/** A URL to put at a position of a group; positions count from 1. */
export interface UrlPosition {
  parentCode: string
  assetFormat: string
  url: string
  position: number
}

/** An asset at its place in a group; without a parent code, an asset that the store has, perhaps in no group. */
export interface PlacedAsset {
  parentCode: string | null
  assetFormat: string
  assetId: string
  url: string
  place: number | null
  /** The place before; null: it is a new link. */
  was?: number | null
}

const maxPositions = 10_000

/**
 * Applies the positions one after the other: an asset that is in its group already is removed and inserted again.
 * `current` is in the order of the groups; `newId` makes the id of an unknown URL. Returns every asset of every group
 * that changes. Throws `payload_too_large` for more than 10,000 URLs of a group: the time grows with their square.
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
      const details = `a group must get at most ${maxPositions} assets at once; got ${wanted.length}`
      throw new CatalogueError('payload_too_large', [{ details }])
    }
    const group = [...(groups.get(key) ?? [])]
    // Searching the group for each of ten thousand URLs would block the event loop. Of equal ones the first is meant.
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
