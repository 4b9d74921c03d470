import type { Registry } from 'prom-client'

/** The metrics of one process, as data. */
export type Figures = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** What a worker shares with the others that answer at the same port. */
export interface Fellows {
  /** Which of them this one is, from 1. */
  number: number
  /** The metrics of all of them, as far as they can be had in time. */
  figures(): Promise<Figures[]>
  /** Says how those of this one are read. */
  giveFigures(read: () => Promise<Figures>): void
}
