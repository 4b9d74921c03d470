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

/** `byUrl` finds the first entry of a URL: to look through the entries for each of ten thousand would hold up everybody. */
interface Group {
  parentCode: string
  assetFormat: string
  entries: Entry[]
  byUrl: Map<string, Entry>
}

/**
 * Carries out the placings one after the other on the groups as they stand: an asset that is new in its group is inserted at its place, one that
 * is there is taken out and put in again. `newId` makes the id of a URL that the store does not have.
 */
export function arrange(
  current: readonly PlacedAsset[],
  placings: readonly Placing[],
  newId: () => string,
): Arrangement {
  const groups = new Map<string, Group>()
  const ids = new Map<string, string>()
  for (const { parentCode, assetFormat, assetId, url } of current) {
    if (parentCode === null) ids.set(keyOf(assetFormat, url), assetId)
    else insert(groupAt(parentCode, assetFormat), { assetId, url })
  }
  const changed = new Set<string>()
  let created = 0
  let moved = 0
  for (const { parentCode, assetFormat, url, position } of placings) {
    const group = groupAt(parentCode, assetFormat)
    const known = group.byUrl.get(url)
    const from = known ? group.entries.indexOf(known) : -1
    if (known) group.entries.splice(from, 1)
    const to = Math.min(position - 1, group.entries.length)
    insert(group, known ?? { assetId: idOf(assetFormat, url), url }, to)
    if (from === -1) created++
    else if (from !== to) moved++
    if (from !== to) changed.add(parentCode)
  }
  const rows = [...groups.values()].filter(({ parentCode }) => changed.has(parentCode))
  return { assets: rows.flatMap(placesOf), created, moved }

  function groupAt(parentCode: string, assetFormat: string): Group {
    const key = keyOf(assetFormat, parentCode)
    const group = groups.get(key) ?? { parentCode, assetFormat, entries: [], byUrl: new Map() }
    groups.set(key, group)
    return group
  }

  function idOf(assetFormat: string, url: string): string {
    const id = ids.get(keyOf(assetFormat, url)) ?? newId()
    ids.set(keyOf(assetFormat, url), id)
    return id
  }
}

function insert({ entries, byUrl }: Group, entry: Entry, at = entries.length): void {
  entries.splice(at, 0, entry)
  if (!byUrl.has(entry.url)) byUrl.set(entry.url, entry)
}

function keyOf(assetFormat: string, name: string): string {
  return JSON.stringify([assetFormat, name])
}

function placesOf(group: Group): Arrangement['assets'] {
  return group.entries.map(({ assetId, url }, i) => ({
    parent_code: group.parentCode,
    asset_format: group.assetFormat,
    asset_id: assetId,
    url,
    place: i + 1,
  }))
}
