import type { Counts } from '../../import/report/counts.ts'

const labels: Record<keyof Counts, string> = {
  rows: 'rows',
  created: 'created',
  updated: 'updated',
  unchanged: 'unchanged',
  failed: 'failed',
  assetsAdded: 'assets added',
  linksAdded: 'links added',
}

/** The counts as a sentence. */
export function summarySentence(counts: Counts, dryRun: boolean): string {
  const { rows, created, updated, unchanged, failed, assetsAdded, linksAdded } = counts
  const products = `${rows} rows: ${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`
  return `${products}; ${assetsAdded} assets and ${linksAdded} links added${noteOn(dryRun)}`
}

/** The same as a table, with the time it took, for a terminal. */
export function summaryTable(counts: Counts, dryRun: boolean, seconds: number): string {
  const lines = Object.entries(labels).map(([key, label]) => [label, shown(counts[key as keyof Counts])] as const)
  const rate = seconds > 0 ? ` (${shown(Math.round(counts.rows / seconds))} rows/s)` : ''
  const width = Math.max(...lines.map(([, value]) => value.length))
  const table = lines.map(([label, value]) => `  ${label.padEnd(14)}${value.padStart(width)}`)
  return [...table, `  ${'time'.padEnd(14)}${seconds.toFixed(1)} s${rate}${noteOn(dryRun)}`].join('\n')
}

function shown(count: number): string {
  return count.toLocaleString('en')
}

function noteOn(dryRun: boolean): string {
  return dryRun ? ' (a dry run: nothing was changed)' : ''
}
