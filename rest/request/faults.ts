import { z } from 'zod'
import { shown } from '../../src/text.ts'
import type { ErrorInfo } from '../response/envelope.ts'

/** The faults of a value: within an item of a list they have its `index`; `whole` names the value itself. */
export function faultsOf(error: z.ZodError, value: unknown, whole: string): ErrorInfo[] {
  return error.issues.map(({ path, message }) => {
    const got = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value)
    const [index] = path
    const isInItem = typeof index === 'number'
    const field = z.core.toDotPath(isInItem ? path.slice(1) : path)
    const name = [isInItem ? `item ${index}` : '', field].filter(Boolean).join(': ') || whole
    const details = got === undefined ? `${name} is required` : `${name} ${message}; got ${shown(got)}`
    return { reason: 'invalid_request', details, ...(field && { field }), ...(isInItem && { index }) }
  })
}
