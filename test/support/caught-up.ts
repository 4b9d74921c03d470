import { catchUp } from '../../src/catalogue/projections/catch-up.ts'
import type { TestDatabase } from './database/database.ts'

/** Resolves when all that was written so far is applied to what is derived from the products of a store. */
export async function caughtUp({ catalogue }: TestDatabase, storeUuid: string): Promise<void> {
  const fail = (projection: string, _store: string, error: unknown) => {
    throw new Error(`the projection ${projection} failed`, { cause: error })
  }
  await catchUp(catalogue, fail, storeUuid)
}
