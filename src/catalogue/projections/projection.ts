import type { Catalogue, WriteCatalogue } from '../catalogue.ts'

/**
 * FILTERS: `product_index`, of `filterable` attributes. SEARCH: `product_text`, of `searchable` ones. READINESS:
 * `product_gap` and `channel_readiness`, of requirements.
 */
export const projectionNames = ['FILTERS', 'SEARCH', 'READINESS'] as const
export type ProjectionName = (typeof projectionNames)[number]

/**
 * Tables that are derived from products, and kept by the follower. `apply` and `build` run in a transaction that
 * holds the store's lock `projections`: no other process works on the projections of the store.
 *
 * There are two ways to build. Rows with values of attributes are independent: attribute-projection.ts makes each in
 * its place. Numbers of a channel are right only as a whole: build-counts.ts keeps the former ones until new ones, of
 * another `build`, are complete.
 */
export interface Projection {
  /** As in the API. */
  name: ProjectionName
  /** The table of what is kept of a store. Without a row there, its changed products are not applied. */
  state: string
  /**
   * Makes the rows of products what the products are now. May run at any time after the writes, and again. Returns the
   * codes that are left for a later step, where it would take long.
   */
  apply(catalogue: WriteCatalogue, storeUuid: string, codes: readonly string[]): Promise<readonly string[] | undefined>
  /**
   * Does a short part of what new settings of the store (`requestBuild`) require: builds rows, or deletes those that no
   * setting requires. Returns whether there is more to do.
   */
  build(catalogue: WriteCatalogue, storeUuid: string): Promise<boolean>
  /** How far the tables of the store are built; undefined if no setting requires them. Needs no lock. */
  progress(catalogue: Catalogue, storeUuid: string): Promise<Progress | undefined>
  /**
   * Compares what is built with the products in one snapshot, but for products in the queue. Ends soon after `limit`
   * differences.
   */
  check(catalogue: Catalogue, storeUuid: string, limit: number): Promise<RowDifference[]>
}

/** A row, or a sum of rows, that is not what the products are; null means no row. */
export interface RowDifference {
  /** What is compared, such as `index`, in the output of `catalog check`. */
  what: string
  channel: string | null
  code: string | null
  kept: string | null
  actual: string | null
}

interface Progress {
  /** Whether something was built to its end. */
  isBuilt: boolean
  isBuilding: boolean
  /** How many products are built, while something is being built. */
  done: number
}
