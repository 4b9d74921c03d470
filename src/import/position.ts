/**
 * The counts of an import. Each row of the file is counted in exactly one of created, updated, unchanged and failed;
 * nothing of a failed row is stored. Assets are those new to the store, links those new to their product's group,
 * `assetsFailed` the bad URLs of rows that did not fail. `replaced` rows replace values of earlier rows.
 */
export const noCounts = {
  ...{ rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0, assetsAdded: 0, linksAdded: 0 },
  ...{ assetsFailed: 0, replaced: 0 },
}

export type Counts = typeof noCounts

/** How far an import has come: the first `counts.rows` rows of the file are done. */
export interface ImportPosition {
  counts: Counts
  /** Where the report of these rows ends: in bytes of a file, or parts of a job's output. */
  reportEnd: number
}

export const startPosition: ImportPosition = { counts: noCounts, reportEnd: 0 }
