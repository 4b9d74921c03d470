/** TORTURE=long: the tests of this folder take as long as docs/reliability.md tells; otherwise they are short. */
export const isLong = process.env.TORTURE === 'long'

/** The seed of every random choice here: TORTURE_SEED repeats a run. The tests' titles have it. */
export const seed = Number(process.env.TORTURE_SEED ?? (isLong ? Date.now() % 1_000_000_000 : 20_261_121))

/** Writes a figure of a row of docs/reliability.md where `npm run torture` shows it. */
export function figure(row: number | string, text: string): void {
  process.stdout.write(`row ${row}: ${text}\n`)
}
