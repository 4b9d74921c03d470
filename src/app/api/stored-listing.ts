import { LRUCache } from 'lru-cache'
import type { ListAssetsQueryVariables } from '../../../rest/operations.generated.ts'
import type { AssetPage } from '../../../rest/services.ts'
import { groupsVersion, pageText } from '../../catalogue/asset-groups/asset-groups.ts'
import { type FilterService, listGroups } from '../../catalogue/asset-groups/list-groups.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import { bytesOf } from '../../text.ts'

interface KeptPage {
  version: string
  data: Buffer
}

const bytesPerEntry = 200

/**
 * The listing of asset groups over REST. The groups are stored as the JSON text of its answers, and a page is joined
 * from texts: GraphQL would parse and complete each asset. The pages read last are kept, in at most so much memory.
 */
export function createStoredListing(maxMb: number, filterService: FilterService | undefined) {
  const pages = new LRUCache<string, KeptPage>({
    maxSize: Math.max(1, Math.floor(maxMb * 1024 * 1024)),
    sizeCalculation: ({ data }, key) => data.length + key.length * 2 + bytesPerEntry,
  })
  /**
   * The version is read for every request, so that a page has all earlier writes: it may be newer than its version,
   * never older. Pages of replicas may be stale and are not kept.
   */
  return async (
    catalogue: Catalogue,
    { storeUuid, ...query }: ListAssetsQueryVariables,
    { isKnown, isKept }: { isKnown: ((version: string) => boolean) | undefined; isKept: boolean },
  ): Promise<AssetPage> => {
    const key = JSON.stringify([storeUuid, query])
    const kept = isKept ? pages.get(key) : undefined
    if (!filterService && (isKnown || kept)) {
      const version = await groupsVersion(catalogue, storeUuid, query)
      if (isKnown?.(version)) return { version }
      if (kept?.version === version) return kept
    }
    const page = await listGroups(catalogue, storeUuid, query, filterService)
    const { version } = page
    const data = bytesOf(pageText(page))
    if (version !== null && isKept) pages.set(key, { version, data })
    return { version, data }
  }
}
