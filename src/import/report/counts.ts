/** The counts of an import. Each row of the file is counted in exactly one of created, updated, unchanged and failed. */
export interface Counts {
  rows: number
  created: number
  updated: number
  unchanged: number
  failed: number
  /** Assets that were new to the store. */
  assetsAdded: number
  /** Assets that were new to their product's group. */
  linksAdded: number
}

export const noCounts: Readonly<Counts> = {
  rows: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  failed: 0,
  assetsAdded: 0,
  linksAdded: 0,
}

export function sum(a: Counts, b: Counts): Counts {
  return {
    rows: a.rows + b.rows,
    created: a.created + b.created,
    updated: a.updated + b.updated,
    unchanged: a.unchanged + b.unchanged,
    failed: a.failed + b.failed,
    assetsAdded: a.assetsAdded + b.assetsAdded,
    linksAdded: a.linksAdded + b.linksAdded,
  }
}
