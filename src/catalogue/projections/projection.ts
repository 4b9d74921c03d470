import type { Catalogue, WriteCatalogue } from '../catalogue.ts'

/**
 * Tables that are derived from products, and kept by the follower. `apply` and `build` run in a transaction that
 * holds the store's lock `projections`: no other process works on the projections of the store.
 */
export interface Projection {
  /** As in the API. */
  name: ProjectionName
  /** Whether the store has asked for the tables, or still has rows of them. */
  isWanted(catalogue: Catalogue, storeUuid: string): Promise<boolean>
  /**
   * Makes the rows of products what the products are now. May run at any time after the writes, and again. Returns the
   * codes that are left for a later step, where it would take long.
   */
  apply(work: WriteCatalogue, storeUuid: string, codes: readonly string[]): Promise<readonly string[] | undefined>
  /**
   * Does a short part of what new wishes of the store (`requestBuild`) make necessary: builds rows, or deletes those
   * that nothing wants any more. Returns whether there is more to do.
   */
  build(work: WriteCatalogue, storeUuid: string): Promise<boolean>
  /** How far the tables of the store are built; undefined if the store has not asked for them. Needs no lock. */
  progress(catalogue: Catalogue, storeUuid: string): Promise<Progress | undefined>
}

interface Progress {
  /** Whether something was built to its end. */
  isBuilt: boolean
  isBuilding: boolean
  /** How many products are built, while something is being built. */
  done: number
}

export type ProjectionName = 'FILTERS' | 'SEARCH' | 'READINESS'
