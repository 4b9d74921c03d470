/** TORTURE=long makes the tests of this folder as long as docs/reliability.md tells; otherwise they are short enough to run with all others. */
export const isLong = process.env.TORTURE === 'long'

/** Writes a figure of a row of docs/reliability.md where `npm run torture` shows it. */
export function figure(row: number, text: string): void {
  process.stdout.write(`row ${row}: ${text}\n`)
}
