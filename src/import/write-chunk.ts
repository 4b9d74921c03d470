import { loadAssets } from '../catalog/load-assets.ts'
import { loadProducts } from '../catalog/load-products.ts'
import type { NewUrls } from '../catalog/new-urls.ts'
import type { WriteView } from '../catalog/viewer.ts'
import type { Session } from '../database/copy.ts'
import type { Counts } from './counts.ts'
import type { PreparedChunk } from './prepare-chunk.ts'
import { RulesChanged, readRules } from './rules.ts'

/**
 * Writes a chunk as a part of a transaction, in a fixed number of statements. What happened to a product is counted at the first of its
 * rows that has no fault, the others count as unchanged. Throws `store_not_found`, and RulesChanged.
 */
export async function writeChunk(
  session: Session,
  transaction: WriteView,
  storeUuid: string,
  { rules, products, assets, failed, good }: PreparedChunk,
  newUrls: NewUrls,
): Promise<Counts> {
  if ((await readRules(transaction, storeUuid, rules)) !== rules) throw new RulesChanged()
  // Groups before products, as every writer of both locks them: no two can wait for each other.
  const { added, linked } = await loadAssets(session, transaction, assets, newUrls)
  const { created, updated } = await loadProducts(session, transaction, storeUuid, products)
  const bad = failed.reduce((sum, { row }) => sum + row.rows.length, 0)
  return {
    rows: good + bad,
    created,
    updated,
    unchanged: good - created - updated,
    failed: bad,
    assetsAdded: added,
    linksAdded: linked,
  }
}
