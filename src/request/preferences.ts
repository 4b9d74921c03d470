import type { Fault } from '../errors.ts'
import { shown } from '../text.ts'
import type { RequestHeaders } from './exchange.ts'

/**
 * How old the answer to a read may be, the position that a replica must have replayed, and whether the answer must
 * include all writes before it.
 */
export type Staleness = ReturnType<typeof readStaleness>

/** Reads `Prefer: stale-while` and `X-Catalogue-After` of a read. */
export function readStaleness({ prefer, 'x-catalogue-after': position }: RequestHeaders) {
  const preferred = preferenceOf(prefer, 'stale-while')
  const maxMs = preferred === undefined ? undefined : stalenessOf(preferred)
  const isLatest = position === 'latest'
  const after = position === undefined || isLatest ? undefined : bytesOfPosition(position)
  const faults: Fault[] = []
  if (preferred !== undefined && maxMs === undefined)
    faults.push(fault('Prefer', 'have 0s to 60s as stale-while, such as stale-while=2s or stale-while=500ms', prefer))
  if (position !== undefined && after === undefined && !isLatest)
    faults.push(
      fault('X-Catalogue-After', 'be latest, or the X-Catalogue-Position of a write, such as 0/16B3748', position),
    )
  return { maxMs, after, isLatest, faults }
}

/** The maximum age of an answer, such as `2s` or `500ms`, in ms; undefined unless it is at most 60 s. */
export function stalenessOf(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,5})(ms|s)$/.exec(text) ?? []
  const milliseconds = Number(amount) * (unit === 's' ? 1_000 : 1)
  return milliseconds <= 60_000 ? milliseconds : undefined
}

/** Reads `Prefer` of a write: the maximum number of changes, and whether the answer omits what succeeded. */
export function readWritePreferences({ prefer }: RequestHeaders) {
  const most = preferenceOf(prefer, 'max-affected')
  const isNumber = /^\d{1,9}$/.test(most ?? '')
  const faults: Fault[] = []
  if (/max-affected/i.test(prefer ?? '') && !isNumber)
    faults.push(fault('Prefer', 'have a whole number as max-affected, such as max-affected=1000', prefer))
  const isMinimal = preferenceOf(prefer, 'return')?.toLowerCase() === 'minimal'
  return { maxAffected: isNumber ? Number(most) : undefined, isMinimal, faults }
}

/** The header `Preference-Applied` of the answer to a write (RFC 7240). */
export function preferenceApplied(maxAffected: number | undefined, isMinimal = false): Record<string, string> {
  const applied = [
    ...(maxAffected === undefined ? [] : [`max-affected=${maxAffected}`]),
    ...(isMinimal ? ['return=minimal'] : []),
  ]
  return applied.length === 0 ? {} : { 'Preference-Applied': applied.join(', ') }
}

function fault(field: string, expected: string, got: unknown): Fault {
  return { reason: 'invalid_request', details: `${field} must ${expected}; got ${shown(got)}`, field }
}

/** A position in PostgreSQL's write-ahead log, in bytes. */
function bytesOfPosition(text: string): number | undefined {
  const [, high = '', low = ''] = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text) ?? []
  return high === '' ? undefined : Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16)
}

const token = "[\\w!#$%&'*+.^`|~-]+"
const word = `${token}|"(?:[^"\\\\]|\\\\.)*"`
/** One preference with its end. No space can be matched in two ways, so that hostile headers take linear time. */
const preference = new RegExp(
  `[\\s,]*(${token})\\s*(?:=\\s*(${word})?\\s*)?(?:;\\s*(?:${token}\\s*(?:=\\s*(?:${word})?\\s*)?)?)*(?:,|$)`,
  'y',
)

/** The value of a preference (RFC 7240): the first one counts. An empty string for a malformed header. */
function preferenceOf(prefer: string | undefined, wanted: string): string | undefined {
  if (!prefer?.toLowerCase().includes(wanted)) return undefined
  preference.lastIndex = 0
  while (preference.lastIndex < prefer.length) {
    const [found, name = '', value = ''] = preference.exec(prefer) ?? []
    if (found === undefined) return ''
    if (name.toLowerCase() === wanted) return value.replace(/^"(.*)"$/, '$1')
  }
  return undefined
}
