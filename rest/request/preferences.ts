import { shown } from '../../src/text.ts'
import type { RequestHeaders } from '../exchange.ts'
import type { ErrorInfo } from '../response/envelope.ts'

/** What `Prefer` says of a write: how much it may change, which is no wish but a guard, and how long its answer is. */
export function readWritePreferences({ prefer }: RequestHeaders) {
  const most = preferenceOf(prefer, 'max-affected')
  const isNumber = /^\d{1,9}$/.test(most ?? '')
  const faults: ErrorInfo[] = []
  if (/max-affected/i.test(prefer ?? '') && !isNumber) {
    const details = `Prefer must have a whole number as max-affected, such as max-affected=1000; got ${shown(prefer)}`
    faults.push({ reason: 'invalid_request', details, field: 'Prefer' })
  }
  const isMinimal = preferenceOf(prefer, 'return')?.toLowerCase() === 'minimal'
  const maxAffected = isNumber ? Number(most) : undefined
  return { maxAffected, isMinimal, faults }
}

/** The header that tells which preferences of a write were applied (RFC 7240). */
export function preferenceApplied(maxAffected: number | undefined, isMinimal = false): Record<string, string> {
  const applied = [
    ...(maxAffected === undefined ? [] : [`max-affected=${maxAffected}`]),
    ...(isMinimal ? ['return=minimal'] : []),
  ]
  return applied.length === 0 ? {} : { 'Preference-Applied': applied.join(', ') }
}

const token = "[\\w!#$%&'*+.^`|~-]+"
const word = `${token}|"(?:[^"\\\\]|\\\\.)*"`
/** A preference and what ends it. No space can be matched in two ways: hostile headers take linear time. */
const preference = new RegExp(
  `[\\s,]*(${token})\\s*(?:=\\s*(${word})?\\s*)?(?:;\\s*(?:${token}\\s*(?:=\\s*(?:${word})?\\s*)?)?)*(?:,|$)`,
  'y',
)

/** The value of a preference (RFC 7240): the first one counts. Empty where it cannot be read. */
export function preferenceOf(prefer: string | undefined, wanted: string): string | undefined {
  if (!prefer?.toLowerCase().includes(wanted)) return undefined
  preference.lastIndex = 0
  while (preference.lastIndex < prefer.length) {
    const [found, name = '', value = ''] = preference.exec(prefer) ?? []
    if (found === undefined) return ''
    if (name.toLowerCase() === wanted) return value.replace(/^"(.*)"$/, '$1')
  }
  return undefined
}
