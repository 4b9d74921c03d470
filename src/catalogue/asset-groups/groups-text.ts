import { setImmediate } from 'node:timers/promises'
import { entriesText } from './asset-entries.ts'
import type { AssetGroup } from './asset-groups.ts'

/** A page may have 10 MB: after so many characters other requests get their turn. */
const sliceLength = 500_000

/** The groups of a page, which all have the same store, channel and format, as JSON text (spec: Asset group). */
export async function groupsText(groups: readonly AssetGroup[]): Promise<string> {
  const [{ channel, assetType, storeUuid } = {}] = groups
  const head = JSON.stringify({ channel, asset_type: assetType, store_uuid: storeUuid }).slice(0, -1)
  const texts: string[] = []
  let length = 0
  for (const group of groups) {
    length += group.entries.length
    if (length > sliceLength) {
      await setImmediate()
      length = 0
    }
    texts.push(`${JSON.stringify(group.parentCode)}:${head},"assets":${entriesText(group)}}`)
  }
  return `{${texts.join(',')}}`
}
