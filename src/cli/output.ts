import type { WriteStream } from 'node:tty'
import { unicodeEscape } from '../text.ts'

/** Prints the result of a command on stdout: one JSON object with `--json`, otherwise the text, if there is any. */
export function printResult(json: boolean, result: object, text: string): void {
  if (json) process.stdout.write(`${JSON.stringify(result)}\n`)
  else if (text !== '') process.stdout.write(`${text.split('\n').map(printable).join('\n')}\n`)
}

/** Control characters as escapes: those of names would be commands to the terminal. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, unicodeEscape)
}

/** Shows a line on a terminal in the place of the one before; an empty text removes it. */
export function showProgress(text: string, stream: WriteStream = process.stderr): void {
  if (stream.isTTY) stream.write(`\r\x1b[K${text}`)
}

/** How many there are of what has a plural in s: `1 token`, `2 tokens`. */
export function counted(count: number | undefined, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Rows of cells as lines of columns that are as wide as their widest cell: null is empty, a list has commas. */
export function tableOf(table: readonly (readonly unknown[])[]): string {
  const rows = table.map((row) => row.map((cell) => printable([cell ?? []].flat().join(', '))))
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const lineOf = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map((row) => lineOf(row).trimEnd()).join('\n')
}

const narrow = 80

/** Rows as a table of all columns, or of the named ones with lines of at most 80 characters. */
export function listOf(head: readonly string[], rows: readonly (readonly unknown[])[], columns?: readonly string[]) {
  if (!columns) return tableOf([head, ...rows])
  const indexes = columns.map((name) => head.indexOf(name))
  const lines = tableOf([head, ...rows].map((row) => indexes.map((index) => row[index]))).split('\n')
  if (process.stdout.isTTY) process.stderr.write('(--wide prints all columns)\n')
  return lines.map((line) => (line.length > narrow ? `${line.slice(0, narrow - 1)}…` : line)).join('\n')
}

/** A row as the command line shows it: names in snake case, times as RFC 3339. */
export function snakeCased(row: object): Record<string, unknown> {
  const cells = Object.entries(row).map(([name, value]) => {
    return [name.replace(/[A-Z]/g, '_$&').toLowerCase(), value instanceof Date ? value.toISOString() : value]
  })
  return Object.fromEntries(cells)
}
