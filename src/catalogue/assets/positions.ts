/** A URL to put at a position of a group; positions count from 1. */
export interface UrlPosition {
  parentCode: string
  assetFormat: string
  url: string
  position: number
}

/** An asset of a group, in the group's order; without a parent code, an asset that the store has in no such group. */
export interface CurrentAsset {
  parentCode: string | null
  assetFormat: string
  assetId: string
  url: string
  place: number | null
}

export interface NewPositions {
  /** Every asset of every group that changes, with its new place, as rows for the database. */
  assets: { parent_code: string; asset_format: string; asset_id: string; url: string; place: number }[]
  created: number
  moved: number
}

type Entry = { assetId: string; url: string }

/**
 * `byUrl` has the first entry of each URL: searching the entries for each of ten thousand URLs would block the event
 * loop.
 */
interface Group {
  parentCode: string
  assetFormat: string
  entries: Entry[]
  byUrl: Map<string, Entry>
  isChanged: boolean
}

/**
 * Applies the positions one after the other to the groups: an asset that is new in its group is inserted, one that is
 * in it is removed and inserted again. `newId` makes the id of a URL that the store does not have.
 */
export function applyPositions(
  current: readonly CurrentAsset[],
  positions: readonly UrlPosition[],
  newId: () => string,
): NewPositions {
  const groups = new Map<string, Group>()
  const groupOf = (parentCode: string, assetFormat: string) =>
    getOrInsert(groups, keyOf(assetFormat, parentCode), () => {
      return { parentCode, assetFormat, entries: [], byUrl: new Map(), isChanged: false }
    })
  const ids = new Map<string, string>()
  for (const { parentCode, assetFormat, assetId, url } of current) {
    if (parentCode === null) ids.set(keyOf(assetFormat, url), assetId)
    else insert(groupOf(parentCode, assetFormat), { assetId, url })
  }
  let created = 0
  let moved = 0
  for (const { parentCode, assetFormat, url, position } of positions) {
    const group = groupOf(parentCode, assetFormat)
    const known = group.byUrl.get(url)
    const from = known ? group.entries.indexOf(known) : -1
    if (known) group.entries.splice(from, 1)
    const to = Math.min(position - 1, group.entries.length)
    insert(group, known ?? { assetId: getOrInsert(ids, keyOf(assetFormat, url), newId), url }, to)
    if (from === -1) created++
    else if (from !== to) moved++
    group.isChanged ||= from !== to
  }
  return { assets: [...groups.values()].flatMap((group) => (group.isChanged ? rowsOf(group) : [])), created, moved }
}

function insert({ entries, byUrl }: Group, entry: Entry, at = entries.length): void {
  entries.splice(at, 0, entry)
  getOrInsert(byUrl, entry.url, () => entry)
}

function getOrInsert<V>(map: Map<string, V>, key: string, make: () => V): V {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}

function keyOf(assetFormat: string, name: string): string {
  return JSON.stringify([assetFormat, name])
}

function rowsOf({ parentCode, assetFormat, entries }: Group): NewPositions['assets'] {
  return entries.map(({ assetId, url }, i) => ({
    parent_code: parentCode,
    asset_format: assetFormat,
    asset_id: assetId,
    url,
    place: i + 1,
  }))
}
