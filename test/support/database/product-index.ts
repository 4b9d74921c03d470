import type { Catalogue } from '../../../src/catalogue/catalogue.ts'
import { tryLock } from '../../../src/catalogue/locks.ts'
import { filtersProjection } from '../../../src/catalogue/projections/filters-projection.ts'
import { inTransaction } from '../../../src/catalogue/transaction.ts'

/** Builds the index of a store to its end, under the lock of the follower, which may be building it too. */
export async function buildIndex(catalogue: Catalogue, storeUuid: string): Promise<void> {
  const hasMore = () =>
    inTransaction(
      catalogue,
      async (work) => !(await tryLock(work, storeUuid, 'projections')) || filtersProjection.build(work, storeUuid),
    )
  while (await hasMore());
}
