import { type Counts, noCounts } from './report/counts.ts'

/** How far an import has come: the first `counts.rows` rows of the file are done. */
export interface ImportPosition {
  counts: Counts
  /** The length of the report of these rows. */
  reportLength: number
}

export const start: ImportPosition = { counts: noCounts, reportLength: 0 }
