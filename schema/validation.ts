import { z } from 'zod'
import { CatalogueError, type Fault } from '../src/errors.ts'
import { shown, storeUuidOf } from '../src/text.ts'

/** A text that is a UUID. */
export const uuid = {
  schema: z.string().refine((text) => storeUuidOf(text) !== undefined, { error: 'must be a UUID' }),
}

/** The argument of every mutation that previews it. */
export const dryRunArg = {
  defaultValue: false,
  description: 'Dry run: return the same result and change nothing.',
} as const

/** Turns what zod found in a field's arguments into the API's own error, with one fault for each issue. */
export function validationError(error: z.ZodError, args: Record<string, unknown>): CatalogueError {
  const faults = error.issues.map((issue) => faultOf(issue, args))
  return new CatalogueError(faults[0]?.reason ?? 'invalid_request', faults)
}

function faultOf(issue: z.core.$ZodIssue, args: Record<string, unknown>): Fault {
  const field = issue.path.reduce<string>(
    (path, key) => (typeof key === 'number' ? `${path}[${key}]` : path === '' ? String(key) : `${path}.${String(key)}`),
    '',
  )
  const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], args)
  const index = issue.path.find((key) => typeof key === 'number')
  const at = { field, ...(index === undefined ? {} : { index }) }
  if (issue.code === 'too_big' && Array.isArray(value)) {
    const details = `${field} must have at most ${issue.maximum} items; got ${value.length}`
    return { reason: 'payload_too_large', details, ...at }
  }
  return { reason: 'invalid_request', details: `${field} ${expectation(issue)}; got ${shown(value)}`, ...at }
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_small':
      return `must be at least ${issue.minimum}`
    case 'too_big':
      return `must be at most ${issue.maximum}`
    default:
      return issue.message
  }
}

/** The argument that bounds a list: 1 to `max` items, by default `usual`. */
export function firstArg(max: number, usual = max) {
  return { description: `Maximum number of items: 1 to ${max}. Default: ${usual}.`, validate: { min: 1, max } }
}

/** The cost of a list with `firstArg`: the requested number of items, by default a typical number. */
export function firstCost(typical: number) {
  return ({ first }: { first?: number | null | undefined }) => ({ field: 1, multiplier: first ?? typical })
}
