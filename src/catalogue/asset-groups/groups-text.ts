import { setImmediate } from 'node:timers/promises'
import { pushEntries } from './asset-entries.ts'
import type { AssetGroup } from './asset-groups.ts'

/** A page may have 10 MB: after so many characters other requests run. */
const sliceLength = 500_000

/** The groups of a page, which all have the same store, channel and format, as JSON text (spec: Asset group). */
export async function groupsText(groups: readonly AssetGroup[]): Promise<string> {
  const [{ channel, assetType, storeUuid } = {}] = groups
  const ofAll = JSON.stringify({ channel, asset_type: assetType, store_uuid: storeUuid }).slice(0, -1)
  const head = `:${ofAll},"assets":`
  const pieces: unknown[] = []
  let text = ''
  let length = 0
  for (const group of groups) {
    length += group.entries.length
    if (length > sliceLength) {
      text += pieces.splice(0).join('')
      length = 0
      await setImmediate()
    }
    pieces.push(group === groups[0] ? '' : ',', JSON.stringify(group.parentCode), head)
    pushEntries(pieces, group)
    pieces.push('}')
  }
  return `{${text}${pieces.join('')}}`
}
