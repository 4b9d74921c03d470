import { type CatalogueKind, linkOf } from '../change.ts'

/** An item of the ledger that was not reverted. */
export interface SkippedItem {
  kind: CatalogueKind
  code: string
  key: string | null
  reason: keyof typeof reasons
}

/** A sentence that names the item and the reason. */
export function sentenceOf(item: SkippedItem): string {
  return `${itemName(item)} ${reasons[item.reason]}`
}

const reasons = {
  changed_since: 'was changed since by another request',
  gone: 'cannot be restored: its product or asset no longer exists',
  too_large: 'would make its product larger than 4 MiB',
  store_created: 'was created: stores are never deleted',
}
export const skipReasons = Object.keys(reasons)

function itemName({ kind, code, key }: SkippedItem): string {
  const name = JSON.stringify(code)
  switch (kind) {
    case 'store':
      return key === null ? 'the store' : `the field ${key} of the store`
    case 'definition':
      return `the definition of the attribute ${name}`
    case 'requirement':
      return `the requirements of the channel ${name}`
    case 'asset':
      return `the asset ${name}`
    case 'link': {
      const [channel, assetId] = linkOf(key)
      return `the link of the asset ${JSON.stringify(assetId)} to ${name} on the channel ${JSON.stringify(channel)}`
    }
    case 'product':
      if (key === null) return `the product ${name}`
      return `the ${key === 'status' ? 'status' : `attribute ${JSON.stringify(key)}`} of the product ${name}`
  }
}
