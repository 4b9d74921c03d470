import { shown, stalenessOf } from '../../src/text.ts'
import type { RequestHeaders } from '../exchange.ts'
import { preferenceOf } from './preferences.ts'

/** What the headers of a read say of replicas: how old the answer may be, and the position that it must include. */
export type StalenessHeaders = ReturnType<typeof readStaleness>

/** Reads `Prefer` and `X-Catalogue-After`. */
export function readStaleness({ prefer, 'x-catalogue-after': position }: RequestHeaders) {
  const faults: { reason: 'invalid_request'; details: string; field: string }[] = []
  const refuse = (field: string, expected: string, got: unknown) => {
    faults.push({ reason: 'invalid_request', details: `${field} must ${expected}; got ${shown(got)}`, field })
  }
  const preferred = preferenceOf(prefer, 'stale-while')
  const maxMs = preferred === undefined ? undefined : stalenessOf(preferred)
  if (preferred !== undefined && maxMs === undefined)
    refuse('Prefer', 'have 0s to 60s as stale-while, such as stale-while=2s or stale-while=500ms', prefer)
  const after = position === undefined ? undefined : positionOf(position)
  if (position !== undefined && after === undefined)
    refuse('X-Catalogue-After', 'be the X-Catalogue-Position of a write, such as 0/16B3748', position)
  return { maxMs, after, faults }
}

/** A position of PostgreSQL's write-ahead log in bytes. */
function positionOf(text: string): number | undefined {
  const [, high = '', low = ''] = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text) ?? []
  return high === '' ? undefined : Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16)
}
