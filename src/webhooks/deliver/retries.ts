const minute = 60_000
const hour = 60 * minute

/** When attempts follow one another, in ms. */
export const retryTimes = {
  first: 5_000,
  /** The longest pause within `soonFor`, and afterwards. */
  soon: minute,
  soonFor: hour,
  late: hour,
  /** After so long a webhook is paused. */
  pausedAfter: 5 * 24 * hour,
  /** The time slice of a webhook: then others are served. */
  slice: 5_000,
  /** Between the reads of changes that do not match, and between deliveries of large changes, which are joined then. */
  joining: 2_000,
}

export type RetryTimes = typeof retryTimes

/** The pause after a failed attempt: twice the one before, within the bounds, and what the receiver asks for. */
export function pauseAfter(
  { pauseMs, failingSeconds }: { pauseMs: number; failingSeconds: number },
  retryAfter: string | undefined,
  times: RetryTimes,
): number {
  const longest = failingSeconds * 1_000 < times.soonFor ? times.soon : times.late
  const doubled = Math.min(longest, pauseMs === 0 ? times.first : pauseMs * 2)
  return Math.max(doubled, Math.min(askedFor(retryAfter), times.late))
}

/** Seconds, or a date. */
function askedFor(retryAfter: string | undefined): number {
  if (retryAfter === undefined) return 0
  const ms = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : 0
}
