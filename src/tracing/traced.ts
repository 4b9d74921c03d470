import { requestScope, type ServedRequest } from '../request-scope.ts'
import type { Part } from './trace.ts'

/** Does a part of the request, and tells its trace of it if there is one. `nameAfter` is asked when it is done. */
export function traced<T>(
  part: Part,
  name: string,
  work: () => Promise<T>,
  nameAfter?: () => string | undefined,
): Promise<T> {
  const trace = requestScope.getStore()?.trace
  if (!trace) return work()
  const end = trace.begin(part, name)
  return work().then(
    (result) => {
      end({ name: nameAfter?.() ?? name })
      return result
    },
    (error: unknown) => {
      end({ error })
      throw error
    },
  )
}

/** What the request asks for, as far as it is known. */
export function operationName(): string | undefined {
  return requestScope.getStore()?.operation
}

/** Ends the trace of a request, if it has one. */
export function endTrace({ scope, status }: ServedRequest): void {
  const { door = 'other', operation = 'none', requestId, trace } = scope
  trace?.end({ name: `${door} ${operation}`, status, attributes: { 'catalogue.request_id': requestId.text } })
}
