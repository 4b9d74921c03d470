import { entriesText } from './asset-entries.ts'
import type { AssetGroup } from './asset-groups.ts'

/** The JSON text of groups that have the same store, channel and format (spec: Asset group). */
export function groupsText(groups: readonly AssetGroup[]): string {
  const [{ channel, assetType, storeUuid } = {}] = groups
  const head = `:${JSON.stringify({ channel, asset_type: assetType, store_uuid: storeUuid }).slice(0, -1)},"assets":`
  let text = ''
  for (const group of groups) {
    text += `${text === '' ? '' : ','}${JSON.stringify(group.parentCode)}${head}${entriesText(group.assetType, group.entries)}}`
  }
  return `{${text}}`
}
