/** A URL to put at a place of a group; places count from 1. */
export interface Placing {
  parentCode: string
  assetFormat: string
  url: string
  position: number
}

/** An asset in a group, in the group's order; without a parent code, one that the store has somewhere. */
export interface PlacedAsset {
  parentCode: string | null
  assetFormat: string
  assetId: string
  url: string
  place: number | null
}

export interface Arrangement {
  /** Every asset of every group that changes, each with its new place, as rows for the database. */
  assets: { parent_code: string; asset_format: string; asset_id: string; url: string; place: number }[]
  created: number
  moved: number
}

type Entry = { assetId: string; url: string }

/**
 * Carries out the placings one after the other on the groups as they stand: an asset that is new in its group is inserted at its place, one that
 * is there is taken out and put in again. `newId` makes the id of a URL that the store does not have.
 */
export function arrange(
  current: readonly PlacedAsset[],
  placings: readonly Placing[],
  newId: () => string,
): Arrangement {
  const groups = new Map<string, { parentCode: string; assetFormat: string; entries: Entry[] }>()
  const ids = new Map<string, string>()
  for (const { parentCode, assetFormat, assetId, url } of current) {
    if (parentCode === null) ids.set(keyOf(assetFormat, url), assetId)
    else groupAt(parentCode, assetFormat).entries.push({ assetId, url })
  }
  const changed = new Set<string>()
  let created = 0
  let moved = 0
  for (const { parentCode, assetFormat, url, position } of placings) {
    const { entries } = groupAt(parentCode, assetFormat)
    const from = entries.findIndex((entry) => entry.url === url)
    const [entry = { assetId: idOf(assetFormat, url), url }] = from === -1 ? [] : entries.splice(from, 1)
    const to = Math.min(position - 1, entries.length)
    entries.splice(to, 0, entry)
    if (from === -1) created++
    else if (from !== to) moved++
    if (from !== to) changed.add(parentCode)
  }
  const rows = [...groups.values()].filter(({ parentCode }) => changed.has(parentCode))
  return { assets: rows.flatMap(placesOf), created, moved }

  function groupAt(parentCode: string, assetFormat: string) {
    const key = keyOf(assetFormat, parentCode)
    const group = groups.get(key) ?? { parentCode, assetFormat, entries: [] }
    groups.set(key, group)
    return group
  }

  function idOf(assetFormat: string, url: string): string {
    const id = ids.get(keyOf(assetFormat, url)) ?? newId()
    ids.set(keyOf(assetFormat, url), id)
    return id
  }
}

function keyOf(assetFormat: string, name: string): string {
  return JSON.stringify([assetFormat, name])
}

function placesOf(group: { parentCode: string; assetFormat: string; entries: Entry[] }): Arrangement['assets'] {
  return group.entries.map(({ assetId, url }, i) => ({
    parent_code: group.parentCode,
    asset_format: group.assetFormat,
    asset_id: assetId,
    url,
    place: i + 1,
  }))
}
