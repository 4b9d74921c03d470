import { LRUCache } from 'lru-cache'
import { type Catalogue, visibleStores } from '../catalogue.ts'
import { charactersToCompile } from './pattern-work.ts'

/** The steps of the largest pattern of a store, and of all of them. */
interface StorePatterns {
  largest: number
  all: number
}

const noPatterns: StorePatterns = { largest: 0, all: 0 }
const known = new LRUCache<string, StorePatterns>({ max: 10_000, ttl: 1_000 })

/** The most work that a text of so many characters can be for patterns of the stores, as known for a second. */
export async function workToMatch(catalogue: Catalogue, storeUuids: readonly string[], characters: number) {
  const visible = visibleStores(catalogue, storeUuids)
  const unknown = visible.filter((uuid) => !known.has(uuid))
  if (unknown.length > 0) {
    const rows = await catalogue.db
      .selectFrom('attribute_definition')
      .select(({ fn }) => ['store_uuid', fn.max('pattern_steps').as('largest'), fn.sum('pattern_steps').as('all')])
      .where('store_uuid', 'in', unknown)
      .groupBy('store_uuid')
      .execute()
    for (const uuid of unknown) known.set(uuid, noPatterns)
    for (const { store_uuid, largest, all } of rows)
      known.set(store_uuid, { largest: Number(largest), all: Number(all) })
  }
  return visible.reduce((sum, uuid) => {
    const { largest, all } = known.get(uuid) ?? noPatterns
    return sum + largest * characters + all * charactersToCompile
  }, 0)
}

/** Definitions may have changed. */
export function forgetPatterns(): void {
  known.clear()
}
