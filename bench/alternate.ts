import { figure, median } from './table.ts'

/**
 * Measures each way in each round, so that other load of the machine affects all of them. Returns the measurements by
 * the name of the way, without those of the warm-up rounds, whose numbers are 0 and below.
 */
export async function alternate<Way, Measurement>(
  ways: Readonly<Record<string, Way>>,
  rounds: number,
  measure: (way: Way, round: number) => Promise<Measurement>,
  { warmUps = 1 } = {},
): Promise<Record<string, Measurement[]>> {
  const results: Record<string, Measurement[]> = {}
  for (let round = 1 - warmUps; round <= rounds; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const measurement = await measure(way, round)
      if (round > 0) results[name] = [...(results[name] ?? []), measurement]
    }
  }
  return results
}

/** A row for each way: its name, the median of its rates, and the ratio to the first way's. */
export function rateRows(rates: Readonly<Record<string, readonly number[]>>): string[][] {
  const [first = []] = Object.values(rates)
  return Object.entries(rates).map(([name, own]) => [name, figure(median(own)), figure(median(own) / median(first))])
}
