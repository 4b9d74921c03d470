const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of a text such as `30d`, `12h`, `45m` or `90s`; undefined when it is none, or nothing, or more than a hundred years. */
export function millisecondsOf(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,10})([smhd])$/.exec(text.trim()) ?? []
  const milliseconds = Number(amount) * (units[unit ?? ''] ?? Number.NaN)
  return milliseconds > 0 && milliseconds <= 36_525 * 86_400_000 ? milliseconds : undefined
}
